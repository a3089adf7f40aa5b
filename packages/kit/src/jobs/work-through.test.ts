import { expect, test } from "@jest/globals";
import { workThrough } from "./work-through.ts";

test("every item is worked on although some fail, and the failure counts them all and carries twenty of their errors", async () => {
  const worked: number[] = [];
  const run = workThrough(
    Array.from({ length: 100 }, (_, n) => n),
    async (n) => {
      worked.push(n);
      if (n % 2 === 1) throw new Error(`Item ${n} failed`);
    },
  );
  const failure = await run.then(
    () => undefined,
    (error: unknown) => error as AggregateError,
  );
  expect(worked).toHaveLength(100);
  expect(failure?.message).toBe("50 of the records could not be processed: Item 1 failed");
  expect(failure?.errors).toHaveLength(20);
});
