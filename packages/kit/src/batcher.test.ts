import { describe, expect, test } from "@jest/globals";
import { createBatcher } from "./batcher.ts";

/** Returns a batcher whose batches end when the test ends them, and the batches that have started. */
function aBatcher(limits: { maxSize: number; undividedSize: number; lanes: number }) {
  const started: { inputs: readonly number[]; end: (error?: Error) => void }[] = [];
  const call = createBatcher(
    limits,
    (inputs: readonly number[]) =>
      new Promise<number[]>((resolve, reject) => {
        started.push({ inputs, end: (error) => (error ? reject(error) : resolve(inputs.map((input) => input * 10))) });
      }),
  );
  return { call, started, batches: () => started.map(({ inputs }) => inputs) };
}

const nextTurn = () => new Promise((resolve) => void setImmediate(() => setImmediate(resolve)));

describe("a batcher", () => {
  test("runs the calls of one turn together and returns to each its own result", async () => {
    const { call, started, batches } = aBatcher({ maxSize: 10, undividedSize: 10, lanes: 2 });
    const results = Promise.all([call(1), call(2), call(3)]);
    await nextTurn();
    expect(batches()).toEqual([[1, 2, 3]]);
    started[0]!.end();
    expect(await results).toEqual([10, 20, 30]);
  });

  test("divides the calls evenly among the free lanes, at most maxSize to a batch, and leaves up to undividedSize calls in one batch", async () => {
    const { call, batches } = aBatcher({ maxSize: 4, undividedSize: 2, lanes: 2 });
    for (const input of [1, 2, 3, 4, 5, 6]) void call(input);
    await nextTurn();
    expect(batches()).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    const small = aBatcher({ maxSize: 4, undividedSize: 2, lanes: 2 });
    void small.call(1);
    void small.call(2);
    await nextTurn();
    expect(small.batches()).toEqual([[1, 2]]);
  });

  test("collects the calls that arrive while every lane is busy", async () => {
    const { call, started, batches } = aBatcher({ maxSize: 3, undividedSize: 3, lanes: 1 });
    for (const input of [1, 2, 3, 4]) void call(input);
    await nextTurn();
    void call(5);
    await nextTurn();
    expect(batches()).toEqual([[1, 2, 3]]);
    started[0]!.end();
    await nextTurn();
    expect(batches()).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
  });

  test("rejects the calls of a failed batch and runs the next one", async () => {
    const { call, started } = aBatcher({ maxSize: 1, undividedSize: 1, lanes: 1 });
    const [first, second] = [call(1), call(2)];
    const rejection = expect(first).rejects.toThrow("broken");
    await nextTurn();
    started[0]!.end(new Error("broken"));
    await rejection;
    await nextTurn();
    started[1]!.end();
    expect(await second).toBe(20);
  });
});
