/** Slows down whoever guesses passwords. Counted in the database, so that all replicas together allow no more than one would. */
import { createHash } from "node:crypto";
import { rateLimited } from "@freehold/kit/errors";
import type { Database } from "@freehold/kit/db/org-db";
import { RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";

const WINDOW_SECONDS = 15 * 60;
const ATTEMPTS_PER_ADDRESS = 50;

export interface Throttle {
  /** Counts a try from a network address; 429 when it has had its tries. */
  countAddress(address: string): Promise<void>;
  /** The same for an exchange of a service key: programs do not use up the tries of people at the same address. */
  countKeyAddress(address: string): Promise<void>;
  /** 429 for an account or a service key with too many wrong passwords or secrets, whether it exists or not. */
  requireAttemptsLeft(email: string): Promise<void>;
  countFailure(email: string): Promise<void>;
  /** Counts a mail that an address asks for, whether anybody has it or not; 429 when it has had enough of them. */
  countMail(email: string): Promise<void>;
  /** The right password was given: the wrong ones before it were slips. */
  resetFailures(email: string): Promise<void>;
}

const noLimit = async (): Promise<void> => undefined;
/** Who tried to sign in from where is nobody's to read in a table of counters. */
const hashKey = (text: string): string => createHash("sha256").update(text).digest("base64url");

/** Limits of so many wrong passwords an account, as many mails, and of tries an address; 0 for none of them. */
export function throttle({ pool }: Pick<Database, "pool">, wrongPasswords: number): Throttle {
  if (wrongPasswords === 0)
    return { countAddress: noLimit, countKeyAddress: noLimit, requireAttemptsLeft: noLimit, countFailure: noLimit, countMail: noLimit, resetFailures: noLimit };
  const counter = (keyPrefix: string, points: number) =>
    new RateLimiterPostgres({
      storeClient: pool,
      storeType: "pool",
      tableName: "sign_in_tries",
      tableCreated: true,
      keyPrefix,
      points,
      duration: WINDOW_SECONDS,
    });
  const accounts = counter("account", wrongPasswords);
  const addresses = counter("address", ATTEMPTS_PER_ADDRESS);
  const keyAddresses = counter("key_address", ATTEMPTS_PER_ADDRESS);
  const mails = counter("mail", wrongPasswords);
  const consume = (limiter: RateLimiterPostgres, of: string) =>
    limiter.consume(hashKey(of)).catch((refusal: unknown) => {
      throw refusal instanceof RateLimiterRes ? rateLimited(refusal.msBeforeNext / 1000) : refusal;
    });
  return {
    async countAddress(address) {
      await consume(addresses, address);
    },
    async countKeyAddress(address) {
      await consume(keyAddresses, address);
    },
    async countMail(email) {
      await consume(mails, email);
    },
    async requireAttemptsLeft(email) {
      const wrong = await accounts.get(hashKey(email));
      if (wrong && wrong.consumedPoints >= wrongPasswords) throw rateLimited(wrong.msBeforeNext / 1000);
    },
    async countFailure(email) {
      await accounts.penalty(hashKey(email));
    },
    async resetFailures(email) {
      await accounts.delete(hashKey(email));
    },
  };
}
