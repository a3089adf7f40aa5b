import { rateLimited } from "@freehold/kit/errors";
import pLimit from "p-limit";

/** Runs a task when a slot is free. */
export type BoundedQueue = <T>(work: () => Promise<T>) => Promise<T>;

/** Creates a queue that runs `concurrency` tasks at once and holds at most `maxPending` more. Throws a 429 when it is full. */
export function boundedQueue(concurrency: number, maxPending: number): BoundedQueue {
  const limit = pLimit(concurrency);
  return async (work) => {
    if (limit.activeCount + limit.pendingCount >= concurrency + maxPending) throw rateLimited(1);
    return limit(work);
  };
}
