/** Calls a function at a steady rate, independent of the duration of the calls, and returns the results. */
export async function paced<T>(count: number, perSecond: number, call: () => Promise<T>): Promise<T[]> {
  const started = performance.now();
  const pending: Promise<T>[] = [];
  for (let index = 0; index < count; index++) {
    const wait = started + (index * 1_000) / perSecond - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    pending.push(call());
  }
  return Promise.all(pending);
}
