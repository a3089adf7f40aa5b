import { limited } from "@freehold/kit/errors";

export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs so many pieces of work at once; so many more wait their turn, and beyond that the caller reads 429. */
export function inTurn(atOnce: number, mayWait: number): InTurn {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running < atOnce) running++;
    else if (waiting.length >= mayWait) throw limited(1);
    // Whoever leaves hands its place over, so nobody can slip in between.
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
