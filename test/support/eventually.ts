import { setTimeout as sleep } from "node:timers/promises";

type Awaitable<T> = T | Promise<T>;

/** Default timeout. It exceeds the last minute of a day, in which scheduled jobs wait for the next day. */
export const EVENTUALLY_TIMEOUT_MS = 150_000;

/** Polls until the result is neither undefined nor false and returns it; services are eventually consistent. Throws after the timeout. */
export async function eventually<T>(
  description: string,
  poll: () => Awaitable<T | undefined | false>,
  timeoutMs = EVENTUALLY_TIMEOUT_MS,
): Promise<Exclude<T, undefined | false>> {
  for (const deadline = Date.now() + timeoutMs; ;) {
    const result = await poll();
    if (result !== undefined && result !== false) return result as Exclude<T, undefined | false>;
    if (Date.now() > deadline) throw new Error(`No ${description} within ${timeoutMs / 1000} s.`);
    await sleep(50);
  }
}

/** Repeats a request while it is refused with 503, because it waited too long for a lock. */
export const retryWhileUnavailable = <R extends { status: number }>(send: () => Promise<R>): Promise<R> =>
  eventually("response other than 503", async () => {
    const response = await send();
    return response.status !== 503 && response;
  });
