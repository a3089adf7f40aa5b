import { describe, expect, test } from "@jest/globals";
import { eventually } from "../../../../test/support/eventually.ts";
import { aPayingOffice, ownerLedgerOf } from "../owners/owners.fixtures.ts";
import { accountIdsByCode } from "./journal.fixtures.ts";

describe("a manual entry that takes money of a property from a trust account", () => {
  /** A property of Ann and Ben with 50,000 of each, and a function that returns an entry by which Ann or all owners spend an amount. */
  async function aSharedProperty() {
    const paying = await aPayingOffice();
    const accounts = await accountIdsByCode(paying.office);
    const { propertyId, bankAccountId } = paying;
    const body = (cents: number, owner: { ownerId?: string } = { ownerId: paying.ann }, sign: "debit" | "credit" = "debit") => {
      const [spent, taken] = sign === "debit" ? [{ debitCents: cents }, { creditCents: cents }] : [{ creditCents: cents }, { debitCents: cents }];
      const lines = [
        { accountId: accounts["5090"]!, propertyId, ...owner, ...spent },
        { accountId: accounts["1000"]!, bankAccountId, propertyId, ...owner, ...taken },
      ];
      return { memo: "Spent", occurredAt: "2026-01-20T17:00:00.000Z", status: "posted" as const, lines };
    };
    return { ...paying, body };
  }

  test("is refused when its owner would spend money of the other owners, like a bill, also as a draft that is posted", async () => {
    const { office, ann, ben, body } = await aSharedProperty();
    const refused = await office.attempt("createJournalEntry", { body: body(75_000) });
    expect([refused.status, refused.body.code]).toEqual([409, "insufficient_trust_funds"]);
    const { journalEntry } = await office.call("createJournalEntry", { body: { ...body(75_000), status: "draft" } });
    const posted = await office.attempt("postJournalEntry", { params: { id: journalEntry.id }, body: {} });
    expect([posted.status, posted.body.code]).toEqual([409, "insufficient_trust_funds"]);
    expect((await office.attempt("createJournalEntry", { body: body(50_000) })).status).toBe(200);
    // The owners share an entry that names none of them, and Ann has nothing left.
    expect((await office.attempt("createJournalEntry", { body: body(20_000, {}) })).status).toBe(409);
    expect([(await ownerLedgerOf(office, ann)).closing, (await ownerLedgerOf(office, ben)).closing]).toEqual([0, 50_000]);
  });

  test("and the reversal of income that one of them has spent, is permitted with a warning by the policy", async () => {
    const { office, body, ann } = await aSharedProperty();
    const { journalEntry } = await office.call("createJournalEntry", { body: body(10_000, { ownerId: ann }, "credit") });
    await office.call("createJournalEntry", { body: body(60_000) });
    const reverse = () => office.attempt("reverseJournalEntry", { params: { id: journalEntry.id }, body: {} });
    const refused = await reverse();
    expect([refused.status, refused.body.code]).toEqual([409, "insufficient_trust_funds"]);
    await office.call("updateOrganization", { body: { policies: { trustOverdraft: "warn" } } });
    let permitted = refused;
    await eventually("policy", async () => (permitted = await reverse()).status === 200);
    expect(permitted.body.warnings).toEqual([refused.body.message]);
  });
});
