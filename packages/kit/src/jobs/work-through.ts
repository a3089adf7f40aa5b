/** A log line stays readable, and within what collectors of logs accept, although each error has a stack trace. */
const MAX_NAMED_ERRORS = 20;

/**
 * Works on the items one after the other, also after one has failed, so that it does not hold up the others. Then throws the first errors and
 * the count of all: the job is reported as failed and runs again.
 */
export async function workThrough<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const errors: unknown[] = [];
  let failed = 0;
  for (const item of items)
    await work(item).catch((error: unknown) => {
      failed += 1;
      if (errors.length < MAX_NAMED_ERRORS) errors.push(error);
    });
  if (failed > 0) throw new AggregateError(errors, `${failed} of the records could not be processed: ${(errors[0] as Error).message}`);
}
