import { describe, expect, test } from "@jest/globals";
import { availableCents } from "../ledgers/property-figures.rules.ts";
import { numberChecks, payoutTerms, skipReason } from "./payout.rules.ts";

const figures = (change: object = {}) => ({
  cashCents: 1_701,
  securityDepositsCents: 500,
  prepaidRentCents: 200,
  unpaidExpensesCents: 150,
  pendingCents: 0,
  managementFeesCents: 0,
  heldEstimatesCents: 50,
  reserveCents: 60,
  additionalReserveCents: 40,
  additionalReserveNote: "New roof",
  unpaidExpenseIds: ["bill"],
  heldWorkOrderIds: ["roof"],
  ...change,
});

describe("payoutTerms", () => {
  test("add up to the part of the owner that the bank account can pay", () => {
    const terms = payoutTerms(figures(), 421, 400);
    expect(terms.map(({ key, amountCents, refs }) => [key, amountCents, ...refs])).toEqual([
      ["cash", 1_701],
      ["deposits_held", -500],
      ["prepaid", -200],
      ["unpaid_expenses", -150, "bill"],
      ["pending_payments", 0],
      ["held_estimates", -50, "roof"],
      ["management_fees", 0],
      ["reserve", -60],
      ["additional_reserve", -40],
      ["share", -280],
      ["account_shortage", -21],
    ]);
    expect(terms.reduce((sum, { amountCents }) => sum + amountCents, 0)).toBe(400);
  });

  test.each([
    [{}, "Additional reserve: New roof"],
    [{ additionalReserveNote: undefined }, "Additional reserve"],
  ])("name the purpose of the additional reserve, if there is one (%#)", (change, label) => {
    expect(payoutTerms(figures(change), 421, 421).find(({ key }) => key === "additional_reserve")!.label).toBe(label);
  });
});

describe("skipReason", () => {
  const owner = { holdPayouts: false, payoutMethod: "check" };
  test.each([
    ["money", figures(), owner, 421, undefined],
    ["payouts on hold", figures(), { ...owner, holdPayouts: true }, 421, "hold"],
    ["no payout method", figures(), { ...owner, payoutMethod: "none" }, 421, "no_bank_details"],
    ["less money than the reserve", figures({ reserveCents: 860 }), owner, 0, "reserve"],
    ["exactly the reserve", figures({ reserveCents: 761 }), owner, 0, "reserve"],
    ["less money than the additional reserve", figures({ reserveCents: 0, additionalReserveCents: 900 }), owner, 0, "reserve"],
    ["more bills than money", figures({ unpaidExpensesCents: 2_000 }), owner, 0, "negative"],
    ["no money", figures({ cashCents: 900, reserveCents: 0, additionalReserveCents: 0 }), owner, 0, "below_minimum"],
    ["a part below a cent", figures(), owner, 0, "below_minimum"],
  ])("with %s is %#", (_, propertyFigures, payee, partCents, reason) =>
    expect(skipReason(availableCents(propertyFigures), propertyFigures, payee, partCents)).toBe(reason),
  );
});

describe("numberChecks", () => {
  const payable = (id: string, change: object = {}) => ({ id, method: "check" as const, bankAccountId: "operating", ...change });

  test("numbers the payouts by check in the order of the ids and leaves out the others", () => {
    const payables = [payable("a"), payable("b", { method: "ach" }), payable("c")];
    expect(numberChecks(payables, ["c", "b", "a"], 99).map(([{ id }, number]) => [id, number])).toEqual([
      ["c", "99"],
      ["a", "100"],
    ]);
  });

  test("refuses checks of several bank accounts with a 400, and counts no transfers among them", () => {
    const refusal = expect.objectContaining({ status: 400, errors: [expect.objectContaining({ path: "firstCheckNumber", code: "not_allowed" })] });
    expect(() => numberChecks([payable("a"), payable("b", { bankAccountId: "other" })], ["a", "b"], 1)).toThrow(refusal);
    expect(numberChecks([payable("a"), payable("b", { bankAccountId: "other", method: "ach" })], ["a", "b"], 1)).toHaveLength(1);
  });
});
