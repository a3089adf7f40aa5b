/**
 * A token bucket for each user: a steady rate and a burst above it, the same through whichever gateway the user comes.
 * One gateway keeps a user's bucket; the others ask it for a few tokens at a time.
 */
import { LRUCache } from "lru-cache";
import type { Peers } from "./events/peers.ts";

/** Tokens taken out of a bucket. */
interface Grant {
  tokens: number;
  /** The bucket had no more. */
  isLast: boolean;
  /** What was left in it. */
  remaining: number;
  /** Seconds until it is full, or until one more token is in it when none was. */
  resetSeconds: number;
}

export interface Allowance {
  isAllowed: boolean;
  remaining: number;
  /** Seconds until the bucket is full, or until one more request fits when none does. */
  resetSeconds: number;
}

export interface Limiter {
  policy: string;
  take(user: string): Allowance | Promise<Allowance>;
}

const USERS = 100_000;
const GRANT_MS = 1_000;
/** Of a burst. What a gateway was granted and does not use is lost to the user, so it is little. */
const GRANTED_SHARE = 0.025;

/** No limiter at all when the rate is 0. While the gateway that keeps a bucket does not answer, each counts by itself. */
export function limiter(perSecond: number, burst: number, peers: Peers): Limiter | undefined {
  if (perSecond === 0) return undefined;
  const takeOut = buckets(perSecond, burst);
  const portion = Math.max(1, Math.floor(burst * GRANTED_SHARE));
  const granted = new LRUCache<string, Grant & { until: number }>({ max: USERS });
  const asked = new Map<string, Promise<Grant | undefined>>();
  peers.answer("tokens", (user: string) => takeOut(user, portion));

  const own = (user: string): Allowance => {
    const { tokens, remaining, resetSeconds } = takeOut(user, 1);
    return { isAllowed: tokens === 1, remaining, resetSeconds };
  };

  /** Of several requests at once one asks, and the others wait for what it gets. */
  function ask(keeper: string, user: string): Promise<Grant | undefined> {
    const underWay = asked.get(user);
    if (underWay) return underWay;
    const asking = peers.ask<string, Grant>(keeper, "tokens", user).then(
      (grant) => {
        const held = { ...grant, until: performance.now() + GRANT_MS };
        granted.set(user, held);
        return held;
      },
      () => undefined,
    );
    asked.set(user, asking);
    return asking.finally(() => asked.delete(user));
  }

  async function takeFrom(keeper: string, user: string): Promise<Allowance> {
    const earlier = granted.get(user);
    let held: Grant | undefined = earlier && earlier.until > performance.now() ? earlier : undefined;
    while (!held || held.tokens === 0) {
      held = await ask(keeper, user);
      if (!held) return own(user);
      if (held.tokens === 0 && held.isLast) return { isAllowed: false, remaining: 0, resetSeconds: held.resetSeconds };
    }
    return { isAllowed: true, remaining: held.remaining + --held.tokens, resetSeconds: held.resetSeconds };
  }

  return {
    policy: `"user";q=${burst};w=${Math.ceil(burst / perSecond)}`,
    take(user) {
      const keeper = peers.keeperOf(user);
      return keeper === undefined ? own(user) : takeFrom(keeper, user);
    },
  };
}

/** Takes up to so many tokens out of a user's bucket. */
function buckets(perSecond: number, burst: number): (user: string, wanted: number) => Grant {
  const all = new LRUCache<string, { tokens: number; filledAt: number }>({ max: USERS });
  return (user, wanted) => {
    const now = performance.now();
    let bucket = all.get(user);
    if (!bucket) all.set(user, (bucket = { tokens: burst, filledAt: now }));
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.filledAt) / 1000) * perSecond);
    bucket.filledAt = now;
    const tokens = Math.min(wanted, Math.floor(bucket.tokens));
    bucket.tokens -= tokens;
    const missing = tokens > 0 ? burst - bucket.tokens : 1 - bucket.tokens;
    return { tokens, isLast: tokens < wanted, remaining: Math.floor(bucket.tokens), resetSeconds: Math.ceil(missing / perSecond) };
  };
}
