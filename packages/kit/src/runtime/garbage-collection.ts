/** Garbage collection at moments that V8 does not choose by itself: after transfers of files, and while a process is idle. */
import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

type CollectGarbage = (options: { type: "minor" | "major" }) => void;
let exposed: CollectGarbage | undefined;

/** Runs V8's garbage collector, which V8 exposes to contexts that are created while the flag is set. */
export function collectGarbage(type: "minor" | "major"): void {
  if (!exposed) {
    setFlagsFromString("--expose-gc");
    exposed = runInNewContext("gc") as CollectGarbage;
    setFlagsFromString("--no-expose-gc");
  }
  exposed({ type });
}

const CHECK_MS = 30_000;
/** Share of the time in which an idle process works: its timers and polls. */
const IDLE_SHARE = 0.1;
/** A collection takes about a tenth of a second, so it is rare and needs something to collect. */
const MIN_GROWTH_BYTES = 8 * 1_048_576;
const MIN_CHECKS_BETWEEN = 10;

interface IdleProcess {
  /** Returns the share of the time since the last call in which the process worked, from 0 to 1. */
  workedShare(): number;
  /** Returns the bytes of V8's heap and of the buffers outside of it. */
  heldBytes(): number;
  collect(): void;
}

function currentProcess(): IdleProcess {
  let last = performance.eventLoopUtilization();
  return {
    workedShare: () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    heldBytes: () => {
      const { heapTotal, arrayBuffers } = process.memoryUsage();
      return heapTotal + arrayBuffers;
    },
    collect: () => collectGarbage("major"),
  };
}

/**
 * Returns a function that is called regularly, and collects the garbage of a process that was idle since the last call and holds more than after
 * the last collection, at most every five minutes. V8 collects only when a process allocates, so an idle one keeps the garbage of its start
 * and of its last work: half of its memory.
 */
export function idleCollector({ workedShare, heldBytes, collect }: IdleProcess = currentProcess()): () => void {
  let heldAfterLast = 0;
  let checksSinceLast = MIN_CHECKS_BETWEEN;
  return () => {
    checksSinceLast += 1;
    if (workedShare() > IDLE_SHARE || checksSinceLast < MIN_CHECKS_BETWEEN || heldBytes() - heldAfterLast < MIN_GROWTH_BYTES) return;
    collect();
    heldAfterLast = heldBytes();
    checksSinceLast = 0;
  };
}

/** Collects the garbage of this process whenever it has become idle. */
export function collectWhenIdle(): void {
  setInterval(idleCollector(), CHECK_MS).unref();
}
