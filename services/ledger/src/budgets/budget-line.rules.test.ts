import { describe, expect, test } from "@jest/globals";
import { adjustLines, budgetLines, roundedQuotient } from "./budget-line.rules.ts";

const lineOf = (...amountsCents: bigint[]) => ({ categoryId: "rent", amountsCents, note: null });
const adjusted = (cents: bigint, adjustBps: number) => adjustLines([lineOf(cents)], adjustBps)[0]!.amountsCents[0];

describe("roundedQuotient", () => {
  test.each([
    [7n, 2n, 4n],
    [-7n, 2n, -4n],
    [5n, 3n, 2n],
    [4n, 3n, 1n],
    [-4n, 3n, -1n],
    [0n, 3n, 0n],
  ])("rounds %s / %s to %s, a half away from zero", (numerator, denominator, quotient) => expect(roundedQuotient(numerator, denominator)).toBe(quotient));
});

describe("adjustLines", () => {
  test.each([
    [100_000n, 300, 103_000n],
    [100_000n, -500, 95_000n],
    // 3 % of 150 cents are 4.5 cents.
    [150n, 300, 155n],
    [149n, 300, 153n],
    [-150n, 300, -155n],
    [150n, 0, 150n],
    [150n, -10_000, 0n],
    [9_007_199_254_740_991n, 0, 9_007_199_254_740_991n],
  ])("changes %s by %s basis points to %s", (cents, adjustBps, result) => expect(adjusted(cents, adjustBps)).toBe(result));
});

describe("budgetLines", () => {
  test("gives each line its id", () =>
    expect(budgetLines([lineOf(1n, -2n)], ["a"], "lines")).toEqual([{ id: "a", categoryId: "rent", amountsCents: [1, -2], note: null }]));

  test("refuses amounts whose magnitudes add up to more than the largest safe integer", () => {
    const largest = BigInt(Number.MAX_SAFE_INTEGER);
    expect(budgetLines([lineOf(largest)], ["a"], "lines")[0]!.amountsCents).toEqual([Number.MAX_SAFE_INTEGER]);
    for (const lines of [[lineOf(largest, 1n)], [lineOf(largest), lineOf(-1n)]])
      expect(() => budgetLines(lines, ["a", "b"], "adjustBps")).toThrow(
        expect.objectContaining({ status: 400, errors: [expect.objectContaining({ path: "adjustBps", code: "sum_exceeded" })] }),
      );
  });
});
