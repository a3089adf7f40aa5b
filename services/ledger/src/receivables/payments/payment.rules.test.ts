import { describe, expect, test } from "@jest/globals";
import { paymentStatuses } from "@freehold/contract/payments";
import fc from "fast-check";
import type { Chart } from "../../chart/categories.ts";
import { totals } from "../../journal/journal.rules.ts";
import { allocateOldestFirst, applyAllocations, paymentFlow, prepaidLine, settlementLines, unallocated, type OpenCharge } from "./payment.rules.ts";

const allowed = new Set(["pending received", "pending failed", "received reversed", "received refunded"]);
/** A chart in which every account's id is its code. */
const chart: Chart = { idOf: (code) => code, find: () => undefined };
const payer = { leaseId: "lease", tenantId: "tenant" };

let number = 0;
const anOpenCharge = (change: Partial<OpenCharge> = {}): OpenCharge => {
  const balanceCents = change.balanceCents ?? 100;
  const id = `charge-${String(++number).padStart(6, "0")}`;
  return {
    id,
    leaseId: "lease",
    tenantId: "tenant",
    chargeType: "rent",
    categoryId: "4000",
    dueDate: "2026-01-01",
    amountCents: balanceCents,
    allocatedCents: 0,
    creditedCents: 0,
    balanceCents,
    status: "pending",
    ...change,
  };
};
const refusal = (path: string, code: string) => expect.objectContaining({ status: 400, errors: [expect.objectContaining({ path, code })] });

describe("paymentFlow", () => {
  test.each(paymentStatuses.flatMap((from) => paymentStatuses.map((to) => [from, to] as const)))("from %s to %s", (from, to) => {
    if (allowed.has(`${from} ${to}`)) expect(paymentFlow.transition(from, to)).toBe(to);
    else expect(() => paymentFlow.transition(from, to)).toThrow(expect.objectContaining({ status: 409, code: "invalid_transition" }));
  });
});

describe("unallocated", () => {
  test("is what the allocations leave", () => {
    expect(unallocated(100, [])).toBe(100);
    expect(
      unallocated(100, [
        { chargeId: "a", amountCents: 60 },
        { chargeId: "b", amountCents: 40 },
      ]),
    ).toBe(0);
  });
  test("refuses one cent more than there is", () => {
    expect(() => unallocated(100, [{ chargeId: "a", amountCents: 101 }])).toThrow(refusal("allocations", "sum_exceeded"));
  });
});

describe("allocateOldestFirst", () => {
  const order = ["rent", "fee", "deposit"];
  const ids = (charges: OpenCharge[], cents: number) => allocateOldestFirst(charges, cents, order).map(({ chargeId, amountCents }) => [chargeId, amountCents]);

  test("goes by due date, then by the organization's order, what it does not name last", () => {
    const [pet, deposit, fee, rent, older] = [
      anOpenCharge({ chargeType: "pet" }),
      anOpenCharge({ chargeType: "deposit" }),
      anOpenCharge({ chargeType: "fee" }),
      anOpenCharge({ chargeType: "rent" }),
      anOpenCharge({ chargeType: "pet", dueDate: "2025-12-31" }),
    ];
    expect(ids([pet, deposit, fee, rent, older], 1_000).map(([id]) => id)).toEqual([older.id, rent.id, fee.id, deposit.id, pet.id]);
  });

  test("stops when the money is used up, and leaves settled charges alone", () => {
    const [first, settled, second, third] = [anOpenCharge(), anOpenCharge({ balanceCents: 0 }), anOpenCharge(), anOpenCharge()];
    expect(ids([first, settled, second, third], 130)).toEqual([
      [first.id, 100],
      [second.id, 30],
    ]);
    expect(ids([first], 0)).toEqual([]);
  });

  const someCharges = fc.array(
    fc
      .record({ balanceCents: fc.nat(500), dueDate: fc.integer({ min: 1, max: 28 }), chargeType: fc.constantFrom("rent", "fee", "deposit", "pet") })
      .map(({ dueDate, ...charge }) => anOpenCharge({ ...charge, dueDate: `2026-01-${String(dueDate).padStart(2, "0")}` })),
    { maxLength: 12 },
  );

  test("never takes more than is open of a charge or left of the payment, and takes all it can", () => {
    fc.assert(
      fc.property(someCharges, fc.nat(3_000), (charges, available) => {
        const allocations = allocateOldestFirst(charges, available, order);
        for (const { chargeId, amountCents } of allocations) {
          expect(amountCents).toBeGreaterThan(0);
          expect(amountCents).toBeLessThanOrEqual(charges.find(({ id }) => id === chargeId)!.balanceCents);
        }
        const open = charges.reduce((sum, { balanceCents }) => sum + balanceCents, 0);
        expect(available - unallocated(available, allocations)).toBe(Math.min(open, available));
        expect(new Set(allocations.map(({ chargeId }) => chargeId)).size).toBe(allocations.length);
      }),
    );
  });

  test("pays nothing of a charge while an older one is open", () => {
    fc.assert(
      fc.property(someCharges, fc.nat(3_000), (charges, available) => {
        const taken = new Map(allocateOldestFirst(charges, available, order).map(({ chargeId, amountCents }) => [chargeId, amountCents]));
        const open = charges.filter(({ id, balanceCents }) => (taken.get(id) ?? 0) < balanceCents).map(({ dueDate }) => dueDate);
        for (const { id, dueDate } of charges) if (taken.has(id)) expect(open.every((each) => each >= dueDate)).toBe(true);
      }),
    );
  });

  test("says the same whatever order the charges come in", () => {
    fc.assert(
      fc.property(someCharges, fc.nat(3_000), (charges, available) => {
        expect(allocateOldestFirst([...charges].reverse(), available, order)).toEqual(allocateOldestFirst(charges, available, order));
      }),
    );
  });
});

describe("applyAllocations", () => {
  const apply = (charge: OpenCharge, amountCents = 1, who: { leaseId: string | null; tenantId: string } = payer) =>
    applyAllocations([{ chargeId: charge.id, amountCents }], [charge], who);

  test("settles each charge by its allocation", () => {
    expect(apply(anOpenCharge(), 60)).toMatchObject([{ amountCents: 60, settled: { allocatedCents: 60, balanceCents: 40, status: "partially_paid" } }]);
  });
  test("names the allocation that is wrong", () => {
    expect(() => applyAllocations([{ chargeId: "nobody's", amountCents: 1 }], [], payer)).toThrow(refusal("allocations.0.chargeId", "not_found"));
    expect(() => apply(anOpenCharge({ leaseId: "another" }))).toThrow(refusal("allocations.0.chargeId", "mismatch"));
    expect(() => apply(anOpenCharge(), 101)).toThrow(refusal("allocations.0.amountCents", "sum_exceeded"));
  });
  test("of a payment without a lease may go to any charge of its tenant, and to no other", () => {
    expect(apply(anOpenCharge({ leaseId: "another" }), 1, { leaseId: null, tenantId: "tenant" })).toHaveLength(1);
    expect(() => apply(anOpenCharge({ tenantId: "another" }), 1, { leaseId: null, tenantId: "tenant" })).toThrow(refusal("allocations.0.chargeId", "mismatch"));
  });
});

describe("settlementLines", () => {
  const lines = (change: Partial<OpenCharge>) => {
    const charge = anOpenCharge(change);
    const posted = settlementLines(applyAllocations([{ chargeId: charge.id, amountCents: 60 }], [charge], payer), chart, {});
    return posted.map(({ accountId, cashAccountId, debitCents, creditCents }) => [accountId, cashAccountId, debitCents - creditCents]);
  };
  test("lower receivables; the cash view sees the income that was settled", () => expect(lines({})).toEqual([["1100", "4000", -60]]));
  test("of a deposit also move it from due to held", () => {
    expect(lines({ chargeType: "deposit", categoryId: "2110" })).toEqual([
      ["1100", "2110", -60],
      ["2110", "2110", 60],
      ["2100", "2100", -60],
    ]);
  });
  test("with the prepaid line balance what was received", () => {
    const charge = anOpenCharge({ chargeType: "deposit", categoryId: "2110" });
    const settled = settlementLines(applyAllocations([{ chargeId: charge.id, amountCents: 60 }], [charge], payer), chart, {});
    const { debitCents, creditCents } = totals([...settled, ...prepaidLine(40, chart, {})]);
    expect(creditCents - debitCents).toBe(100);
  });
});

describe("prepaidLine", () => {
  test("credits the liability, and is not there when nothing is left", () => {
    expect(prepaidLine(40, chart, {})).toMatchObject([{ accountId: "2150", creditCents: 40, debitCents: 0 }]);
    expect(prepaidLine(0, chart, {})).toEqual([]);
  });
});
