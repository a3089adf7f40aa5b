/** Opening balance of a trust account: money of owners and tenants, until a journal entry assigns it to their properties. */
import { describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";
import { anAgreement, aRun, paidRent } from "../../payables/management-fees/management-fees.fixtures.ts";
import { aFundedProperty } from "../../payables/payables.fixtures.ts";
import { aBankAccount, subLedgersOf } from "../trust.fixtures.ts";

/** An office whose trust account was opened with 10,000.00 and has 1,000.00 of the owners of a property under management, beside a business account. */
async function anOpenedOffice() {
  const office = await anOffice();
  const [business, bankAccountId] = [await aBankAccount(office, "business"), await aBankAccount(office, "operating", { openingBalanceCents: 1_000_000 })];
  const [property, chart] = [await aFundedProperty(office, 100_000, bankAccountId), await accountIdsByCode(office)];
  await anAgreement(office, property.propertyId);
  const opened = { office, business, ...property, chart };
  return { ...opened, assign: (amountCents: number) => office.attempt("createJournalEntry", { body: assignmentOf(opened, amountCents) }) };
}

/** Returns the body of a journal entry of January 2 that assigns a part of the opening balance to the owners of a property. */
const assignmentOf = (
  { propertyId, bankAccountId, chart }: { propertyId: string; bankAccountId: string; chart: Record<string, string> },
  amountCents: number,
) => ({
  memo: "The opening balance belongs to the owners of the property",
  occurredAt: "2026-01-02T17:00:00.000Z",
  lines: [
    { accountId: chart["1000"]!, bankAccountId, debitCents: amountCents, propertyId },
    { accountId: chart["1000"]!, bankAccountId, creditCents: amountCents },
    { accountId: chart["3000"]!, debitCents: amountCents },
    { accountId: chart["3000"]!, creditCents: amountCents, propertyId },
  ],
});

const transfer = (office: Office, fromBankAccountId: string, toBankAccountId: string, amountCents: number) =>
  office.attempt("createTransfer", { body: { fromBankAccountId, toBankAccountId, amountCents, occurredAt: new Date().toISOString() } });

describe("the opening balance of a trust account", () => {
  test("pays no bill that belongs to no property, and reaches no business account through a journal entry", async () => {
    const { office, business, bankAccountId, chart } = await anOpenedOffice();
    const refused = { status: 409, body: { code: "insufficient_trust_funds" } };
    const bill = { amountCents: 1, paymentMethod: "check" as const, paidAt: "2026-01-20T17:00:00.000Z", bankAccountId };
    expect(await office.attempt("recordExpensePayment", { body: bill })).toMatchObject(refused);
    const lines = [
      { accountId: chart["1090"]!, bankAccountId: business, debitCents: 1 },
      { accountId: chart["1000"]!, bankAccountId, creditCents: 1 },
    ];
    const entry = { memo: "Moved", occurredAt: "2026-01-20T17:00:00.000Z", lines };
    expect(await office.attempt("createJournalEntry", { body: entry })).toMatchObject(refused);
  });

  test("stays the money of others in the trust account to which it is transferred", async () => {
    const { office, business, bankAccountId, assign } = await anOpenedOffice();
    const reserve = await aBankAccount(office, "reserve");
    await aRun(office, { bankAccountId });
    // The management company has 100.00 in the account, which move first.
    const moved = await transfer(office, bankAccountId, reserve, 110_000);
    expect((await transfer(office, bankAccountId, business, 1)).status).toBe(409);
    expect((await transfer(office, reserve, business, 10_001)).status).toBe(409);
    expect((await assign(900_001)).status).toBe(409);
    await office.call("voidTransfer", { params: { id: moved.body.transfer.id }, body: { reason: "Wrong account" } });
    expect((await assign(900_001)).status).toBe(200);
    expect((await transfer(office, bankAccountId, business, 10_000)).status).toBe(200);
  });

  test("keeps no fees in trust once it is assigned to a property", async () => {
    const { office, business, propertyId, bankAccountId, assign } = await anOpenedOffice();
    expect((await assign(1_000_000)).status).toBe(200);
    await aRun(office, { bankAccountId });
    expect((await subLedgersOf(office, bankAccountId)).rows).toEqual([
      ["owner", propertyId, null, 1_090_000],
      ["manager", null, null, 10_000],
    ]);
    expect(await transfer(office, bankAccountId, business, 10_001)).toMatchObject({ status: 409, body: { code: "would_overdraw_ledger" } });
    expect((await transfer(office, bankAccountId, business, 10_000)).status).toBe(200);
  });

  test("keeps what is unassigned of it in trust, and all of it again when the assignment is reversed", async () => {
    const { office, business, propertyId, bankAccountId, assign } = await anOpenedOffice();
    const { body } = await assign(999_999);
    await aRun(office, { bankAccountId });
    expect((await transfer(office, bankAccountId, business, 10_001)).status).toBe(409);
    expect((await transfer(office, bankAccountId, business, 4_000)).status).toBe(200);
    await office.call("reverseJournalEntry", { params: { id: body.journalEntry.id }, body: {} });
    expect((await transfer(office, bankAccountId, business, 6_001)).status).toBe(409);
    expect((await transfer(office, bankAccountId, business, 6_000)).status).toBe(200);
    expect((await subLedgersOf(office, bankAccountId)).rows).toEqual([
      ["owner", propertyId, null, 90_000],
      ["manager", null, null, 1_000_000],
    ]);
  });

  test("is assigned as far as a bank fee of the management company has left it", async () => {
    const { office, bankAccountId, assign } = await anOpenedOffice();
    await office.call("createBankAdjustment", { params: { id: bankAccountId }, body: { kind: "bank_fee", amountCents: 1_000, occurredOn: "2026-01-02" } });
    expect(await assign(999_001)).toMatchObject({ status: 409, body: { code: "insufficient_trust_funds" } });
    expect((await assign(999_000)).status).toBe(200);
  });

  test("does not keep a run from being reversed, or the fee of a bounced payment from the owners, once it is assigned", async () => {
    const { office, propertyId, bankAccountId, assign, ...tenancy } = await anOpenedOffice();
    await assign(1_000_000);
    const payment = await paidRent(office, tenancy, "2026-01-20", 30_000);
    const run = await aRun(office, { bankAccountId });
    await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "nsf" } });
    expect((await subLedgersOf(office, bankAccountId)).rows).toEqual([
      ["owner", propertyId, null, 1_090_000],
      ["manager", null, null, 10_000],
    ]);
    await office.call("reverseManagementFeeRun", { params: { id: run.id }, body: { reason: "Wrong" } });
    expect((await subLedgersOf(office, bankAccountId)).rows).toEqual([["owner", propertyId, null, 1_100_000]]);
  });

  test("is not assigned by an entry with which the management company earns or returns a fee", async () => {
    const { office, business, propertyId, bankAccountId, chart, assign } = await anOpenedOffice();
    await assign(1_000_000);
    const earned = (lines: readonly object[]) =>
      office.call("createJournalEntry", { body: { memo: "Fee", occurredAt: "2026-01-20T17:00:00.000Z", lines } as never });
    await earned([
      { accountId: chart["1000"]!, bankAccountId, creditCents: 700, propertyId },
      { accountId: chart["5040"]!, debitCents: 700, propertyId },
      { accountId: chart["1000"]!, bankAccountId, debitCents: 700 },
      { accountId: chart["4060"]!, creditCents: 700 },
    ]);
    expect((await transfer(office, bankAccountId, business, 701)).status).toBe(409);
    expect((await transfer(office, bankAccountId, business, 700)).status).toBe(200);
  });
});
