/** Starts calls at a constant rate without waiting for earlier ones, and returns all their results. */
export async function runAtRate<T>(count: number, perSecond: number, call: () => Promise<T>): Promise<T[]> {
  const started = performance.now();
  const pending: Promise<T>[] = [];
  for (let index = 0; index < count; index++) {
    const wait = started + (index * 1_000) / perSecond - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    pending.push(call());
  }
  return Promise.all(pending);
}
