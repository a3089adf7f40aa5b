import { describe, expect, test } from "@jest/globals";
import { chargedPart, limitFees, lowerFees, type MonthPart } from "./month-limits.rules.ts";

/** Part of January at 10 % of the base under an agreement that applies on some of its days. */
const part = (agreementId: string, baseCents: number, days: number, minimumCents: number | null, maximumCents: number | null = null): MonthPart => ({
  agreementId,
  percentBps: 1_000,
  baseCents,
  fixedCents: 0,
  limits: days === 0 ? null : { minimumCents, maximumCents, days, daysInMonth: 31 },
});
const amountsOf = (...args: Parameters<typeof limitFees>) => limitFees(...args).map(({ amountCents }) => amountCents);
const charge = (parts: readonly MonthPart[]) => parts.map((each, index) => ({ ...each, amountCents: limitFees(parts, [])[index]!.amountCents }));

describe("the fee of a month", () => {
  test("has the minimum once when an agreement follows another", () => {
    expect(amountsOf([part("a", 100_000, 15, 5_000), part("b", 0, 16, 5_000)], [])).toEqual([10_000, 0]);
    expect(amountsOf([part("a", 0, 15, 5_000), part("b", 30_000, 16, 5_000)], [])).toEqual([2_000, 3_000]);
    // 31.00 for 10 of 31 days and 62.00 for 21 of them are 52.00.
    expect(amountsOf([part("a", 0, 10, 3_100), part("b", 0, 21, 6_200)], [])).toEqual([1_000, 4_200]);
  });

  test("has the maximum once when an agreement is renewed, and no agreement gives more than its own", () => {
    expect(amountsOf([part("a", 100_000, 15, null, 8_000), part("b", 0, 16, null, 8_000)], [])).toEqual([8_000, 0]);
    // Both are cut in proportion.
    expect(amountsOf([part("a", 60_000, 15, null, 8_000), part("b", 60_000, 16, null, 8_000)], [])).toEqual([4_000, 4_000]);
    expect(amountsOf([part("a", 60_000, 15, null, 8_001), part("b", 30_000, 16, null, 8_001)], [])).toEqual([5_334, 2_667]);
    // 31.00 for 15 and 310.00 for 16 days are 175.00 together, but the first agreement gives 31.00 at most.
    expect(amountsOf([part("a", 100_000, 15, null, 3_100), part("b", 100_000, 16, null, 31_000)], [])).toEqual([3_100, 10_000]);
  });

  test("is not limited by an agreement for the money of another without a maximum", () => {
    // 31.00 for 10 of 31 days are 10.00.
    expect(amountsOf([part("a", 20_000, 10, null, 3_100), part("b", 90_000, 21, null)], [])).toEqual([1_000, 9_000]);
  });

  test("rounds a share once for the whole month", () => {
    expect(amountsOf([part("a", 5, 15, null), part("b", 5, 16, null)], [])).toEqual([1, 0]);
  });

  test("is charged less what earlier runs have charged, and given back when they have charged too much", () => {
    const charged = charge([part("a", 100_000, 31, 5_000, 8_000)]);
    expect(limitFees([part("a", 50_000, 0, null)], charged)).toEqual([{ computedCents: 5_000, amountCents: 0, minimumApplied: false, maximumApplied: true }]);
    expect(amountsOf([part("a", -10_000, 0, null)], charged)).toEqual([0]);
    expect(amountsOf([part("a", -40_000, 0, null)], charged)).toEqual([-2_000]);
    expect(amountsOf([part("a", -100_000, 0, null)], charged)).toEqual([-3_000]);
  });
});

describe("the fee of a month without an amount", () => {
  test("is lower by what the rest of the base is charged less, not below the minimum", () => {
    expect(lowerFees(charge([part("a", 120_000, 31, 5_000, 15_000)]), 0, 20_000)).toEqual([2_000]);
    expect(lowerFees(charge([part("a", 60_000, 31, 5_000, 15_000)]), 0, 60_000)).toEqual([1_000]);
    expect(lowerFees(charge([part("a", 300_000, 31, 5_000, 15_000)]), 0, 100_000)).toEqual([0]);
  });

  test("is lower by the fees of the other agreements where that of the amount has been cut off", () => {
    const charged = charge([part("a", 100_000, 15, null, 8_000), part("b", 50_000, 16, null, 8_000)]);
    expect(charged.map(({ amountCents }) => amountCents)).toEqual([4_924, 3_076]);
    expect(lowerFees(charged, 0, 100_000)).toEqual([3_000, 0]);
    expect(lowerFees(charged, 1, 50_000)).toEqual([0, 0]);
    const without = charged.map((each, index) => (index === 0 ? { ...each, baseCents: 0, amountCents: 1_924 } : each));
    expect(lowerFees(without, 1, 50_000)).toEqual([1_924, 3_076]);
  });

  test("leaves no cent when everything is taken out in parts, whatever the parts round to", () => {
    const whole = { ...part("a", 100, 31, null), percentBps: 333 };
    const fee = { ...whole, amountCents: limitFees([whole], [])[0]!.amountCents };
    for (const cents of [33, 33, 34]) {
      fee.amountCents -= lowerFees([fee], 0, cents)[0]!;
      fee.baseCents -= cents;
    }
    expect(fee).toMatchObject({ baseCents: 0, amountCents: 0 });
  });

  test("is not lower when it was waived, and keeps limits that were stored prorated", () => {
    const stored = { agreementId: "a", month: "2026-01-01", baseCents: 100_000, computedCents: 10_000 };
    expect(lowerFees([chargedPart({ ...stored, amountCents: 0, isWaived: true, rate: null })], 0, 100_000)).toEqual([0]);
    const rate = { percentBps: 1_000, minimumCents: 4_000, maximumCents: null };
    expect(lowerFees([chargedPart({ ...stored, amountCents: 10_000, isWaived: false, rate })], 0, 100_000)).toEqual([6_000]);
  });
});
