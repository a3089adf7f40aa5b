/**
 * Rate limit per user: a token bucket with a sustained rate and a burst, shared by all gateways. One gateway owns a user's
 * bucket; the others request small grants of tokens from it.
 */
import { rateLimited } from "@freehold/kit/errors";
import type { Response } from "express";
import { LRUCache } from "lru-cache";
import type { Peers } from "./events/peers.ts";

/** Tokens taken from a bucket. */
interface Grant {
  tokens: number;
  /** Set when the bucket had fewer tokens than requested. */
  isLast: boolean;
  /** Tokens left in the bucket. */
  remaining: number;
  /** Seconds until the bucket is full, or until its next token when it granted none. */
  resetSeconds: number;
}

export interface Allowance {
  isAllowed: boolean;
  remaining: number;
  /** Seconds until the bucket is full, or until the next request is allowed when none is. */
  resetSeconds: number;
}

export interface RateLimiter {
  policy: string;
  take(userId: string): Allowance | Promise<Allowance>;
}

const MAX_USERS = 100_000;
const GRANT_MS = 1_000;
/** Part of the burst in one grant. Unused tokens of a grant are lost to the user, so grants are small. */
const GRANT_FRACTION = 0.025;

/** Creates the rate limiter; undefined when the rate is 0. While the owner of a bucket does not respond, each gateway counts on its own. */
export function rateLimiter(perSecond: number, burst: number, peers: Peers): RateLimiter | undefined {
  if (perSecond === 0) return undefined;
  const takeTokens = tokenBuckets(perSecond, burst);
  const grantSize = Math.max(1, Math.floor(burst * GRANT_FRACTION));
  const grants = new LRUCache<string, Grant & { until: number }>({ max: MAX_USERS });
  const pendingGrants = new Map<string, Promise<Grant | undefined>>();
  peers.register("tokens", (userId: string) => takeTokens(userId, grantSize));

  const takeLocally = (userId: string): Allowance => {
    const { tokens, remaining, resetSeconds } = takeTokens(userId, 1);
    return { isAllowed: tokens === 1, remaining, resetSeconds };
  };

  /** Requests a grant from the owner of the bucket; concurrent requests of a user share one call. */
  function requestGrant(owner: string, userId: string): Promise<Grant | undefined> {
    const pending = pendingGrants.get(userId);
    if (pending) return pending;
    const call = peers.call<string, Grant>(owner, "tokens", userId).then(
      (granted) => {
        const grant = { ...granted, until: performance.now() + GRANT_MS };
        grants.set(userId, grant);
        return grant;
      },
      () => undefined,
    );
    pendingGrants.set(userId, call);
    return call.finally(() => pendingGrants.delete(userId));
  }

  async function takeRemotely(owner: string, userId: string): Promise<Allowance> {
    const cached = grants.get(userId);
    let grant: Grant | undefined = cached && cached.until > performance.now() ? cached : undefined;
    while (!grant || grant.tokens === 0) {
      grant = await requestGrant(owner, userId);
      if (!grant) return takeLocally(userId);
      if (grant.tokens === 0 && grant.isLast) return { isAllowed: false, remaining: 0, resetSeconds: grant.resetSeconds };
    }
    return { isAllowed: true, remaining: grant.remaining + --grant.tokens, resetSeconds: grant.resetSeconds };
  }

  return {
    policy: `"user";q=${burst};w=${Math.ceil(burst / perSecond)}`,
    take(userId) {
      const owner = peers.ownerOf(userId);
      return owner === undefined ? takeLocally(userId) : takeRemotely(owner, userId);
    },
  };
}

/** Takes a request from the user's limit and sets the `RateLimit` headers. Throws 429 when none is left. */
export async function requireWithinRateLimit(limiter: RateLimiter, userId: string, res: Response): Promise<void> {
  const { isAllowed, remaining, resetSeconds } = await limiter.take(userId);
  res.setHeader("RateLimit-Policy", limiter.policy);
  res.setHeader("RateLimit", `"user";r=${remaining};t=${resetSeconds}`);
  if (!isAllowed) throw rateLimited(resetSeconds);
}

/** Creates the buckets of all users, and returns the function that takes up to `wanted` tokens from one of them. */
function tokenBuckets(perSecond: number, burst: number): (userId: string, wanted: number) => Grant {
  const buckets = new LRUCache<string, { tokens: number; filledAt: number }>({ max: MAX_USERS });
  return (userId, wanted) => {
    const now = performance.now();
    let bucket = buckets.get(userId);
    if (!bucket) buckets.set(userId, (bucket = { tokens: burst, filledAt: now }));
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.filledAt) / 1000) * perSecond);
    bucket.filledAt = now;
    const tokens = Math.min(wanted, Math.floor(bucket.tokens));
    bucket.tokens -= tokens;
    const missing = tokens > 0 ? burst - bucket.tokens : 1 - bucket.tokens;
    return { tokens, isLast: tokens < wanted, remaining: Math.floor(bucket.tokens), resetSeconds: Math.ceil(missing / perSecond) };
  };
}
