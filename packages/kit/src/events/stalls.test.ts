import { expect, test } from "@jest/globals";
import { stallDetector } from "./stalls.ts";

const waiting = (partition: number, sequence: number) => ({ partition, sequence, isWaiting: true });

test("a partition stalls while messages wait and its position does not advance", () => {
  let now = 0;
  const stalls = stallDetector(() => now);
  stalls.observe([waiting(0, 10), waiting(1, 5)]);
  now = 30_000;
  stalls.observe([waiting(0, 11), waiting(1, 5)]);
  now = 70_000;
  expect(stalls.seconds).toBe(70);
  stalls.observe([waiting(0, 11), waiting(1, 6)]);
  expect(stalls.seconds).toBe(40);
});

test("a partition without waiting messages, or of another replica, does not stall", () => {
  let now = 0;
  const stalls = stallDetector(() => now);
  stalls.observe([waiting(0, 10), waiting(1, 5)]);
  now = 90_000;
  stalls.observe([{ partition: 0, sequence: 10, isWaiting: false }]);
  expect(stalls.seconds).toBe(0);
});
