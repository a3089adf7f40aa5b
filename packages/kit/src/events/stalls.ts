/** Detects partitions whose position does not advance although messages wait, whatever holds them up. */

export interface ObservedPartition {
  partition: number;
  /** Sequence up to which all messages are consumed. */
  sequence: number;
  /** True while messages after the sequence wait or are in progress. */
  isWaiting: boolean;
}

export interface StallDetector {
  /** Takes the current state of all partitions of this replica. */
  observe(partitions: readonly ObservedPartition[]): void;
  /** Seconds for which the longest waiting partition has been at its position; 0 without one. */
  readonly seconds: number;
}

/** Creates a detector. `now` returns the time in milliseconds. */
export function stallDetector(now = () => performance.now()): StallDetector {
  let waits = new Map<number, { sequence: number; since: number }>();
  return {
    observe(partitions) {
      const waiting = partitions.filter(({ isWaiting }) => isWaiting);
      waits = new Map(
        waiting.map(({ partition, sequence }) => {
          const wait = waits.get(partition);
          return [partition, wait?.sequence === sequence ? wait : { sequence, since: now() }];
        }),
      );
    },
    get seconds() {
      return Math.max(0, ...[...waits.values()].map(({ since }) => (now() - since) / 1_000));
    },
  };
}
