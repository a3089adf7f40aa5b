/** Work of this process that must not run at the same time. */

/** Runs work after all earlier work with one of its keys has ended, and returns its result. */
export type InTurn = <T>(keys: readonly string[], work: () => Promise<T>) => Promise<T>;

/**
 * Creates an `InTurn` with keys of its own. Work that failed holds up nothing. Work must not wait for further work with one of its own keys.
 * Replicas do not wait for each other, so it saves repeated work and replaces no lock.
 */
export function createTurns(): InTurn {
  const last = new Map<string, Promise<unknown>>();
  return async (keys, work) => {
    const turn = Promise.allSettled(keys.flatMap((key) => last.get(key) ?? [])).then(work);
    for (const key of keys) last.set(key, turn);
    try {
      return await turn;
    } finally {
      for (const key of keys) if (last.get(key) === turn) last.delete(key);
    }
  };
}
