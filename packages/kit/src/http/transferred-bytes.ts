/**
 * Collects the buffers of transferred files. Buffers lie outside V8's heap, and V8 lets 64 MiB of unused ones accumulate before
 * it collects them: without this, the resident set of a process grows twice as much during transfers (`BENCH_ONLY=documents`).
 */
import { collectGarbage } from "../runtime/garbage-collection.ts";

const COLLECT_EVERY_BYTES = 8 * 1_048_576;

let uncollectedBytes = 0;

/** Counts transferred bytes. Every 8 MiB, a minor garbage collection frees unused buffers, which takes less than a millisecond. */
export function countTransferred({ length }: { length: number }): void {
  uncollectedBytes += length;
  if (uncollectedBytes < COLLECT_EVERY_BYTES) return;
  uncollectedBytes = 0;
  collectGarbage("minor");
}
