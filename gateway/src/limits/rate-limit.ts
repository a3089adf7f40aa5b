/**
 * Rate limits per user, per network address for requests without a user, and per webhook receiver: token buckets with a sustained rate and a burst, shared
 * by all gateways. One gateway owns a bucket; the others request small grants of tokens from it.
 */
import { rateLimited } from "@freehold/kit/errors";
import type { Response } from "express";
import { LRUCache } from "lru-cache";
import type { Peers } from "../events/peers.ts";

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
  /** Name in the `RateLimit` headers, of what the limiter counts by. */
  name: "user" | "address" | "receiver";
  policy: string;
  take(key: string): Allowance | Promise<Allowance>;
}

export interface RateLimiters {
  user: RateLimiter;
  address: RateLimiter;
  receiver: RateLimiter;
}

/** Sustained requests per second and burst of a user or an address, and events per second of a webhook receiver. */
export interface RateLimits {
  perSecond: number;
  burst: number;
  webhooksPerSecond: number;
}

const MAX_BUCKETS = 100_000;
const GRANT_MS = 1_000;
/** Part of the burst in one grant. Unused tokens of a grant are lost, so grants are small. */
const GRANT_FRACTION = 0.025;

/** Creates the rate limiters; undefined when the rate is 0. While the owner of a bucket does not respond, each gateway counts on its own. */
export function rateLimiters({ perSecond, burst, webhooksPerSecond }: RateLimits, peers: Peers): RateLimiters | undefined {
  if (perSecond === 0) return undefined;
  return {
    user: rateLimiter("user", { perSecond, burst }, peers),
    address: rateLimiter("address", { perSecond, burst }, peers),
    receiver: rateLimiter("receiver", { perSecond: webhooksPerSecond, burst: Math.max(burst, 2 * webhooksPerSecond) }, peers),
  };
}

function rateLimiter(name: RateLimiter["name"], { perSecond, burst }: { perSecond: number; burst: number }, peers: Peers): RateLimiter {
  const takeTokens = tokenBuckets(perSecond, burst);
  const grantSize = Math.max(1, Math.floor(burst * GRANT_FRACTION));
  const grants = new LRUCache<string, Grant & { until: number }>({ max: MAX_BUCKETS });
  const pendingGrants = new Map<string, Promise<Grant | undefined>>();
  const call = `${name}-tokens`;
  peers.register(call, (key: string) => takeTokens(key, grantSize));

  const takeLocally = (key: string): Allowance => {
    const { tokens, remaining, resetSeconds } = takeTokens(key, 1);
    return { isAllowed: tokens === 1, remaining, resetSeconds };
  };

  /** Requests a grant from the owner of the bucket; concurrent requests of a bucket share one call. */
  function requestGrant(owner: string, key: string): Promise<Grant | undefined> {
    const pending = pendingGrants.get(key);
    if (pending) return pending;
    const granted = peers.call<string, Grant>(owner, call, key).then(
      (tokens) => {
        const grant = { ...tokens, until: performance.now() + GRANT_MS };
        grants.set(key, grant);
        return grant;
      },
      () => undefined,
    );
    pendingGrants.set(key, granted);
    return granted.finally(() => pendingGrants.delete(key));
  }

  async function takeRemotely(owner: string, key: string): Promise<Allowance> {
    const cached = grants.get(key);
    let grant: Grant | undefined = cached && cached.until > performance.now() ? cached : undefined;
    while (!grant || grant.tokens === 0) {
      grant = await requestGrant(owner, key);
      if (!grant) return takeLocally(key);
      if (grant.tokens === 0 && grant.isLast) return { isAllowed: false, remaining: 0, resetSeconds: grant.resetSeconds };
    }
    return { isAllowed: true, remaining: grant.remaining + --grant.tokens, resetSeconds: grant.resetSeconds };
  }

  return {
    name,
    policy: `"${name}";q=${burst};w=${Math.ceil(burst / perSecond)}`,
    take(key) {
      const owner = peers.ownerOf(key);
      return owner === undefined ? takeLocally(key) : takeRemotely(owner, key);
    },
  };
}

/** Takes a request from the limit of a user or an address and sets the `RateLimit` headers. Throws 429 when none is left. */
export async function requireWithinRateLimit(limiter: RateLimiter, key: string, res: Response): Promise<void> {
  const { isAllowed, remaining, resetSeconds } = await limiter.take(key);
  res.setHeader("RateLimit-Policy", limiter.policy);
  res.setHeader("RateLimit", `"${limiter.name}";r=${remaining};t=${resetSeconds}`);
  if (!isAllowed) throw rateLimited(resetSeconds);
}

/** Creates the buckets of a limiter, and returns the function that takes up to `wanted` tokens from one of them. */
function tokenBuckets(perSecond: number, burst: number): (key: string, wanted: number) => Grant {
  const buckets = new LRUCache<string, { tokens: number; filledAt: number }>({ max: MAX_BUCKETS });
  return (key, wanted) => {
    const now = performance.now();
    let bucket = buckets.get(key);
    if (!bucket) buckets.set(key, (bucket = { tokens: burst, filledAt: now }));
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.filledAt) / 1000) * perSecond);
    bucket.filledAt = now;
    const tokens = Math.min(wanted, Math.floor(bucket.tokens));
    bucket.tokens -= tokens;
    const missing = tokens > 0 ? burst - bucket.tokens : 1 - bucket.tokens;
    return { tokens, isLast: tokens < wanted, remaining: Math.floor(bucket.tokens), resetSeconds: Math.ceil(missing / perSecond) };
  };
}
