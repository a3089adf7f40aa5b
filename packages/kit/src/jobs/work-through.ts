/**
 * Works on the items one after the other, also after one has failed, so that it does not hold up the others. Then throws the errors: the job
 * is reported as failed and runs again.
 */
export async function workThrough<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const errors: unknown[] = [];
  for (const item of items) await work(item).catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} of the records could not be processed: ${(errors[0] as Error).message}`);
}
