/** Collects concurrent calls into batches. */

interface Waiting<Input, Result> {
  input: Input;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

interface BatchLimits {
  /** Largest number of calls in a batch. */
  maxSize: number;
  /** Number of calls up to which a batch is not divided among the free lanes. */
  undividedSize: number;
  /** Largest number of batches that run at the same time. */
  lanes: number;
}

/**
 * Returns a function whose calls run in batches: those of one turn of the event loop, and those that arrive while every lane is
 * busy. They are divided evenly among the free lanes; a lone call runs at the end of its turn. `run` returns the results in the
 * order of the inputs; its error rejects all calls of the batch.
 */
export function createBatcher<Input, Result>(
  { maxSize, undividedSize, lanes }: BatchLimits,
  run: (inputs: readonly Input[]) => Promise<readonly Result[]>,
): (input: Input) => Promise<Result> {
  const waiting: Waiting<Input, Result>[] = [];
  let busyLanes = 0;
  let isScheduled = false;

  const schedule = () => {
    if (isScheduled || busyLanes === lanes || waiting.length === 0) return;
    isScheduled = true;
    setImmediate(startBatches);
  };
  const startBatches = () => {
    isScheduled = false;
    while (busyLanes < lanes && waiting.length > 0) {
      const share = Math.ceil(waiting.length / (lanes - busyLanes));
      busyLanes++;
      void runBatch(waiting.splice(0, Math.min(Math.max(share, undividedSize), maxSize)));
    }
  };
  const runBatch = async (batch: readonly Waiting<Input, Result>[]) => {
    try {
      const results = await run(batch.map(({ input }) => input));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      busyLanes--;
      schedule();
    }
  };

  return (input) =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject });
      schedule();
    });
}
