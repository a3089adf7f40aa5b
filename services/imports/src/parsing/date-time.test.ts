import { expect, test } from "@jest/globals";
import { parseDateTime } from "./date-time.ts";

test.each([
  ["06/05/2026 10:00 AM", "2026-06-05T10:00"],
  ["06/05/2026 12:30 p.m.", "2026-06-05T12:30"],
  ["2026-06-05T14:05:30", "2026-06-05T14:05"],
  ["2026-06-05T14:05:30.000Z", "2026-06-05T14:05Z"],
  ["2026-06-05 14:05 +0200", "2026-06-05T14:05+02:00"],
  ["06/05/2026", "2026-06-05"],
  ["06/05/2026 12:00 AM", "2026-06-05"],
  ["06/05/2026 00:00:00", "2026-06-05"],
])("%s is %s", (text, expected) => {
  expect(parseDateTime(text)).toMatchObject({ value: expected });
});

test("a text that is no date is none with a time either", () => {
  expect(parseDateTime("tomorrow 10:00 AM")).toHaveProperty("problem");
});
