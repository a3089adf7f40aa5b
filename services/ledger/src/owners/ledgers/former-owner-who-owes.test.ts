import { describe, expect, test } from "@jest/globals";
import { aReturnedRent } from "../owners.fixtures.ts";

describe("a former owner whose payout was made with rent that bounced", () => {
  test("is named by the warnings of the reversal, because the buyer's money is missing", async () => {
    const { ann, cat, bankAccountId, office, reversal } = await aReturnedRent();
    const { bankAccount } = await office.call("getBankAccount", { params: { id: bankAccountId } });
    expect(reversal.warnings).toHaveLength(1);
    for (const part of [bankAccount.name, "100000 cents", "Ann"]) expect(reversal.warnings[0]).toContain(part);
    expect(reversal.warnings[0]).not.toContain("Cat");
    expect(ann).not.toBe(cat);
  });

  test("has the debt in the balance, by property, as in the ledger", async () => {
    const { office, ann, propertyId } = await aReturnedRent();
    const { balance } = await office.call("getOwnerBalance", { params: { id: ann } });
    expect(balance).toMatchObject({ cashCents: -100_000, availableToPayCents: 0 });
    expect(balance.byProperty).toMatchObject([{ propertyId, shareBps: 0, cashCents: -100_000, availableToPayCents: 0 }]);
  });

  test("is skipped by the preview of payouts as negative, with the own amount", async () => {
    const { office, ann, cat } = await aReturnedRent();
    const { preview } = await office.call("previewOwnerPayables", { body: { periodEnd: "2026-02-28" } });
    expect(preview.lines).toEqual([]);
    const skipped = Object.fromEntries(preview.skipped.map(({ ownerId, reason, availableCents }) => [ownerId, [reason, availableCents]]));
    expect(skipped).toEqual({ [ann]: ["negative", -100_000], [cat]: ["below_minimum", 0] });
  });
});
