/** Rate limits of sign-ins and e-mails. The counters are in the database, so all replicas share them. */
import { createHash } from "node:crypto";
import { rateLimited } from "@freehold/kit/errors";
import type { Database } from "@freehold/kit/db/org-db";
import { RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";

const WINDOW_SECONDS = 15 * 60;
const ATTEMPTS_PER_CLIENT_ADDRESS = 50;

export interface Throttle {
  /** Counts an attempt from a client address. Throws 429 above the limit. */
  countClientAttempt(address: string): Promise<void>;
  /** Counts a service key exchange from a client address, separately from sign-ins. Throws 429 above the limit. */
  countKeyExchange(address: string): Promise<void>;
  /** Throws 429 when an e-mail address or a service key's client id has too many failures, whether or not the account or key exists. */
  requireAttemptsLeft(login: string): Promise<void>;
  /** Counts a wrong password or secret. */
  countFailure(login: string): Promise<void>;
  /** Counts an e-mail requested for an address, whether or not the address has an account. Throws 429 above the limit. */
  countMail(email: string): Promise<void>;
  /** Resets the failure count after a correct password or secret. */
  resetFailures(login: string): Promise<void>;
}

const noLimit = async (): Promise<void> => undefined;
/** Counter keys are hashed, so that the table does not reveal addresses and accounts. */
const hashKey = (text: string): string => createHash("sha256").update(text).digest("base64url");

/**
 * Creates the limits for each window of 15 minutes: `maxFailures` failures per account or service key, as many requested
 * e-mails per e-mail address, and a fixed number of attempts per client address. 0 disables all limits.
 */
export function throttle({ pool }: Pick<Database, "pool">, maxFailures: number): Throttle {
  if (maxFailures === 0)
    return {
      countClientAttempt: noLimit,
      countKeyExchange: noLimit,
      requireAttemptsLeft: noLimit,
      countFailure: noLimit,
      countMail: noLimit,
      resetFailures: noLimit,
    };
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
  const failures = counter("account", maxFailures);
  const clientAttempts = counter("address", ATTEMPTS_PER_CLIENT_ADDRESS);
  const keyExchanges = counter("key_address", ATTEMPTS_PER_CLIENT_ADDRESS);
  const mails = counter("mail", maxFailures);
  const consume = (limiter: RateLimiterPostgres, key: string) =>
    limiter.consume(hashKey(key)).catch((error: unknown) => {
      throw error instanceof RateLimiterRes ? rateLimited(error.msBeforeNext / 1000) : error;
    });
  return {
    async countClientAttempt(address) {
      await consume(clientAttempts, address);
    },
    async countKeyExchange(address) {
      await consume(keyExchanges, address);
    },
    async countMail(email) {
      await consume(mails, email);
    },
    async requireAttemptsLeft(login) {
      const counted = await failures.get(hashKey(login));
      if (counted && counted.consumedPoints >= maxFailures) throw rateLimited(counted.msBeforeNext / 1000);
    },
    async countFailure(login) {
      await failures.penalty(hashKey(login));
    },
    async resetFailures(login) {
      await failures.delete(hashKey(login));
    },
  };
}
