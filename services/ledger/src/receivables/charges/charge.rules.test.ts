import { describe, expect, test } from "@jest/globals";
import { chargeStatuses } from "@freehold/contract/ledger/charges";
import fc from "fast-check";
import { chargeStateMachine, daysOverdue, requireVoidable, applyAllocation, releaseAllocation, type ChargeAmounts } from "./charge.rules.ts";

const allowedTransitions = new Set([
  "pending partially_paid",
  "pending paid",
  "pending voided",
  "partially_paid pending",
  "partially_paid paid",
  "paid pending",
  "paid partially_paid",
]);
const invalidTransition = expect.objectContaining({ status: 409, code: "invalid_transition" });

/** Returns a charge of 100 cents with the given amount allocated. */
const aCharge = (allocatedCents = 0, change: Partial<ChargeAmounts> = {}): ChargeAmounts => ({
  amountCents: 100,
  allocatedCents,
  creditedCents: 0,
  balanceCents: 100 - allocatedCents,
  status: allocatedCents === 0 ? "pending" : allocatedCents === 100 ? "paid" : "partially_paid",
  ...change,
});
const aVoidedCharge = aCharge(0, { status: "voided", balanceCents: 0 });

describe("chargeStateMachine", () => {
  test.each(chargeStatuses.flatMap((from) => chargeStatuses.map((to) => [from, to, allowedTransitions.has(`${from} ${to}`)] as const)))(
    "%s to %s: allowed %p",
    (from, to, allowed) => {
      if (allowed) expect(chargeStateMachine.transition(from, to)).toBe(to);
      else expect(() => chargeStateMachine.transition(from, to)).toThrow(invalidTransition);
    },
  );
});

describe("applyAllocation", () => {
  test.each([
    [0, 1, { allocatedCents: 1, balanceCents: 99, status: "partially_paid" }],
    [0, 100, { allocatedCents: 100, balanceCents: 0, status: "paid" }],
    [40, 59, { allocatedCents: 99, balanceCents: 1, status: "partially_paid" }],
    [40, 60, { allocatedCents: 100, balanceCents: 0, status: "paid" }],
  ])("%i cents allocated: applies %i more", (allocatedCents, moreCents, expected) =>
    expect(applyAllocation(aCharge(allocatedCents), moreCents, "amount")).toEqual(expected),
  );

  test.each([
    [0, 101],
    [40, 61],
    [100, 1],
  ])("%i cents allocated: refuses %i more, naming the path", (allocatedCents, moreCents) => {
    const error = expect.objectContaining({ status: 400, errors: [expect.objectContaining({ path: "allocations.0.amountCents", code: "sum_exceeded" })] });
    expect(() => applyAllocation(aCharge(allocatedCents), moreCents, "allocations.0.amountCents")).toThrow(error);
  });

  test("counts credited amounts as paid", () => {
    const credited = aCharge(0, { creditedCents: 30, balanceCents: 70, status: "partially_paid" });
    expect(applyAllocation(credited, 70, "amount")).toEqual({ allocatedCents: 70, balanceCents: 0, status: "paid" });
    expect(releaseAllocation({ ...credited, ...applyAllocation(credited, 70, "amount") }, 70)).toEqual({
      allocatedCents: 0,
      balanceCents: 70,
      status: "partially_paid",
    });
  });

  test("refuses a voided charge", () => {
    expect(() => applyAllocation(aVoidedCharge, 1, "amount")).toThrow(invalidTransition);
  });
});

describe("releaseAllocation", () => {
  test.each([
    [100, 100, { allocatedCents: 0, balanceCents: 100, status: "pending" }],
    [100, 1, { allocatedCents: 99, balanceCents: 1, status: "partially_paid" }],
    [40, 40, { allocatedCents: 0, balanceCents: 100, status: "pending" }],
  ])("%i cents allocated: releases %i", (allocatedCents, releasedCents, expected) =>
    expect(releaseAllocation(aCharge(allocatedCents), releasedCents)).toEqual(expected),
  );

  test("is the inverse of applyAllocation", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 99 }), fc.nat(), (initiallyAllocatedCents, seed) => {
        const charge = aCharge(initiallyAllocatedCents);
        const moreCents = 1 + (seed % charge.balanceCents);
        const { allocatedCents, balanceCents, status } = charge;
        expect(releaseAllocation({ ...charge, ...applyAllocation(charge, moreCents, "amount") }, moreCents)).toEqual({ allocatedCents, balanceCents, status });
      }),
    );
  });
});

describe("requireVoidable", () => {
  test("accepts a charge without allocations", () => expect(requireVoidable(aCharge())).toBe("voided"));
  test("refuses a charge with allocations, partial or full", () => {
    for (const allocatedCents of [1, 100])
      expect(() => requireVoidable(aCharge(allocatedCents))).toThrow(expect.objectContaining({ status: 409, code: "already_allocated" }));
  });
  test("refuses a voided charge", () => expect(() => requireVoidable(aVoidedCharge)).toThrow(invalidTransition));
});

describe("daysOverdue", () => {
  const daysOverdueOn = (balanceCents: number, today: string) => daysOverdue({ balanceCents, dueDate: "2028-02-28" }, today);
  test.each([
    ["2028-02-27", 0],
    ["2028-02-28", 0],
    ["2028-02-29", 1],
    ["2028-03-01", 2],
  ])("on %s an open charge due on 2028-02-28 is %i days overdue", (today, days) => expect(daysOverdueOn(1, today)).toBe(days));
  test("a paid charge is never overdue", () => expect(daysOverdueOn(0, "2030-01-01")).toBe(0));
});
