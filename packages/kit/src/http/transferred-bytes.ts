/**
 * Collects the buffers of transferred files. Buffers lie outside V8's heap, and V8 lets 64 MiB of unused ones accumulate before
 * it collects them: without this, the resident set of a process grows twice as much during transfers (`BENCH_ONLY=documents`).
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const COLLECT_EVERY_BYTES = 8 * 1_048_576;

type CollectGarbage = (options: { type: "minor" }) => void;
let collectGarbage: CollectGarbage | undefined;
let uncollectedBytes = 0;

/** Counts transferred bytes. Every 8 MiB, a minor garbage collection frees unused buffers, which takes less than a millisecond. */
export function countTransferred({ length }: { length: number }): void {
  uncollectedBytes += length;
  if (uncollectedBytes < COLLECT_EVERY_BYTES) return;
  uncollectedBytes = 0;
  collectGarbage ??= exposeGarbageCollector();
  collectGarbage({ type: "minor" });
}

/** Returns V8's garbage collector, which V8 exposes to contexts that are created while the flag is set. */
function exposeGarbageCollector(): CollectGarbage {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as CollectGarbage;
  setFlagsFromString("--no-expose-gc");
  return gc;
}
