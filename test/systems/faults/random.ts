/** Seeded random number generator. */
export interface Random {
  /** Returns a number in [0, 1). */
  next(): number;
  /** Returns an integer in [0, bound). */
  integerBelow(bound: number): number;
  /** Returns the items in random order. */
  shuffle<T>(items: readonly T[]): T[];
}

/** Creates a generator whose seed determines the sequence. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  // Mulberry32.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const integerBelow = (bound: number) => Math.floor(next() * bound);
  return {
    next,
    integerBelow,
    shuffle(items) {
      const remaining = [...items];
      return items.map(() => remaining.splice(integerBelow(remaining.length), 1)[0]!);
    },
  };
}
