import { describe, expect, test } from "@jest/globals";
import { requireWholeShares } from "./ownership.rules.ts";

const shares = (...parts: number[]) => parts.map((shareBps, index) => ({ ownerId: `owner ${index}`, shareBps }));

function refusalOf(given: ReturnType<typeof shares>): unknown {
  try {
    requireWholeShares(given);
    return undefined;
  } catch (error) {
    return (error as { errors: unknown }).errors;
  }
}

describe("the shares of a property", () => {
  test.each([[[10_000]], [[5_000, 5_000]], [[3_333, 3_333, 3_334]], [[9_999, 1]]])("may be %j", (parts) => {
    expect(refusalOf(shares(...parts))).toBeUndefined();
  });

  test.each([[[9_999]], [[5_000, 5_001]], [[3_333, 3_333, 3_333]]])("must come to the whole, so may not be %j", (parts) => {
    expect(refusalOf(shares(...parts))).toEqual([expect.objectContaining({ path: "shares", code: "mismatch" })]);
  });

  test("belong to owners who are named once", () => {
    const [one] = shares(5_000);
    expect(refusalOf([one!, one!])).toEqual([expect.objectContaining({ path: "shares.1.ownerId", code: "unique" })]);
  });
});
