import { describe, expect, test } from "@jest/globals";
import type { ChargeAmounts } from "../charges/charge.rules.ts";
import { applyChargeCredit, carriedCents, creditDate, reverseChargeCredit } from "./charge-credit.rules.ts";

const charge = (changes: Partial<ChargeAmounts> = {}): ChargeAmounts => ({
  amountCents: 100,
  allocatedCents: 0,
  creditedCents: 0,
  balanceCents: 100,
  status: "pending",
  ...changes,
});

const settlementOf = (amounts: ChargeAmounts) => {
  const { amountCents: _, ...settlement } = amounts;
  return settlement;
};

describe("applyChargeCredit", () => {
  test.each([
    [charge(), 30, { creditedCents: 30, balanceCents: 70, status: "partially_paid" }],
    [charge(), 100, { creditedCents: 100, balanceCents: 0, status: "paid" }],
    [
      charge({ allocatedCents: 60, balanceCents: 40, status: "partially_paid" }),
      40,
      { allocatedCents: 60, creditedCents: 40, balanceCents: 0, status: "paid" },
    ],
    [charge({ creditedCents: 10, balanceCents: 90, status: "partially_paid" }), 5, { creditedCents: 15, balanceCents: 85, status: "partially_paid" }],
  ])("credits %j with %i cents, which reverseChargeCredit undoes", (before, amountCents, after) => {
    const credited = applyChargeCredit(before, amountCents);
    expect(credited).toMatchObject(after);
    expect(reverseChargeCredit({ ...before, ...credited }, amountCents)).toEqual(settlementOf(before));
  });

  test("refuses more than the balance, and a voided charge", () => {
    expect(() => applyChargeCredit(charge({ allocatedCents: 60, balanceCents: 40, status: "partially_paid" }), 41)).toThrow("Only 40 cents");
    expect(() => applyChargeCredit(charge({ balanceCents: 0, status: "voided" }), 1)).toThrow("voided");
  });
});

describe("creditDate", () => {
  const open = { dueDate: "2026-03-01", reopenedOn: null, openBeforeReopeningCents: null };
  const reopened = { dueDate: "2026-03-01", reopenedOn: "2026-04-10", openBeforeReopeningCents: 20 };
  test.each([
    ["today", open, undefined, "2026-03-15", "2026-03-15"],
    ["the due date of a charge that is due later", open, undefined, "2026-02-15", "2026-03-01"],
    ["the requested date", open, "2026-03-05", "2026-03-15", "2026-03-05"],
    ["the requested date for an amount that was open then", { ...reopened, openBeforeReopeningCents: 50 }, "2026-03-05", "2026-05-01", "2026-03-05"],
    ["the day of the reopening for an amount that was settled until then", reopened, "2026-03-05", "2026-05-01", "2026-04-10"],
  ])("is %s", (_, creditedCharge, requested, today, expected) => {
    expect(creditDate(creditedCharge, 50, requested, today)).toBe(expected);
  });

  test("is not before the due date", () => {
    expect(() => creditDate(open, 50, "2026-02-28", "2026-03-15")).toThrow("2026-03-01");
  });
});

test("the credits of a superseded charge are carried to a charge up to its amount, oldest first", () => {
  expect(carriedCents([50, 30], 100)).toEqual([50, 30]);
  expect(carriedCents([50, 30], 60)).toEqual([50, 10]);
  expect(carriedCents([50, 30], 40)).toEqual([40, 0]);
});
