/** Rate limits of sign-ins and e-mails. The counters are in the database, so all replicas share them. */
import { createHash } from "node:crypto";
import { translateDatabaseError } from "@freehold/kit/db/database-error";
import type { Database } from "@freehold/kit/db/org-db";
import { rateLimited } from "@freehold/kit/errors";
import { clientNetwork } from "@freehold/kit/http/client-network";
import { RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";

const WINDOW_SECONDS = 15 * 60;
const DAY_SECONDS = 86_400;
const ATTEMPTS_PER_CLIENT_ADDRESS = 50;
/** Limit of an account over all client addresses, as a multiple of the limit from one. */
const ACCOUNT_FACTOR = 10;

/** Attempt to sign in with an e-mail address, or to exchange a service key by its client id. */
export interface Attempt {
  login: string;
  /** User whose failures are counted. Undefined for the counter of the e-mail address itself, whether or not it has users, and for a service key. */
  userId?: string | undefined;
  clientAddress: string;
  /** Counter of a known device or a session, used instead of those of the account. */
  separateCounter?: string | undefined;
  /**
   * Set for a service key, whose failures count by network only: a secret of 256 bits cannot be guessed, but everybody who knows the client id
   * could lock the key out.
   */
  isKey?: boolean;
}

export interface Throttle {
  /** False when the limits are turned off. */
  readonly isOn: boolean;
  /** Counts an attempt from a client address. Throws 429 above the limit. */
  countClientAttempt(clientAddress: string): Promise<void>;
  /**
   * Counts an attempt from a device that has signed in before, instead of its client address, so that other clients of the address cannot lock it
   * out. Throws 429 above the limit.
   */
  countDeviceAttempt(deviceId: string): Promise<void>;
  /**
   * Returns the seconds to wait after too many failures of the account from this client address, or from all client addresses together, whether or not
   * the account exists; undefined while attempts are left. A known device has a limit of its own instead, so that nobody else can lock it out.
   */
  secondsToWait(attempt: Attempt): Promise<number | undefined>;
  /** Throws 429 unless attempts are left. */
  requireAttemptsLeft(attempt: Attempt): Promise<void>;
  /** Counts a wrong password or secret. */
  countFailure(attempt: Attempt): Promise<void>;
  /** Resets the failures of the account from this client address, or of the device, after a correct password or secret. */
  resetFailures(attempt: Attempt): Promise<void>;
  /** Resets the failures of the login, or of its user, over all client addresses, after the owner has proven to own the e-mail address. */
  resetAccount(login: string, userId?: string): Promise<void>;
  /** Counts an e-mail requested for an e-mail address from a client address, whether or not it has an account. Throws 429 above the limit. */
  countMail(email: string, clientAddress: string): Promise<void>;
  /** Counts an e-mail to an e-mail address, whoever requested it. Returns false above the limit. */
  countMailToRecipient(email: string): Promise<boolean>;
  /** Counts an e-mail of a kind from an organization to an e-mail address. Returns the seconds to wait above the daily limit, otherwise undefined. */
  countDailyMail(organizationId: string, email: string, kind: string): Promise<number | undefined>;
  /**
   * Counts an invite to an e-mail address from any organization that has not confirmed its own. Returns the seconds to wait above the daily limit,
   * otherwise undefined.
   */
  countUnconfirmedInvite(email: string): Promise<number | undefined>;
}

export interface Limits {
  /** Failures per account and client address, and requested e-mails per recipient and client address, in 15 minutes. 0 disables all limits. */
  attempts: number;
  /**
   * Invites of each kind, and reset or confirmation e-mails requested from one network, from an organization to a recipient in a day, and invites of
   * all organizations without a confirmed address together. 0 disables the limit.
   */
  mailsPerDay: number;
}

const noLimit = async (): Promise<undefined> => undefined;
const noLimits: Throttle = {
  isOn: false,
  countClientAttempt: noLimit,
  countDeviceAttempt: noLimit,
  secondsToWait: noLimit,
  requireAttemptsLeft: noLimit,
  countFailure: noLimit,
  resetFailures: noLimit,
  resetAccount: noLimit,
  countMail: noLimit,
  countMailToRecipient: async () => true,
  countDailyMail: noLimit,
  countUnconfirmedInvite: noLimit,
};

type Counter = [limiter: RateLimiterPostgres, key: string];

/** Counter keys are hashed, so that the table does not reveal addresses and accounts. */
const hashKey = (...parts: string[]): string => createHash("sha256").update(parts.join("|")).digest("base64url");

const accountKey = (login: string, userId: string | undefined): string[] => (userId === undefined ? [login] : [login, userId]);

/** Creates the limits, stored in the database and shared by all replicas. A limit that cannot be read or counted answers 503. */
export function throttle({ pool }: Pick<Database, "pool">, { attempts, mailsPerDay }: Limits): Throttle {
  if (attempts === 0) return noLimits;
  const storeClient = {
    query: (statement: { text: string; values: unknown[] }) =>
      pool.query(statement).catch((error: unknown) => {
        throw translateDatabaseError(error, {});
      }),
  };
  const counter = (keyPrefix: string, points: number, duration = WINDOW_SECONDS) =>
    new RateLimiterPostgres({ storeClient, storeType: "pool", tableName: "sign_in_tries", tableCreated: true, keyPrefix, points, duration });
  const failures = counter("account_address", attempts);
  const deviceFailures = counter("device", attempts);
  const accountFailures = counter("account", attempts * ACCOUNT_FACTOR);
  const clientAttempts = counter("address", ATTEMPTS_PER_CLIENT_ADDRESS);
  const deviceAttempts = counter("device_attempt", ATTEMPTS_PER_CLIENT_ADDRESS);
  const keyFailures = counter("key_address", ATTEMPTS_PER_CLIENT_ADDRESS);
  const mails = counter("mail_address", attempts);
  const anyMails = counter("mail", attempts * ACCOUNT_FACTOR);
  const dailyMails = counter("daily_mail", mailsPerDay, DAY_SECONDS);
  const unconfirmedInvites = counter("unconfirmed_invite", mailsPerDay, DAY_SECONDS);

  /** Consumes a point. Returns the seconds to wait when none is left. */
  const consume = async (limiter: RateLimiterPostgres, key: string): Promise<number | undefined> => {
    try {
      await limiter.consume(key);
      return undefined;
    } catch (error) {
      if (error instanceof RateLimiterRes) return error.msBeforeNext / 1000;
      throw error;
    }
  };
  const consumeOrThrow = async (limiter: RateLimiterPostgres, key: string): Promise<void> => {
    const waitSeconds = await consume(limiter, key);
    if (waitSeconds !== undefined) throw rateLimited(waitSeconds);
  };
  /** Returns the counters of a failed attempt with their keys: the one that a correct password resets, then the wider one. */
  function countersOf({ login, userId, clientAddress, separateCounter, isKey }: Attempt): [resettable: Counter, ...wider: Counter[]] {
    if (separateCounter !== undefined) return [[deviceFailures, hashKey(login, separateCounter)]];
    const account = accountKey(login, userId);
    const network = clientNetwork(clientAddress);
    const perNetwork: Counter = [failures, hashKey(...account, network)];
    return [perNetwork, isKey ? [keyFailures, hashKey(network)] : [accountFailures, hashKey(...account)]];
  }
  async function secondsToWait(attempt: Attempt): Promise<number | undefined> {
    for (const [limiter, key] of countersOf(attempt)) {
      const counted = await limiter.get(key);
      if (counted && counted.consumedPoints >= limiter.points) return counted.msBeforeNext / 1000;
    }
    return undefined;
  }

  return {
    isOn: true,
    countClientAttempt: (clientAddress) => consumeOrThrow(clientAttempts, hashKey(clientNetwork(clientAddress))),
    countDeviceAttempt: (deviceId) => consumeOrThrow(deviceAttempts, hashKey(deviceId)),
    countMail: (email, clientAddress) => consumeOrThrow(mails, hashKey(email, clientNetwork(clientAddress))),
    countMailToRecipient: async (email) => (await consume(anyMails, hashKey(email))) === undefined,
    countDailyMail: async (organizationId, email, kind) => (mailsPerDay === 0 ? undefined : consume(dailyMails, hashKey(organizationId, email, kind))),
    countUnconfirmedInvite: async (email) => (mailsPerDay === 0 ? undefined : consume(unconfirmedInvites, hashKey(email))),
    secondsToWait,
    async requireAttemptsLeft(attempt) {
      const waitSeconds = await secondsToWait(attempt);
      if (waitSeconds !== undefined) throw rateLimited(waitSeconds);
    },
    async countFailure(attempt) {
      for (const [limiter, key] of countersOf(attempt)) await limiter.penalty(key);
    },
    async resetFailures(attempt) {
      const [[limiter, key]] = countersOf(attempt);
      await limiter.delete(key);
    },
    async resetAccount(login, userId) {
      await accountFailures.delete(hashKey(...accountKey(login, userId)));
    },
  };
}
