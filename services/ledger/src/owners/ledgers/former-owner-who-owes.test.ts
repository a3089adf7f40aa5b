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
});
