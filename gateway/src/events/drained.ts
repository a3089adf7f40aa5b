import { once } from "node:events";
import type { Writable } from "node:stream";

/** Resolves when the client has read what was written to its response, or has disconnected. Leaves no listeners. */
export async function drained(response: Writable): Promise<void> {
  if (!response.writableNeedDrain) return;
  const settled = new AbortController();
  const events = ["drain", "close"].map((event) => once(response, event, { signal: settled.signal }).catch(() => undefined));
  await Promise.race(events);
  settled.abort();
}
