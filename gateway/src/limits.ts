/** A token bucket for each user: a steady rate and a burst above it. */
import { Recent } from "@freehold/kit/scope";

interface Bucket {
  tokens: number;
  filledAt: number;
}

export interface Allowance {
  isAllowed: boolean;
  remaining: number;
  /** Seconds until the bucket is full, or until one more request fits when none does. */
  resetSeconds: number;
}

export interface Limiter {
  policy: string;
  take(user: string): Allowance;
}

/** No limiter at all when the rate is 0. */
export function limiter(perSecond: number, burst: number): Limiter | undefined {
  if (perSecond === 0) return undefined;
  const buckets = new Recent<Bucket>(100_000);
  return {
    policy: `"user";q=${burst};w=${Math.ceil(burst / perSecond)}`,
    take(user) {
      const now = performance.now();
      let bucket = buckets.get(user);
      if (!bucket) buckets.set(user, (bucket = { tokens: burst, filledAt: now }));
      bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.filledAt) / 1000) * perSecond);
      bucket.filledAt = now;
      const isAllowed = bucket.tokens >= 1;
      if (isAllowed) bucket.tokens -= 1;
      const missing = isAllowed ? burst - bucket.tokens : 1 - bucket.tokens;
      return { isAllowed, remaining: Math.floor(bucket.tokens), resetSeconds: Math.ceil(missing / perSecond) };
    },
  };
}
