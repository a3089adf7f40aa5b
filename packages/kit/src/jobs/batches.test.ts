import { describe, expect, test } from "@jest/globals";
import { runBatches } from "./batches.ts";

describe("runBatches", () => {
  test("returns the results in the order of the items, from any number of lanes", async () => {
    const work = async (batch: readonly number[]) => {
      if (batch.includes(1)) await new Promise((resolve) => setImmediate(resolve));
      return batch.map((item) => item * 10);
    };
    for (const lanes of [1, 2, 5]) expect(await runBatches([1, 2, 3, 4, 5], { size: 2, lanes }, work)).toEqual([10, 20, 30, 40, 50]);
    expect(await runBatches([], { size: 2 }, work)).toEqual([]);
  });

  test("runs the other batches before it throws the first error", async () => {
    const done: number[] = [];
    const work = (batch: readonly number[]) => {
      if (batch[0] === 1) return Promise.reject(new Error("first"));
      done.push(...batch);
      return Promise.resolve(batch);
    };
    await expect(runBatches([1, 2, 3, 4], { size: 1 }, work)).rejects.toThrow("first");
    expect(done).toEqual([2, 3, 4]);
  });
});
