import { describe, expect, test } from "@jest/globals";
import { requireWholeShares } from "./ownership.rules.ts";

const sharesOf = (...parts: number[]) => parts.map((shareBps, index) => ({ ownerId: `owner ${index}`, shareBps }));

function errorsOf(shares: ReturnType<typeof sharesOf>): unknown {
  try {
    requireWholeShares(shares);
    return undefined;
  } catch (error) {
    return (error as { errors: unknown }).errors;
  }
}

describe("requireWholeShares", () => {
  test.each([[[10_000]], [[5_000, 5_000]], [[3_333, 3_333, 3_334]], [[9_999, 1]]])("accepts %j", (parts) => {
    expect(errorsOf(sharesOf(...parts))).toBeUndefined();
  });

  test.each([[[9_999]], [[5_000, 5_001]], [[3_333, 3_333, 3_333]]])("refuses %j, which does not add up to 10,000", (parts) => {
    expect(errorsOf(sharesOf(...parts))).toEqual([expect.objectContaining({ path: "shares", code: "mismatch" })]);
  });

  test("refuses two shares of one owner", () => {
    const [share] = sharesOf(5_000);
    expect(errorsOf([share!, share!])).toEqual([expect.objectContaining({ path: "shares.1.ownerId", code: "unique" })]);
  });
});
