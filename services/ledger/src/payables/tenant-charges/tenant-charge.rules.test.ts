import { expect, test } from "@jest/globals";
import { withMarkup } from "./tenant-charge.rules.ts";

test.each([
  [1_005, 1_000, 1_106],
  [1_004, 1_000, 1_104],
  [10_000, 0, 10_000],
  [1, 4_999, 1],
  [1, 5_000, 2],
  [3, 5_000, 5],
  [333, 333, 344],
  [9_007_199_254_740_991, 0, 9_007_199_254_740_991],
])("%i cents with a mark-up of %i basis points are %i cents, rounded half up", (amountCents, markupBps, cents) => {
  expect(withMarkup(amountCents, markupBps)).toBe(cents);
});

test("an amount with a mark-up beyond the largest integer is refused with a 400 that names the mark-up", () => {
  expect(() => withMarkup(9_007_199_254_740_991, 1)).toThrow(
    expect.objectContaining({ status: 400, errors: [expect.objectContaining({ path: "markupBps" })] }),
  );
});
