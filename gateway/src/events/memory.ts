/** The newest events, for clients that come back after a moment: they are told what they missed without asking NATS. */
import type { Streamed } from "./hub.ts";

const KEPT = 5_000;

export interface Memory {
  keep(streamed: Streamed): void;
  /** An organization's events after a sequence, oldest first; undefined when it reaches further back than what is kept. */
  since(organizationId: string, after: number): Streamed[] | undefined;
  /** Begins anew: nothing is known up to this sequence. */
  forget(upTo: number): void;
}

export function memory(): Memory {
  let kept: Streamed[] = [];
  /** Everything after it is here. */
  let known = 0;

  /** Where the events after a sequence begin. */
  function placeAfter(sequence: number): number {
    let [low, high] = [0, kept.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (kept[middle]!.sequence > sequence) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  return {
    keep(streamed) {
      kept.push(streamed);
      if (kept.length < 2 * KEPT) return;
      known = kept[KEPT - 1]!.sequence;
      kept = kept.slice(KEPT);
    },
    since(organizationId, after) {
      if (after < known) return undefined;
      return kept.slice(placeAfter(after)).filter(({ event }) => event.organizationId === organizationId);
    },
    forget(upTo) {
      kept = [];
      known = upTo;
    },
  };
}
