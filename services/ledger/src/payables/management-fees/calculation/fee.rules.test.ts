import { describe, expect, test } from "@jest/globals";
import { clampFee, feeOf, feeWithout, percentOf, prorateByDays, proratedPercentOf } from "./fee.rules.ts";

describe("percentOf", () => {
  test.each([
    // 8 % of 1,000.00 is 80.00; of 1,000.06 it is 80.0048; of 1,000.07 it is 80.0056.
    [100_000, 800, 8_000],
    [100_006, 800, 8_000],
    [100_007, 800, 8_001],
    // Exactly half a cent rounds up: 10 % of 5 cents is 0.5 cents.
    [5, 1_000, 1],
    [4, 1_000, 0],
    [15, 1_000, 2],
    // A correction is rounded like the amount that it takes back.
    [-5, 1_000, -1],
    [0, 1_000, 0],
    // The largest amount at the full rate is exact.
    [Number.MAX_SAFE_INTEGER, 10_000, Number.MAX_SAFE_INTEGER],
  ])("%i cents at %i basis points are %i cents", (cents, bps, expected) => {
    expect(percentOf(cents, bps)).toBe(expected);
  });
});

describe("prorateByDays", () => {
  test.each([
    // 100.00 for 10 of 31 days is 32.258; for 10 of 28 days 35.714; for 10 of 29 days of a leap year 34.483.
    [10_000, 10, 31, 3_226],
    [10_000, 10, 28, 3_571],
    [10_000, 10, 29, 3_448],
    [10_000, 31, 31, 10_000],
    [10_000, 0, 31, 0],
    // Exactly half a cent: 1 cent for 15 of 30 days.
    [1, 15, 30, 1],
    [1, 14, 30, 0],
  ])("%i cents for %i of %i days are %i cents", (cents, days, daysInMonth, expected) => {
    expect(prorateByDays(cents, { days, daysInMonth })).toBe(expected);
  });

  test("of a share rounds once", () => {
    // 10 % of 0.15 is 1.5 cents, half of which is 0.75 cents. Rounding twice would also give 1.
    expect(proratedPercentOf(15, 1_000, { days: 15, daysInMonth: 30 })).toBe(1);
    // 10 % of 0.09 is 0.9 cents, half of it is 0.45. Rounding twice would give 1, then 1 cent.
    expect(proratedPercentOf(9, 1_000, { days: 15, daysInMonth: 30 })).toBe(0);
  });
});

describe("clampFee", () => {
  test.each([
    [5_000, 7_500, null, 7_500, true, false],
    [7_500, 7_500, null, 7_500, false, false],
    [12_000, 7_500, 10_000, 10_000, false, true],
    [10_000, null, 10_000, 10_000, false, false],
    [0, null, null, 0, false, false],
    [50, 100, 100, 100, true, false],
  ])("%i between %s and %s is %i", (computedCents, minimumCents, maximumCents, amountCents, minimumApplied, maximumApplied) => {
    expect(clampFee(computedCents, { minimumCents, maximumCents })).toEqual({ amountCents, minimumApplied, maximumApplied });
  });
});

describe("feeWithout", () => {
  const rate = { percentBps: 1_000, minimumCents: 5_000, maximumCents: 15_000 };

  test("lowers the fee by what the rest of the base is charged less", () => {
    expect(feeWithout({ baseCents: 120_000, amountCents: 12_000, rate }, 20_000)).toMatchObject({
      baseCents: 100_000,
      amountCents: 10_000,
      loweredCents: 2_000,
    });
  });

  test("keeps the minimum of the month, and a fee at its maximum while the rest reaches it", () => {
    expect(feeWithout({ baseCents: 60_000, amountCents: 6_000, rate }, 60_000)).toMatchObject({ amountCents: 5_000, loweredCents: 1_000 });
    expect(feeWithout({ baseCents: 300_000, amountCents: 15_000, rate }, 100_000)).toMatchObject({ amountCents: 15_000, loweredCents: 0 });
  });

  test("leaves no cent when everything is taken out in parts, whatever the parts round to", () => {
    const free = { percentBps: 333, minimumCents: null, maximumCents: null };
    let fee: Parameters<typeof feeWithout>[0] = { baseCents: 100, amountCents: feeOf(free, 100).amountCents, rate: free };
    for (const part of [33, 33, 34]) fee = feeWithout(fee, part);
    expect(fee).toMatchObject({ baseCents: 0, amountCents: 0 });
  });

  test("does not lower a waived fee or raise one", () => {
    expect(feeWithout({ baseCents: 100, amountCents: 0, rate: null }, 100)).toMatchObject({ amountCents: 0, loweredCents: 0 });
    expect(feeWithout({ baseCents: 100, amountCents: 10, rate }, 0)).toMatchObject({ amountCents: 10, loweredCents: 0 });
  });
});
