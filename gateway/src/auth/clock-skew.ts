/** Comparison of the clocks of this process and of identity. */
import type { Upstream } from "../forwarding/upstream.ts";

/** Minimum time between two comparisons. */
const INTERVAL_MS = 5_000;
const TIMEOUT_MS = 3_000;

/**
 * Returns a function that returns the lead of this process's clock over identity's in milliseconds, from the `Date` header of a response; 0 while
 * identity does not respond.
 */
export function clockSkew(identity: Upstream, path: string): () => Promise<number> {
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
