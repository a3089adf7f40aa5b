import { expect, test } from "@jest/globals";
import { nextRunIn, secondsUntil } from "./run-delay.ts";

const HOUR_SECONDS = 3_600;

test.each([
  { description: "in an hour", seconds: HOUR_SECONDS, delay: HOUR_SECONDS },
  { description: "now", seconds: 0, delay: 0 },
  { description: "a day ago", seconds: -24 * HOUR_SECONDS, delay: 1 },
  { description: "in two years", seconds: 2 * 365 * 24 * HOUR_SECONDS, delay: 25 * HOUR_SECONDS },
])("a job that asks to run $description runs after $delay s", ({ seconds, delay }) => {
  expect(Math.abs(secondsUntil(new Date(Date.now() + seconds * 1_000)) - delay)).toBeLessThan(1);
});

test.each([
  { description: "work that is due in an hour", seconds: HOUR_SECONDS, delay: HOUR_SECONDS },
  { description: "work that has been due for a day", seconds: -24 * HOUR_SECONDS, delay: 1 },
  { description: "work that is due after the longest delay", seconds: 10 * HOUR_SECONDS, delay: 2 * HOUR_SECONDS },
  { description: "no work", seconds: null, delay: 2 * HOUR_SECONDS },
])("a job with $description runs after $delay s", ({ seconds, delay }) => {
  expect(Math.abs(secondsUntil(nextRunIn(seconds, 2 * HOUR_SECONDS * 1_000)) - delay)).toBeLessThan(1);
});
