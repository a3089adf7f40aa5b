import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { aBillPayment, anExpense, balancesOn } from "../../payables/payables.fixtures.ts";
import { aBankAccount, registerOf, subLedgersOf } from "../../trust/trust.fixtures.ts";
import { aContribution, anOwnedProperty, anOwner, aPayingOffice, approvePayouts, draftPayouts, ownerLedgerOf, payBill, payPayout } from "../owners.fixtures.ts";

/** An office with a property of one owner, with 1,000 cents of rent in an operating account. */
async function anOwnersOffice() {
  const office = await anOffice();
  const ownerId = await anOwner(office);
  return { office, ownerId, ...(await anOwnedProperty(office, { rentCents: 1_000, shares: { [ownerId]: 10_000 } })) };
}

describe("createOwnerContribution", () => {
  test("debits the bank account and credits owner contributions at the property, and its void restores the state before", async () => {
    const { office, ownerId, propertyId, bankAccountId } = await anOwnersOffice();
    const before = await balancesOn(office, "2026-12-31");
    const { contribution, journalEntry } = await office.call("createOwnerContribution", {
      params: { id: ownerId },
      body: aContribution(propertyId, bankAccountId, 250, { memo: "For the roof" }),
    });
    expect(contribution).toMatchObject({ ownerId, propertyId, bankAccountId, amountCents: 250, paymentMethod: "check", memo: "For the roof", voidedAt: null });
    expect(journalEntry).toMatchObject({ source: "contribution", sourceType: "contribution", sourceId: contribution.id, memo: "For the roof" });
    expect(await balancesOn(office, "2026-12-31", { propertyId })).toMatchObject({ "1000": 1_250, "3100": -250 });
    expect(await registerOf(office, bankAccountId)).toEqual([
      ["2026-01-06", "deposit", 1_000, 1_000],
      ["2026-01-08", "contribution", 250, 1_250],
    ]);
    expect((await subLedgersOf(office, bankAccountId)).rows).toEqual([["owner", propertyId, null, 1_250]]);
    const voided = await office.call("voidOwnerContribution", {
      params: { id: ownerId, contributionId: contribution.id },
      body: { reason: "The check bounced" },
    });
    expect(voided.contribution).toMatchObject({ id: contribution.id, voidReason: "The check bounced" });
    expect(await balancesOn(office, "2026-12-31")).toEqual(before);
    expect(await balancesOn(office, "2026-01-08")).toEqual(await balancesOn(office, "2026-01-07"));
    expect(await withOwnerConnection(office, findViolations)).toEqual([]);
    const again = await office.attempt("voidOwnerContribution", { params: { id: ownerId, contributionId: contribution.id }, body: { reason: "Again" } });
    expect([again.status, again.body.code]).toEqual([409, "invalid_transition"]);
  });

  test("is listed with the owner's other contributions, newest first", async () => {
    const { office, ownerId, propertyId, bankAccountId } = await anOwnersOffice();
    for (const [day, cents] of [
      ["08", 100],
      ["09", 200],
    ] as const) {
      const body = aContribution(propertyId, bankAccountId, cents, { receivedAt: `2026-01-${day}T17:00:00.000Z` });
      await office.call("createOwnerContribution", { params: { id: ownerId }, body });
    }
    const amounts = async (query: Record<string, string>) =>
      (await office.call("listOwnerContributions", { params: { id: ownerId }, query })).contributions.map(({ amountCents }) => amountCents);
    expect([await amounts({}), await amounts({ receivedBefore: "2026-01-08" }), await amounts({ isVoided: "true" })]).toEqual([[200, 100], [100], []]);
  });

  test("names the field of a property that the owner never owned and of an account that cannot hold the money", async () => {
    const { office, ownerId, propertyId, bankAccountId } = await anOwnersOffice();
    const [business, otherOwner] = [await aBankAccount(office, "business"), await anOwner(office, "Otto Other")];
    const { bankAccount: separate } = await office.call("createBankAccount", {
      body: { name: "Otto's trust", institutionName: "First Bank", accountMask: "99", accountType: "operating", ownerId: otherOwner },
    });
    const pathOf = async (id: string, body: ReturnType<typeof aContribution>) => {
      const { status, body: problem } = await office.attempt("createOwnerContribution", { params: { id }, body });
      return [status, problem.errors?.[0]?.path];
    };
    expect(await pathOf(otherOwner, aContribution(propertyId, bankAccountId, 10))).toEqual([400, "propertyId"]);
    expect(await pathOf(ownerId, aContribution(propertyId, business, 10))).toEqual([400, "bankAccountId"]);
    expect(await pathOf(ownerId, aContribution(propertyId, separate.id, 10))).toEqual([400, "bankAccountId"]);
    expect(await pathOf(propertyId, aContribution(propertyId, bankAccountId, 10))).toEqual([404, undefined]);
  });
});

describe("a contribution for a property that was deleted", () => {
  test("is recorded up to what the owner owes there", async () => {
    const { office, ann, propertyId, bankAccountId, leaseId } = await aPayingOffice({ annBps: 10_000 });
    const payouts = await draftPayouts(office);
    await approvePayouts(office, payouts);
    await payPayout(office, payouts[0]!);
    const [payment] = (await office.call("listPayments", {})).payments;
    await office.call("terminateLease", { params: { id: leaseId }, body: { terminationDate: "2026-02-10" } });
    await office.call("deleteProperty", { params: { id: propertyId } });
    const contribute = (amountCents: number) =>
      office.attempt("createOwnerContribution", { params: { id: ann }, body: aContribution(propertyId, bankAccountId, amountCents) });
    expect((await contribute(100)).body.errors).toMatchObject([{ path: "propertyId", code: "not_found" }]);
    await office.call("reversePayment", { params: { id: payment!.id }, body: { reason: "nsf", reversedAt: "2026-02-20T17:00:00.000Z" } });
    expect((await contribute(100_001)).body.errors).toMatchObject([{ path: "amountCents", code: "sum_exceeded" }]);
    expect((await contribute(60_000)).status).toBe(200);
    expect((await contribute(40_000)).status).toBe(200);
    expect((await ownerLedgerOf(office, ann)).closing).toBe(0);
    expect((await contribute(1)).body.errors).toMatchObject([{ path: "propertyId", code: "not_found" }]);
  });
});

describe("voidOwnerContribution", () => {
  test("is refused while the money of the contribution is spent", async () => {
    const { office, ownerId, propertyId, bankAccountId } = await anOwnersOffice();
    const { contribution } = await office.call("createOwnerContribution", { params: { id: ownerId }, body: aContribution(propertyId, bankAccountId, 250) });
    const expense = await anExpense(office, propertyId, 1_001);
    const body = aBillPayment(bankAccountId, 1_001, [{ expenseId: expense.id, amountCents: 1_001 }]);
    await office.call("recordExpensePayment", { body });
    const voidIt = () => office.attempt("voidOwnerContribution", { params: { id: ownerId, contributionId: contribution.id }, body: { reason: "Bounced" } });
    const refused = await voidIt();
    expect([refused.status, refused.body.code]).toEqual([409, "insufficient_trust_funds"]);
    await office.call("createOwnerContribution", { params: { id: ownerId }, body: aContribution(propertyId, bankAccountId, 1) });
    expect((await voidIt()).status).toBe(200);
  });

  test("is refused while its money is spent, although the other owner of the property has enough", async () => {
    const { office, ann, ben, propertyId, bankAccountId } = await aPayingOffice();
    const { contribution } = await office.call("createOwnerContribution", { params: { id: ann }, body: aContribution(propertyId, bankAccountId, 20_000) });
    const bill = await anExpense(office, propertyId, 70_000, { ownerId: ann });
    expect((await payBill(office, bankAccountId, bill.id, 70_000)).status).toBe(200);
    const voided = await office.attempt("voidOwnerContribution", { params: { id: ann, contributionId: contribution.id }, body: { reason: "Bounced" } });
    expect([voided.status, voided.body.code]).toEqual([409, "insufficient_trust_funds"]);
    expect([(await ownerLedgerOf(office, ann)).closing, (await ownerLedgerOf(office, ben)).closing]).toEqual([0, 50_000]);
  });
});
