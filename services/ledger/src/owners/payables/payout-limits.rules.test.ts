import { describe, expect, test } from "@jest/globals";
import { debtorLimits, limitPayouts, lowestOwnersMoney, ownersMoneyByDay, propertyLimits, type MoneyAtProperty } from "./payout-limits.rules.ts";
import type { Flow } from "../../trust/bank-accounts/trust-funds.rules.ts";

const flow = (day: string, kind: Flow["kind"], cents: number, propertyId: string | null = "P"): Flow => ({
  day,
  kind,
  cents,
  propertyId,
  tenantId: kind === "owner" ? null : "T",
});
const soleOwner = (propertyId: string, ownerId: string, flows: readonly Flow[]): MoneyAtProperty => ({
  propertyId,
  ownerId,
  oddCents: 0,
  days: ownersMoneyByDay(flows),
});

describe("the money of owners in an account", () => {
  test("is without the deposits of tenants, and less what one of them lacks", () => {
    const flows = [flow("01", "owner", 100), flow("01", "deposit", 50), flow("02", "deposit", -80), flow("03", "deposit", 10), flow("04", "deposit", 500)];
    expect(ownersMoneyByDay(flows)).toEqual([
      { day: "01", cents: 100 },
      { day: "02", cents: 70 },
      { day: "03", cents: 80 },
      { day: "04", cents: 100 },
    ]);
    expect(lowestOwnersMoney(flows)).toBe(70);
  });

  test("what a tenant of a property lacks lowers the payout of its owner, and of nobody else", () => {
    const ofP = [flow("01", "owner", 1_000), flow("01", "deposit", -1_000)];
    const ofQ = [flow("01", "owner", 1_000, "Q"), flow("01", "deposit", 5_000, "Q")];
    const money = [soleOwner("P", "Ann", ofP), soleOwner("Q", "Ben", ofQ)];
    const limits = { ownersCents: lowestOwnersMoney([...ofP, ...ofQ]), ofDebtors: debtorLimits(money), atProperties: propertyLimits(money) };
    const payouts = [
      { propertyId: "P", ownerId: "Ann", amountCents: 1_000 },
      { propertyId: "Q", ownerId: "Ben", amountCents: 1_000 },
    ];
    expect(limitPayouts(payouts, limits, [])).toEqual([0, 1_000]);
  });
});
