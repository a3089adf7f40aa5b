import { expect, test } from "@jest/globals";
import { createTurns } from "./in-turn.ts";

/** Work that records its start, and ends or fails when it is told to. */
function recordedWork(log: string[], name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const work = () => {
    log.push(name);
    return promise;
  };
  return { work, end: () => resolve(name), fail: () => reject(new Error(`${name} failed`)) };
}

test("work waits for all earlier work with one of its keys, and for no other", async () => {
  const log: string[] = [];
  const inTurn = createTurns();
  const [first, second, both, other] = [recordedWork(log, "first"), recordedWork(log, "second"), recordedWork(log, "both"), recordedWork(log, "other")];
  const results = [inTurn(["a"], first.work), inTurn(["b"], second.work), inTurn(["a", "b"], both.work), inTurn(["c"], other.work)];
  other.end();
  await results[3];
  expect(log).toEqual(["first", "second", "other"]);
  first.end();
  await results[0];
  expect(log).toEqual(["first", "second", "other"]);
  second.end();
  both.end();
  expect(await Promise.all(results)).toEqual(["first", "second", "both", "other"]);
  expect(log).toEqual(["first", "second", "other", "both"]);
});

test("work that fails tells its caller and holds up nothing", async () => {
  const log: string[] = [];
  const inTurn = createTurns();
  const [failing, next] = [recordedWork(log, "failing"), recordedWork(log, "next")];
  const failed = expect(inTurn(["a"], failing.work)).rejects.toThrow("failing failed");
  const done = inTurn(["a"], next.work);
  failing.fail();
  next.end();
  await failed;
  expect(await done).toBe("next");
});
