/** Comparison of the clocks of this process and of identity. */
import type { Upstream } from "../forwarding/upstream.ts";

/** Minimum time between two comparisons. */
const INTERVAL_MS = 5_000;
const TIMEOUT_MS = 3_000;

/**
 * Returns a function that tells by how many milliseconds the clock of this process is ahead of identity's, from the date of a response of
 * identity; 0 while identity does not respond.
 */
export function identityClock(identity: Upstream, path: string): () => Promise<number> {
  let comparedAt = -Infinity;
  let difference = Promise.resolve(0);

  async function compare(): Promise<number> {
    const response = await fetch(new URL(path, identity.next().origin), { method: "HEAD", redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) });
    const time = Date.parse(response.headers.get("Date") ?? "");
    return Number.isNaN(time) ? 0 : Date.now() - time;
  }

  return () => {
    if (performance.now() - comparedAt >= INTERVAL_MS) {
      comparedAt = performance.now();
      difference = compare().catch(() => 0);
    }
    return difference;
  };
}
