import { expect, test } from "@jest/globals";
import { bisectBatches } from "./bisect-batches.ts";

/** Works on 2,000 numbers, fifty at a time, of which some fail, and returns the number of batches, what succeeded and what remains. */
async function run(isFailing: (item: number) => boolean) {
  const [done, items] = [new Set<number>(), Array.from({ length: 2_000 }, (_, index) => index)];
  let batches = 0;
  const remaining = await bisectBatches(items, 50, async (batch) => {
    batches += 1;
    if (batch.some(isFailing)) throw new Error("refused");
    for (const item of batch) done.add(item);
    return Promise.resolve();
  });
  return { batches, done: done.size, remaining };
}

test("items that all succeed take one batch for each fifty", async () => {
  expect(await run(() => false)).toEqual({ batches: 40, done: 2_000, remaining: [] });
});

test.each([0, 1, 24, 25, 49, 777, 1_999])("the item %i remains alone when it fails, after at most twelve batches more", async (failing) => {
  const { batches, done, remaining } = await run((item) => item === failing);
  expect([done, remaining]).toEqual([1_999, [failing]]);
  expect(batches).toBeLessThanOrEqual(40 + 12);
});

test("failing items of different batches remain in order, two of one batch with few others", async () => {
  expect(await run((item) => item % 701 === 3)).toMatchObject({ done: 1_997, remaining: [3, 704, 1_405] });
  const { done, remaining } = await run((item) => item === 110 || item === 140);
  expect([done, remaining]).toEqual([1_998, [110, 140]]);
});

test("items that all fail remain after at most seven batches for each fifty", async () => {
  const { batches, done, remaining } = await run(() => true);
  expect([remaining.length, done]).toEqual([2_000, 0]);
  expect(batches).toBeLessThanOrEqual(40 * 7);
});
