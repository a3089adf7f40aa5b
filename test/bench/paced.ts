/** Calls so many times at a steady pace, however long each takes; answers what they answered. */
export async function paced<T>(count: number, perSecond: number, call: () => Promise<T>): Promise<T[]> {
  const started = performance.now();
  const under: Promise<T>[] = [];
  for (let index = 0; index < count; index++) {
    const wait = started + (index * 1_000) / perSecond - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    under.push(call());
  }
  return Promise.all(under);
}
