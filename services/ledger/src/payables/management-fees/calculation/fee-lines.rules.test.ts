import { describe, expect, test } from "@jest/globals";
import { feeLines, withOwners, type Agreement, type BaseItem, type PropertyFacts } from "./fee-lines.rules.ts";

const anAgreement = (terms: object = {}): Agreement =>
  ({
    id: "agreement",
    effectiveFrom: "2026-01-01",
    effectiveTo: null,
    feeType: "percent_of_collected",
    percentBps: 1_000,
    flatCents: null,
    minimumCents: null,
    maximumCents: null,
    waiveWhenVacant: false,
    includedChargeTypes: ["rent"],
    managerKeepsChargeTypes: [],
    leasingFee: null,
    renewalFee: null,
    categoryId: "5040",
    ...terms,
  }) as Agreement;

let nextId = 0;
const collected = (day: string, amountCents: number, change: Partial<BaseItem> = {}): BaseItem => {
  const id = `${++nextId}`;
  return {
    chargeId: `charge ${id}`,
    chargeType: "rent",
    paymentId: `payment ${id}`,
    allocationId: `allocation ${id}`,
    creditId: null,
    day,
    dueDate: day,
    amountCents,
    ...change,
  };
};
const billed = (day: string, amountCents: number, chargeType = "rent"): BaseItem =>
  collected(day, amountCents, { paymentId: null, allocationId: null, chargeType });
const leased = { marketRentCents: 100_000, leases: [{ startDate: "2020-01-01", lastDay: null }] };

/** Fee of 10 % that a run has charged for a month. */
const chargedIn = (month: string, baseCents: number, amountCents: number, limits: object = {}) => ({
  agreementId: "agreement",
  month,
  baseCents,
  computedCents: baseCents / 10,
  amountCents,
  isWaived: false,
  rate: { percentBps: 1_000, minimumCents: null, maximumCents: null, ...limits },
  periodStart: month,
  periodEnd: month.replace(/01$/, "28"),
});

const compute = (agreements: Agreement[], facts: Partial<PropertyFacts> = {}, periodStart = "2026-03-01", periodEnd = "2026-03-31") =>
  feeLines(
    { propertyId: "property", agreements, items: [], charged: [], units: [leased], startedLeases: [], ownershipChanges: [], ...facts },
    { periodStart, periodEnd },
  );
const amounts = (...args: Parameters<typeof compute>) => compute(...args).map(({ kind, month, amountCents }) => [kind, month.slice(0, 7), amountCents]);

describe("feeLines", () => {
  test("charge a share of what settled the included charges in each month, with the amounts that they count", () => {
    const items = [
      collected("2026-03-01", 50_005),
      collected("2026-03-31", 40_000),
      collected("2026-03-10", 9_000, { chargeType: "utility" }),
      billed("2026-03-01", 1),
    ];
    expect(compute([anAgreement()], { items })).toEqual([
      {
        propertyId: "property",
        agreementId: "agreement",
        categoryId: "5040",
        kind: "management",
        month: "2026-03-01",
        leaseId: null,
        ownedOn: null,
        baseCents: 90_005,
        computedCents: 9_001,
        minimumApplied: false,
        maximumApplied: false,
        isWaived: false,
        amountCents: 9_001,
        rate: { percentBps: 1_000, minimumCents: null, maximumCents: null, days: 31 },
        base: items.slice(0, 2),
      },
    ]);
  });

  test("are those of the owners on the due dates of the charges, and add up to the fee of the whole base", () => {
    const items = [
      collected("2026-03-20", 10_004, { dueDate: "2026-02-01" }),
      collected("2026-03-05", 10_004, { dueDate: "2026-03-01" }),
      collected("2026-03-20", 10_007),
    ];
    const lines = compute([anAgreement()], { items, ownershipChanges: ["2026-02-15", "2026-03-10", "2026-04-01"] });
    expect(lines.map(({ ownedOn, baseCents, amountCents }) => [ownedOn, baseCents, amountCents])).toEqual([
      [null, 10_007, 1_001],
      ["2026-02-14", 10_004, 1_000],
      ["2026-03-09", 10_004, 1_001],
    ]);
  });

  test("that are charged before the day of a sale name the owners of the end of the period", () => {
    const [line] = compute([anAgreement({ feeType: "flat_per_month", flatCents: 10_000 })], { ownershipChanges: ["2026-03-20"] });
    const days = ["2026-03-10", "2026-03-20"].map((incurredOn) =>
      withOwners(line!, ["2026-03-20"], incurredOn, { periodStart: "2026-03-01", periodEnd: "2026-03-31" }),
    );
    expect(days.map(({ ownedOn }) => ownedOn)).toEqual(["2026-03-31", null]);
  });

  test("of the buyer are corrected, although a correction for the seller has to wait", () => {
    const items = [collected("2026-03-20", -100_000, { dueDate: "2026-02-01" }), collected("2026-03-20", 100_000), collected("2026-03-21", -30_000)];
    const lines = compute([anAgreement()], { items, ownershipChanges: ["2026-03-10"] });
    expect(lines.map(({ ownedOn, amountCents }) => [ownedOn, amountCents])).toEqual([[null, 7_000]]);
  });

  test("apply the minimum and the maximum once a month, whoever owned the property", () => {
    const items = [collected("2026-03-05", 40_000), collected("2026-03-20", 20_000)];
    const ownedFees = (limits: object) =>
      compute([anAgreement(limits)], { items, ownershipChanges: ["2026-03-10"] }).map(({ ownedOn, amountCents }) => [ownedOn, amountCents]);
    expect(ownedFees({ minimumCents: 10_000 })).toEqual([
      [null, 6_000],
      ["2026-03-09", 4_000],
    ]);
    expect(ownedFees({ maximumCents: 5_000 }).reduce((sum, [, cents]) => sum + Number(cents), 0)).toBe(5_000);
  });

  test("of a vacant month are waived for earlier owners as well", () => {
    const items = [collected("2026-03-20", 40_000, { dueDate: "2026-02-01" })];
    const lines = compute([anAgreement({ waiveWhenVacant: true })], { items, units: [], ownershipChanges: ["2026-03-10"] });
    expect(lines.map(({ isWaived, amountCents }) => [isWaived, amountCents])).toEqual([
      [true, 0],
      [true, 0],
    ]);
  });

  test("apply the minimum and the maximum once a month, not to each payment or to the period", () => {
    const agreement = anAgreement({ minimumCents: 6_000, maximumCents: 10_000 });
    const items = [collected("2026-01-05", 20_000), collected("2026-01-06", 30_000), collected("2026-02-05", 80_000), collected("2026-03-05", 200_000)];
    expect(amounts([agreement], { items }, "2026-01-01", "2026-03-31")).toEqual([
      ["management", "2026-01", 6_000],
      ["management", "2026-02", 8_000],
      ["management", "2026-03", 10_000],
    ]);
  });

  test("prorate flat amounts, the minimum and the maximum by the days of a part of a month, and no share of money", () => {
    const february = ["2026-02-15", "2026-02-28"] as const;
    // 14 of 28 days.
    expect(amounts([anAgreement({ feeType: "flat_per_month", percentBps: null, flatCents: 9_999 })], {}, ...february)).toEqual([
      ["management", "2026-02", 5_000],
    ]);
    expect(amounts([anAgreement({ minimumCents: 9_000 })], {}, ...february)).toEqual([["management", "2026-02", 4_500]]);
    expect(amounts([anAgreement()], { items: [collected("2026-02-20", 80_000)] }, ...february)).toEqual([["management", "2026-02", 8_000]]);
    // 14 of 29 days of a leap year: 9,999 × 14 / 29 = 4,827.1.
    expect(
      amounts([anAgreement({ effectiveFrom: "2020-01-01", feeType: "flat_per_month", percentBps: null, flatCents: 9_999 })], {}, "2024-02-16", "2024-02-29"),
    ).toEqual([["management", "2024-02", 4_827]]);
  });

  test("charge each amount by the agreement of its day when another one follows within the month", () => {
    const agreements = [
      anAgreement({ id: "old", effectiveTo: "2026-03-10", minimumCents: 3_100 }),
      anAgreement({ id: "new", effectiveFrom: "2026-03-11", percentBps: 500 }),
    ];
    const items = [collected("2026-03-10", 40_000), collected("2026-03-11", 40_000)];
    expect(compute(agreements, { items }).map(({ agreementId, amountCents }) => [agreementId, amountCents])).toEqual([
      ["old", 4_000],
      ["new", 2_000],
    ]);
    // 10 of 31 days of the minimum.
    expect(amounts(agreements)).toEqual([
      ["management", "2026-03", 1_000],
      ["management", "2026-03", 0],
    ]);
  });

  test("charge billed amounts, an amount for each unit, and a share of the market rents", () => {
    const items = [billed("2026-03-01", 100_000), billed("2026-03-01", 7_000, "parking"), collected("2026-03-02", 90_000)];
    expect(amounts([anAgreement({ feeType: "percent_of_billed" })], { items })).toEqual([["management", "2026-03", 10_000]]);
    expect(amounts([anAgreement({ feeType: "flat_per_unit", percentBps: null, flatCents: 2_500 })], { units: [leased, leased, leased] })).toEqual([
      ["management", "2026-03", 7_500],
    ]);
    const units = [leased, { marketRentCents: 123_455, leases: [] }];
    expect(amounts([anAgreement({ feeType: "percent_of_market_rent", percentBps: 700 })], { units })).toEqual([["management", "2026-03", 15_642]]);
  });

  test("are waived in a month without a leased day, not in one with a single leased day", () => {
    const agreement = anAgreement({ feeType: "flat_per_month", percentBps: null, flatCents: 5_000, minimumCents: 5_000, waiveWhenVacant: true });
    const leaseOn = (startDate: string, lastDay: string | null) => ({ units: [{ marketRentCents: 0, leases: [{ startDate, lastDay }] }] });
    expect(compute([agreement], leaseOn("2025-01-01", "2026-02-28"))).toMatchObject([{ amountCents: 0, isWaived: true, minimumApplied: false }]);
    expect(compute([agreement], leaseOn("2026-04-01", null))).toMatchObject([{ amountCents: 0, isWaived: true }]);
    expect(compute([agreement], leaseOn("2025-01-01", "2026-03-01"))).toMatchObject([{ amountCents: 5_000, isWaived: false }]);
    expect(compute([agreement], leaseOn("2026-03-31", null))).toMatchObject([{ amountCents: 5_000, isWaived: false }]);
    expect(compute([{ ...agreement, waiveWhenVacant: false }], leaseOn("2026-04-01", null))).toMatchObject([{ amountCents: 5_000, isWaived: false }]);
  });

  test("keep all that is collected of charges that the manager keeps, beside the fee", () => {
    const agreement = anAgreement({ managerKeepsChargeTypes: ["late_fee"], maximumCents: 1_000 });
    const items = [collected("2026-03-05", 50_000), collected("2026-03-06", 2_500, { chargeType: "late_fee" }), billed("2026-03-06", 9_000, "late_fee")];
    expect(amounts([agreement], { items })).toEqual([
      ["management", "2026-03", 1_000],
      ["kept", "2026-03", 2_500],
    ]);
  });

  test("charge leases that start and renewals that take over in the period", () => {
    const agreement = anAgreement({
      leasingFee: { type: "percent_first_month", bps: 5_000, cents: null },
      renewalFee: { type: "flat", bps: null, cents: 20_000 },
    });
    const startedLeases = [
      { id: "first", startDate: "2026-03-31", isRenewal: false, rentCents: 100_001 },
      { id: "renewal", startDate: "2026-03-01", isRenewal: true, rentCents: 100_000 },
      { id: "later", startDate: "2026-04-01", isRenewal: false, rentCents: 100_000 },
    ];
    expect(compute([agreement], { startedLeases }).map(({ kind, leaseId, baseCents, amountCents }) => [kind, leaseId, baseCents, amountCents])).toEqual([
      ["management", null, 0, 0],
      ["leasing", "first", 100_001, 50_001],
      ["renewal", "renewal", 20_000, 20_000],
    ]);
  });

  test("count amounts that an earlier run has not counted in their own month, also after the end of their agreement", () => {
    const agreements = [
      anAgreement({ id: "old", effectiveTo: "2026-01-31", minimumCents: 9_999 }),
      anAgreement({ id: "new", effectiveFrom: "2026-02-01", percentBps: 500 }),
    ];
    const items = [collected("2026-01-31", 10_000), collected("2026-02-28", 10_000), collected("2026-03-05", 10_000)];
    expect(compute(agreements, { items }).map(({ agreementId, month, baseCents, amountCents }) => [agreementId, month, baseCents, amountCents])).toEqual([
      ["old", "2026-01-01", 10_000, 1_000],
      ["new", "2026-02-01", 10_000, 500],
      ["new", "2026-03-01", 10_000, 500],
    ]);
  });

  test("take out what no longer settles a charge, unless too little is charged", () => {
    const correction = collected("2026-02-05", -50_000);
    const charged = [chargedIn("2026-02-01", 50_000, 5_000)];
    expect(amounts([anAgreement()], { items: [correction, collected("2026-03-05", 80_000)], charged })).toEqual([
      ["management", "2026-02", -5_000],
      ["management", "2026-03", 8_000],
    ]);
    expect(compute([anAgreement()], { items: [correction, collected("2026-03-05", 40_000)], charged })).toMatchObject([
      { amountCents: 4_000, base: [{ amountCents: 40_000 }] },
    ]);
  });

  test("of a month that is waived leave a correction of an earlier one to a later run", () => {
    const [correction, late] = [collected("2026-02-05", -50_000), collected("2026-03-05", 9_000)];
    const vacant = { units: [], charged: [chargedIn("2026-02-01", 50_000, 5_000)] };
    const agreement = anAgreement({ waiveWhenVacant: true });
    expect(compute([agreement], { ...vacant, items: [correction, late] })).toMatchObject([{ month: "2026-03-01", isWaived: true, base: [late] }]);
    const kept = collected("2026-03-05", 6_000, { chargeType: "late_fee" });
    const lines = compute([{ ...agreement, managerKeepsChargeTypes: ["late_fee"] }], { ...vacant, items: [correction, kept] });
    expect(lines.map(({ kind, isWaived, amountCents }) => [kind, isWaived, amountCents])).toEqual([
      ["management", false, -5_000],
      ["management", true, 0],
      ["kept", false, 6_000],
    ]);
  });

  test("waive what is counted later for a month that was waived, also when it no longer settles a charge", () => {
    const charged = [{ ...chargedIn("2026-02-01", 50_000, 0), isWaived: true, rate: null }];
    const [late, correction] = [collected("2026-02-05", 7_000), collected("2026-02-06", -50_000)];
    const lines = compute([anAgreement()], { items: [late, correction, collected("2026-03-05", 80_000)], charged });
    expect(lines.map(({ month, isWaived, amountCents, base }) => [month, isWaived, amountCents, base.length])).toEqual([
      ["2026-02-01", true, 0, 2],
      ["2026-03-01", false, 8_000, 1],
    ]);
  });

  test("charge a month its maximum and its minimum once, however many runs charge it", () => {
    const agreement = anAgreement({ minimumCents: 3_100, maximumCents: 8_000 });
    const charged = [{ ...chargedIn("2026-03-01", 0, 1_000, { minimumCents: 3_100, maximumCents: 8_000, days: 10 }), periodEnd: "2026-03-10" }];
    const rest = (amountCents: number) => amounts([agreement], { items: [collected("2026-03-20", amountCents)], charged }, "2026-03-11", "2026-03-31");
    expect(rest(10_000)).toEqual([["management", "2026-03", 2_100]]);
    expect(rest(50_000)).toEqual([["management", "2026-03", 4_000]]);
    expect(rest(200_000)).toEqual([["management", "2026-03", 7_000]]);
  });

  test("are none on days without an agreement", () => {
    expect(compute([anAgreement({ effectiveTo: "2026-02-28" })])).toEqual([]);
    expect(compute([anAgreement({ effectiveFrom: "2026-04-01" })], { items: [collected("2026-03-05", 100)] })).toEqual([]);
  });
});
