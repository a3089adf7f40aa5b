import { describe, expect, test } from "@jest/globals";
import { eventually } from "../../../../test/support/eventually.ts";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { aPayment, aTenancy } from "../../../../test/support/tenancy.ts";
import { raisedKeys } from "../../test/ledger.fixtures.ts";
import { accountIdsByCode } from "../journal/journal.fixtures.ts";
import { approvePayouts, aPayingOffice, draftPayouts, payPayout } from "../owners/owners.fixtures.ts";
import { aManagedProperty, aRun } from "../payables/management-fees/management-fees.fixtures.ts";
import { aBillPayment, aFundedProperty, anExpense } from "../payables/payables.fixtures.ts";
import { aDepositOffice, aLetter, aRefund } from "./security-deposits/security-deposits.fixtures.ts";
import { aBankAccount, subLedgersOf } from "./trust.fixtures.ts";

interface Attempt {
  status: number;
  body: { code?: string | undefined; message?: string | undefined; warnings?: string[] | undefined };
}

const warnOnly = (office: Office) => office.call("updateOrganization", { body: { policies: { trustOverdraft: "warn" } } });

/** Asserts that an operation is refused under `block`, and that it succeeds under `warn` with the sentence of the refusal as its only warning. */
async function expectWarning(office: Office, attempt: () => Promise<Attempt>): Promise<void> {
  const refused = await attempt();
  expect(refused).toMatchObject({ status: 409, body: { code: "insufficient_trust_funds" } });
  await warnOnly(office);
  let permitted = refused;
  // The ledger applies the new policy with the event of the change.
  await eventually("policy", async () => (permitted = await attempt()).status === 200);
  expect(permitted.body.warnings).toEqual([refused.body.message]);
}

describe("with the policy trustOverdraft warn, an operation that uses money of others succeeds and has the sentence of the refusal as a warning", () => {
  test("the removal of an allocation whose money was paid out", async () => {
    const { office, tenantId } = await aPayingOffice({ annBps: 10_000 });
    const payouts = await draftPayouts(office);
    await approvePayouts(office, payouts);
    await payPayout(office, payouts[0]!);
    const { id, allocations } = (await office.call("listPayments", { query: { tenantId } })).payments[0]!;
    await expectWarning(office, () => office.attempt("deletePaymentAllocation", { params: { id, allocationId: allocations[0]!.id } }));
  });

  test("a payment of expenses, whose diagnostic is raised at once", async () => {
    const office = await anOffice();
    const { propertyId, bankAccountId } = await aFundedProperty(office, 1_000);
    const [small, large] = [await anExpense(office, propertyId, 100), await anExpense(office, propertyId, 1_300)];
    const pay = ({ id, amountCents }: { id: string; amountCents: number }) =>
      office.attempt("recordExpensePayment", { body: aBillPayment(bankAccountId, amountCents, [{ expenseId: id, amountCents }]) });
    expect((await pay(small)).body.warnings).toEqual([]);
    await expectWarning(office, () => pay(large));
    await eventually("the diagnostic", async () => (await raisedKeys(office)).includes("negative_owner_ledger"));
  });

  test("a payment of expenses of two properties, with a sentence for each that names it", async () => {
    const office = await anOffice();
    const { propertyId, bankAccountId } = await aFundedProperty(office, 1_000);
    const { propertyId: otherId } = await aTenancy(office);
    const bills = [await anExpense(office, propertyId, 1_300), await anExpense(office, otherId, 300)];
    const allocations = bills.map(({ id, amountCents }) => ({ expenseId: id, amountCents }));
    const pay = () => office.attempt("recordExpensePayment", { body: aBillPayment(bankAccountId, 1_600, allocations) });
    await warnOnly(office);
    let paid = await pay();
    await eventually("policy", async () => paid.status === 200 || (paid = await pay()).status === 200);
    expect(paid.body.warnings).toHaveLength(2);
    for (const id of [propertyId, otherId]) {
      const { name } = (await office.call("getProperty", { params: { id } })).property;
      expect(paid.body.warnings).toContainEqual(expect.stringContaining(`would lack 300 cents of the owners of the property ${name} (${id}).`));
    }
  });

  test("a payment with money that the management company does not have, whose diagnostic names the bank account", async () => {
    const office = await anOffice();
    const { bankAccountId } = await aFundedProperty(office, 1_000);
    await expectWarning(office, () => office.attempt("recordExpensePayment", { body: aBillPayment(bankAccountId, 500) }));
    const { diagnostics } = await office.call("listDiagnostics", { query: { key: "negative_owner_ledger" } });
    const items = [{ entityType: "bank_account", entityId: bankAccountId, bankAccountId, propertyId: null, amountCents: -500 }];
    expect(diagnostics).toMatchObject([{ severity: "critical", count: 1, amountCents: 500, items }]);
    await eventually("the diagnostic", async () => (await raisedKeys(office)).includes("negative_owner_ledger"));
  });

  test("a transfer, and its void after the money was used", async () => {
    const office = await anOffice();
    const { propertyId, bankAccountId } = await aFundedProperty(office, 1_000);
    const reserve = await aBankAccount(office, "reserve");
    const body = { fromBankAccountId: bankAccountId, toBankAccountId: reserve, amountCents: 1_200, occurredAt: "2026-01-10T17:00:00.000Z" };
    await expectWarning(office, () => office.attempt("createTransfer", { body: { ...body, allocations: [{ propertyId, amountCents: 1_200 }] } }));
    const [transfer] = (await office.call("listTransfers", {})).transfers;
    const { id, amountCents } = await anExpense(office, propertyId, 1_200);
    await office.call("recordExpensePayment", { body: aBillPayment(reserve, amountCents, [{ expenseId: id, amountCents }]) });
    const { warnings } = await office.call("voidTransfer", { params: { id: transfer!.id }, body: { reason: "Wrong account" } });
    expect(warnings).toEqual([expect.stringContaining("would lack 1200 cents of the owners of the property")]);
  });

  test("a refund of a payment", async () => {
    const office = await anOffice();
    const [tenancy, bankAccountId] = [await aTenancy(office), await aBankAccount(office)];
    const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 1_000) });
    const body = { amountCents: 400, method: "check" as const, bankAccountId };
    await expectWarning(office, () => office.attempt("refundPayment", { params: { id: payment.id }, body }));
  });

  test("a refund of a security deposit", async () => {
    const { office, id } = await aDepositOffice();
    await office.call("updateSecurityDeposit", { params: { id }, body: { moveOutDate: "2026-02-20" } });
    await office.call("finalizeSecurityDeposit", { params: { id }, body: aLetter });
    const operating = await aBankAccount(office);
    await expectWarning(office, () => office.attempt("refundSecurityDeposit", { params: { id }, body: aRefund(150_000, operating) }));
  });

  test("a payout to an owner that leaves less than the reserve", async () => {
    const { office, propertyId } = await aPayingOffice({ annBps: 10_000, rentCents: 1_000 });
    const payouts = await draftPayouts(office);
    await approvePayouts(office, payouts);
    await office.call("updateProperty", { params: { id: propertyId }, body: { reserveCents: 300 } });
    await expectWarning(office, () => payPayout(office, payouts[0]!));
  });

  test("a manual entry, and the reversal of one whose money was used", async () => {
    const office = await anOffice();
    const { propertyId, bankAccountId } = await aFundedProperty(office, 1_000);
    const accounts = await accountIdsByCode(office);
    const { bankAccount } = await office.call("getBankAccount", { params: { id: bankAccountId } });
    const entry = (creditCents: number) => ({
      memo: "Cleaning paid in cash",
      occurredAt: "2026-01-20T17:00:00.000Z",
      lines: [
        { accountId: accounts["5000"]!, debitCents: creditCents, creditCents: 0, propertyId },
        { accountId: bankAccount.categoryId, debitCents: 0, creditCents, propertyId },
      ],
    });
    await expectWarning(office, () => office.attempt("createJournalEntry", { body: entry(1_500) as never }));
    const { journalEntry } = await office.call("createJournalEntry", { body: { ...entry(10), status: "draft" } as never });
    const { warnings } = await office.call("postJournalEntry", { params: { id: journalEntry.id }, body: {} });
    expect(warnings).toEqual([expect.stringContaining("would lack 510 cents")]);
  });

  test("a run of management fees uses no money of others under any policy, so it leaves the fee unpaid and warns of nothing", async () => {
    const { office, propertyId, bankAccountId } = await aManagedProperty(1_000);
    const bill = await anExpense(office, propertyId, 950);
    await office.call("recordExpensePayment", { body: aBillPayment(bankAccountId, 950, [{ expenseId: bill.id, amountCents: 950 }]) });
    const other = await aFundedProperty(office, 1_000, bankAccountId);
    const tooMuch = await anExpense(office, other.propertyId, 1_100);
    const body = aBillPayment(bankAccountId, 1_100, [{ expenseId: tooMuch.id, amountCents: 1_100 }]);
    await expectWarning(office, () => office.attempt("recordExpensePayment", { body }));
    const run = await aRun(office);
    expect([run.totalCents, run.collectedCents]).toEqual([100, 0]);
    expect((await subLedgersOf(office, bankAccountId)).rows).toContainEqual(["owner", propertyId, null, 50]);
  });
});
