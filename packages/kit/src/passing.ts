/**
 * Bytes of files on their way through a process. Their buffers lie outside of V8's heap, which lets 64 MiB of dead ones
 * gather before it looks for them: whoever passes files on says how much went by, and the dead are collected soon.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const COLLECT_EVERY = 8 * 1_048_576;

type Collect = (how: { type: "minor" }) => void;
let collect: Collect | undefined;
let passed = 0;

/** Notes that so many bytes went by; after every eight MiB those that nobody holds are let go of, which takes less than a millisecond. */
export function wentBy(bytes: number): void {
  passed += bytes;
  if (passed < COLLECT_EVERY) return;
  passed = 0;
  collect ??= collector();
  collect({ type: "minor" });
}

/** V8's own collector, which it shows to a context that is made while the flag is set. */
function collector(): Collect {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as Collect;
  setFlagsFromString("--no-expose-gc");
  return collect;
}
