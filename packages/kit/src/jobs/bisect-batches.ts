/** Items of which both halves fail are not divided any further when they are so few. Many failing items take little more work than one by one. */
const FEW_ITEMS = 25;

type Work<T> = (batch: readonly T[]) => Promise<void>;

/**
 * Works on items a number of them at a time. A batch that fails is halved until the items that make it fail are alone, and the others are worked on.
 * Returns, in order, the items to be worked on one by one: those that fail, and some of their neighbours where many fail. A batch that fails must
 * have no effect.
 */
export async function bisectBatches<T>(items: readonly T[], size: number, work: Work<T>): Promise<T[]> {
  const remaining: T[] = [];
  for (let start = 0; start < items.length; start += size) {
    const batch = items.slice(start, start + size);
    if (await fails(batch, work)) remaining.push(...(await bisect(batch, work)));
  }
  return remaining;
}

/** Divides a batch that has failed, and returns its remaining items. */
async function bisect<T>(batch: readonly T[], work: Work<T>): Promise<readonly T[]> {
  if (batch.length === 1) return batch;
  const middle = Math.ceil(batch.length / 2);
  const [first, second] = [batch.slice(0, middle), batch.slice(middle)];
  // When the first half succeeds, the second one is the reason of the failure.
  if (!(await fails(first, work))) return bisect(second, work);
  if (!(await fails(second, work))) return bisect(first, work);
  if (batch.length <= FEW_ITEMS) return batch;
  return [...(await bisect(first, work)), ...(await bisect(second, work))];
}

const fails = <T>(batch: readonly T[], work: Work<T>): Promise<boolean> =>
  work(batch).then(
    () => false,
    () => true,
  );
