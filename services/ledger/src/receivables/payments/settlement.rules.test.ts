import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { Chart } from "../../chart/categories.ts";
import { sumLines, type EntryLine } from "../../journal/journal.rules.ts";
import { anOpenCharge } from "./payment.fixtures.ts";
import { applyAllocations, type AllocatableCharge } from "./payment.rules.ts";
import {
  allocationLines,
  groupBySettlementDate,
  paymentLines,
  postponedSettlementLines,
  releaseLines,
  settlementDate,
  type PayerDimensions,
} from "./settlement.rules.ts";

/** Chart whose account ids equal the codes. */
const chart: Chart = { accountId: (code) => code, findAccount: () => undefined };
const payer: PayerDimensions = { paymentId: "payment", tenantId: "payer", leaseId: null, propertyId: null, unitId: null };
/** Returns the account, the property and the net cents of each line. */
const netByProperty = (lines: readonly EntryLine[]) =>
  lines.map(({ accountId, propertyId, debitCents, creditCents }) => [accountId, propertyId, debitCents - creditCents]);
/** Allocates the whole balance of each charge. */
const allocateAll = (...charges: AllocatableCharge[]) =>
  applyAllocations(
    charges.map(({ id, balanceCents }) => ({ chargeId: id, amountCents: balanceCents })),
    charges,
    { leaseId: null, tenantId: "tenant" },
  );
const onReceipt = (...charges: AllocatableCharge[]) => ({ settled: allocateAll(...charges), postponed: [], unallocatedCents: 0 });

describe("settlementDate", () => {
  test.each([
    ["the receipt of money for an earlier charge", { dueDate: "2026-01-01" }, "2026-01-05", "2026-01-05"],
    ["the receipt for a charge of the same day", { dueDate: "2026-01-05" }, "2026-01-05", "2026-01-05"],
    ["the due date of a later charge", { dueDate: "2026-02-01" }, "2026-01-05", "2026-02-01"],
    ["the day of reopening for more than was open before", { reopenedOn: "2026-03-10", openBeforeReopeningCents: 99 }, "2026-01-05", "2026-03-10"],
    ["the receipt for what was open before the charge was reopened", { reopenedOn: "2026-03-10", openBeforeReopeningCents: 100 }, "2026-01-05", "2026-01-05"],
    ["the receipt after the charge was reopened", { reopenedOn: "2026-03-10", openBeforeReopeningCents: 0 }, "2026-04-01", "2026-04-01"],
  ])("is %s", (_, change, receivedOn, expected) => expect(settlementDate({ charge: anOpenCharge(change), amountCents: 100 }, receivedOn)).toBe(expected));

  test("groups the allocations of a payment in ascending order", () => {
    const charges = [anOpenCharge({ dueDate: "2026-03-01" }), anOpenCharge(), anOpenCharge({ dueDate: "2026-02-01" }), anOpenCharge({ dueDate: "2026-01-05" })];
    const { groups } = groupBySettlementDate(allocateAll(...charges), "2026-01-05");
    expect(groups.map(([date, group]) => [date, group.map(({ charge }) => charge.dueDate)])).toEqual([
      ["2026-01-05", ["2026-01-01", "2026-01-05"]],
      ["2026-02-01", ["2026-02-01"]],
      ["2026-03-01", ["2026-03-01"]],
    ]);
  });
});

describe("credit that was released", () => {
  test("settles charges from the day of its release, and earlier only what was available before", () => {
    const [first, second] = [anOpenCharge({ balanceCents: 60 }), anOpenCharge({ balanceCents: 60 })];
    const { groups, creditBeforeReleaseCents } = groupBySettlementDate(allocateAll(first, second), "2026-01-05", { since: "2026-03-01", beforeCents: 70 });
    expect(groups.map(([date, group]) => [date, group.map(({ charge }) => charge.id)])).toEqual([
      ["2026-01-05", [first.id]],
      ["2026-03-01", [second.id]],
    ]);
    expect(creditBeforeReleaseCents).toBe(10);
  });
});

describe("releaseLines", () => {
  test("open the charge and return the money to the payer's property", () => {
    const charge = anOpenCharge({ propertyId: "A", categoryId: "2110" });
    expect(netByProperty(releaseLines(payer, { charge, amountCents: 40 }, chart))).toEqual([
      ["2150", null, -40],
      ["1050", null, 40],
      ["1050", "A", -40],
      ["1100", "A", 40],
      ["2110", "A", -40],
      ["2100", "A", 40],
    ]);
  });
});

describe("paymentLines", () => {
  test("credit accounts receivable, and the income account on the cash basis", () => {
    const lines = paymentLines(payer, onReceipt(anOpenCharge()), chart);
    expect(lines.map(({ accountId, cashAccountId }) => [accountId, cashAccountId])).toEqual([
      ["1050", "1050"],
      ["1100", "4000"],
    ]);
  });

  test("of a deposit move the amount from due to held", () => {
    expect(netByProperty(paymentLines(payer, onReceipt(anOpenCharge({ chargeType: "deposit", categoryId: "2110" })), chart))).toEqual([
      ["1050", "property", 100],
      ["1100", "property", -100],
      ["2110", "property", 100],
      ["2100", "property", -100],
    ]);
  });

  test("split the money by the properties that it settles, and credit the rest to prepaid rent of the payer", () => {
    const settled = allocateAll(anOpenCharge({ propertyId: "A" }), anOpenCharge({ propertyId: "B", balanceCents: 30 }), anOpenCharge({ propertyId: "A" }));
    expect(netByProperty(paymentLines(payer, { settled, postponed: [], unallocatedCents: 70 }, chart))).toEqual([
      ["1050", "A", 200],
      ["1050", "B", 30],
      ["1050", null, 70],
      ["1100", "A", -100],
      ["1100", "B", -30],
      ["1100", "A", -100],
      ["2150", null, -70],
    ]);
  });

  test("settle with the lease, tenant and unit of the charge, not those of the payer", () => {
    const charge = anOpenCharge();
    const [money, settlement] = paymentLines(payer, onReceipt(charge), chart);
    expect(money).toMatchObject({ accountId: "1050", paymentId: "payment", leaseId: null, tenantId: "payer", propertyId: "property", unitId: null });
    expect(money).not.toHaveProperty("chargeId");
    const ofCharge = { chargeId: charge.id, leaseId: "lease", tenantId: "tenant", propertyId: "property", unitId: "unit" };
    expect(settlement).toMatchObject({ accountId: "1100", paymentId: "payment", ...ofCharge });
  });

  test("hold money for a postponed settlement as prepaid rent of the payer at the property of the charge", () => {
    const postponed = allocateAll(anOpenCharge({ propertyId: "A" }));
    const lines = paymentLines(payer, { settled: [], postponed, unallocatedCents: 0 }, chart);
    expect(netByProperty(lines)).toEqual([
      ["1050", "A", 100],
      ["2150", "A", -100],
    ]);
    expect(lines[1]).toMatchObject({ tenantId: "payer", leaseId: null });
    expect(netByProperty(postponedSettlementLines(payer, postponed, chart))).toEqual([
      ["2150", "A", 100],
      ["1100", "A", -100],
    ]);
  });
});

describe("allocationLines", () => {
  test("take prepaid rent of the payer and move its money to the properties that it settles", () => {
    const allocations = allocateAll(anOpenCharge({ propertyId: "A" }), anOpenCharge({ propertyId: "B", balanceCents: 30 }));
    expect(netByProperty(allocationLines(payer, allocations, chart))).toEqual([
      ["2150", null, 130],
      ["1050", null, -100],
      ["1050", "A", 100],
      ["1050", null, -30],
      ["1050", "B", 30],
      ["1100", "A", -100],
      ["1100", "B", -30],
    ]);
  });

  test("move no money within the payer's property", () => {
    const atProperty = { ...payer, propertyId: "property", unitId: "unit" };
    expect(netByProperty(allocationLines(atProperty, allocateAll(anOpenCharge()), chart))).toEqual([
      ["2150", "property", 100],
      ["1100", "property", -100],
    ]);
  });
});

test("the lines of payments, postponed settlements and allocations balance in each property", () => {
  const arbitraryCharge = fc
    .record({ propertyId: fc.constantFrom("A", "B", "C"), balanceCents: fc.integer({ min: 1, max: 500 }), categoryId: fc.constantFrom("4000", "2110") })
    .map(anOpenCharge);
  const arbitraryCharges = fc.array(arbitraryCharge, { maxLength: 5 });
  fc.assert(
    fc.property(
      arbitraryCharges,
      arbitraryCharges,
      fc.integer({ min: 1, max: 500 }),
      fc.constantFrom("A", null),
      (due, later, unallocatedCents, propertyId) => {
        const [settled, postponed, dimensions] = [allocateAll(...due), allocateAll(...later), { ...payer, propertyId }];
        const entries = [
          paymentLines(dimensions, { settled, postponed, unallocatedCents }, chart),
          postponedSettlementLines(dimensions, postponed, chart),
          ...(settled.length > 0 ? [allocationLines(dimensions, settled, chart)] : []),
        ];
        for (const lines of entries)
          for (const property of ["A", "B", "C", null]) {
            const { debitCents, creditCents } = sumLines(lines.filter((line) => line.propertyId === property));
            expect(debitCents).toBe(creditCents);
          }
      },
    ),
  );
});
