import { describe, expect, test } from "@jest/globals";
import { chargeStatuses } from "@freehold/contract/charges";
import { daysBetween } from "@freehold/kit/time/plain-date";
import fc from "fast-check";
import { chargeFlow, daysOverdue, requireVoidable, settle, unsettle, type Owed } from "./charge.rules.ts";

const allowed = new Set([
  "pending partially_paid",
  "pending paid",
  "pending voided",
  "partially_paid pending",
  "partially_paid partially_paid",
  "partially_paid paid",
  "paid pending",
  "paid partially_paid",
]);
const invalidTransition = expect.objectContaining({ status: 409, code: "invalid_transition" });

/** A charge of a hundred cents with so much of it paid. */
const aCharge = (allocatedCents = 0, change: Partial<Owed> = {}): Owed => ({
  amountCents: 100,
  allocatedCents,
  creditedCents: 0,
  balanceCents: 100 - allocatedCents,
  status: allocatedCents === 0 ? "pending" : allocatedCents === 100 ? "paid" : "partially_paid",
  ...change,
});
const aVoidedCharge = aCharge(0, { status: "voided", balanceCents: 0 });

describe("chargeFlow", () => {
  test.each(chargeStatuses.flatMap((from) => chargeStatuses.map((to) => [from, to] as const)))("from %s to %s", (from, to) => {
    if (allowed.has(`${from} ${to}`)) expect(chargeFlow.transition(from, to)).toBe(to);
    else expect(() => chargeFlow.transition(from, to)).toThrow(invalidTransition);
  });
});

describe("settle", () => {
  test.each([
    [0, 1, { allocatedCents: 1, balanceCents: 99, status: "partially_paid" }],
    [0, 100, { allocatedCents: 100, balanceCents: 0, status: "paid" }],
    [40, 59, { allocatedCents: 99, balanceCents: 1, status: "partially_paid" }],
    [40, 60, { allocatedCents: 100, balanceCents: 0, status: "paid" }],
  ])("%i paid and %i more", (paid, more, expected) => expect(settle(aCharge(paid), more, "amount")).toEqual(expected));

  test.each([
    [0, 101],
    [40, 61],
    [100, 1],
  ])("%i paid, and %i more is too much, which the path says", (paid, more) => {
    const refusal = expect.objectContaining({ status: 400, errors: [expect.objectContaining({ path: "allocations.0.amountCents", code: "sum_exceeded" })] });
    expect(() => settle(aCharge(paid), more, "allocations.0.amountCents")).toThrow(refusal);
  });

  test("counts what was credited as paid", () => {
    const credited = aCharge(0, { creditedCents: 30, balanceCents: 70, status: "partially_paid" });
    expect(settle(credited, 70, "amount")).toEqual({ allocatedCents: 70, balanceCents: 0, status: "paid" });
    expect(unsettle({ ...credited, ...settle(credited, 70, "amount") }, 70)).toEqual({ allocatedCents: 0, balanceCents: 70, status: "partially_paid" });
  });

  test("refuses a voided charge", () => {
    expect(() => settle(aVoidedCharge, 1, "amount")).toThrow(invalidTransition);
  });
});

describe("unsettle", () => {
  test.each([
    [100, 100, { allocatedCents: 0, balanceCents: 100, status: "pending" }],
    [100, 1, { allocatedCents: 99, balanceCents: 1, status: "partially_paid" }],
    [40, 40, { allocatedCents: 0, balanceCents: 100, status: "pending" }],
  ])("of %i paid %i is taken back", (paid, back, expected) => expect(unsettle(aCharge(paid), back)).toEqual(expected));

  test("undoes what settle did, whatever was paid before", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 99 }), fc.nat(), (paid, drawn) => {
        const charge = aCharge(paid);
        const more = 1 + (drawn % charge.balanceCents);
        const { allocatedCents, balanceCents, status } = charge;
        expect(unsettle({ ...charge, ...settle(charge, more, "amount") }, more)).toEqual({ allocatedCents, balanceCents, status });
      }),
    );
  });
});

describe("requireVoidable", () => {
  test("lets an unpaid charge go", () => expect(requireVoidable(aCharge())).toBe("voided"));
  test("keeps one that a payment is allocated to, whether it covers it or not", () => {
    for (const paid of [1, 100]) expect(() => requireVoidable(aCharge(paid))).toThrow(expect.objectContaining({ status: 409, code: "already_allocated" }));
  });
  test("refuses a voided one", () => expect(() => requireVoidable(aVoidedCharge)).toThrow(invalidTransition));
});

describe("daysOverdue", () => {
  const late = (balanceCents: number, today: string) => daysOverdue({ balanceCents, dueDate: "2028-02-28" }, today, daysBetween);
  test.each([
    ["2028-02-27", 0],
    ["2028-02-28", 0],
    ["2028-02-29", 1],
    ["2028-03-01", 2],
  ])("on %s an open charge due on 2028-02-28 is %i days late", (today, days) => expect(late(1, today)).toBe(days));
  test("a settled charge is never late", () => expect(late(0, "2030-01-01")).toBe(0));
});
