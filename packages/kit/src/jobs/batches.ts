/**
 * Runs work on batches of items, in a number of lanes at the same time, and returns the results in the order of the items. A batch
 * that fails does not hold up the others: after all have run, the first error is thrown.
 */
export async function runBatches<T, R>(
  items: readonly T[],
  { size, lanes = 1 }: { size: number; lanes?: number },
  work: (batch: readonly T[]) => Promise<readonly R[]>,
): Promise<R[]> {
  const batches = Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size)).entries();
  const results: (readonly R[])[] = [];
  const errors: unknown[] = [];
  const runLane = async () => {
    for (const [index, batch] of batches) results[index] = await work(batch).catch((error: unknown) => (errors.push(error), []));
  };
  await Promise.all(Array.from({ length: lanes }, runLane));
  if (errors.length > 0) throw errors[0];
  return results.flat();
}
