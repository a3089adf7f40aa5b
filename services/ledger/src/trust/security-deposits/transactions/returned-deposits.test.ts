/** Voids of what was done with deposits, also after the bank has returned their payments. */
import { describe, expect, test } from "@jest/globals";
import { aCharge, aPayment, aTenancy } from "../../../../../../test/support/tenancy.ts";
import { aBankAccount } from "../../trust.fixtures.ts";
import { aDepositOffice, aLetter, aReceipt, aRefund, booksOf, depositOf, expectNoViolations, type DepositOffice } from "../security-deposits.fixtures.ts";

const reason = "The bank returned the payment.";
const voidTransaction = async (deposit: DepositOffice, kind: string, amountCents: number) => {
  const { transactions } = await depositOf(deposit);
  const transaction = transactions.find((each) => each.kind === kind && each.amountCents === amountCents && !each.voidedAt)!;
  return deposit.office.attempt("voidSecurityDepositTransaction", { params: { id: deposit.id, transactionId: transaction.id }, body: { reason } });
};

/** Returns a payment of the lease by the bank on a day of February or March. */
async function bounce({ office, tenancy }: DepositOffice, amountCents: number, day: string): Promise<void> {
  const { payments } = await office.call("listPayments", { query: { leaseId: tenancy.leaseId } });
  const payment = payments.find((each) => each.amountCents === amountCents)!;
  await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "nsf", reversedAt: `${day}T17:00:00.000Z` } });
}

const apply = async ({ office, tenancy, id }: DepositOffice, amountCents: number, occurredOn: string) => {
  const chargeId = await aCharge(office, tenancy.leaseId, amountCents, "2026-02-01");
  await office.call("applySecurityDeposit", { params: { id }, body: { allocations: [{ chargeId, amountCents }], occurredOn } });
};

const empty = { subLedgers: [], totals: [0, 0, 0] };

describe("after the payment of a deposit was returned by the bank", () => {
  test("its refund is voided and its disposition reopened, so that nothing of it is left in the books", async () => {
    const deposit = await aDepositOffice();
    const { office, escrow, id } = deposit;
    await office.call("updateSecurityDeposit", { params: { id }, body: { moveOutDate: "2026-02-20" } });
    await office.call("createSecurityDepositDeduction", { params: { id }, body: { category: "damage", description: "A wall", amountCents: 50_000 } });
    await office.call("finalizeSecurityDeposit", { params: { id }, body: aLetter });
    await office.call("refundSecurityDeposit", { params: { id }, body: aRefund(60_000, escrow) });
    await office.call("refundSecurityDeposit", { params: { id }, body: aRefund(40_000, escrow) });
    await bounce(deposit, 150_000, "2026-03-10");
    for (const cents of [60_000, 40_000]) expect(await voidTransaction(deposit, "refund", cents)).toMatchObject({ status: 200 });
    expect(await office.attempt("reopenSecurityDeposit", { params: { id }, body: { reason } })).toMatchObject({ status: 200 });
    expect(await booksOf(deposit)).toMatchObject(empty);
    expect(await depositOf(deposit)).toMatchObject({ heldCents: 0, refundedCents: 0 });
    await expectNoViolations(office);
  });

  test("each of its applications is voided", async () => {
    const deposit = await aDepositOffice();
    await apply(deposit, 30_000, "2026-02-10");
    await apply(deposit, 20_000, "2026-02-11");
    await bounce(deposit, 150_000, "2026-02-20");
    for (const cents of [30_000, 20_000]) expect(await voidTransaction(deposit, "application", cents)).toMatchObject({ status: 200 });
    expect(await booksOf(deposit)).toMatchObject(empty);
    await expectNoViolations(deposit.office);
  });

  test("in part, its transfer to a lease at another property is voided, which mends both sub-ledgers", async () => {
    const deposit = await aDepositOffice();
    const { office, tenancy, escrow, id } = deposit;
    await office.call("updateSecurityDeposit", { params: { id }, body: { requiredCents: 200_000 } });
    await office.call("recordSecurityDepositReceipt", { params: { id }, body: aReceipt(50_000, escrow) });
    const next = await aTenancy(office, { tenantId: tenancy.tenantId });
    await office.call("transferSecurityDeposit", { params: { id }, body: { toLeaseId: next.leaseId, occurredOn: "2026-02-01" } });
    await bounce(deposit, 50_000, "2026-02-10");
    expect(await voidTransaction(deposit, "transfer_out", 200_000)).toMatchObject({ status: 200 });
    expect(await booksOf(deposit)).toMatchObject({ subLedgers: [["deposit", 150_000]], totals: [150_000, 150_000, 0] });
    await expectNoViolations(office);
  });
});

test("an application is voided when the owners have the money today, although they lacked it for some days", async () => {
  const deposit = await aDepositOffice();
  const { office, tenancy, escrow } = deposit;
  const operating = await aBankAccount(office, "operating");
  await apply(deposit, 30_000, "2026-02-10");
  const chargeId = await aCharge(office, tenancy.leaseId, 40_000, "2026-02-01");
  const { payment } = await office.call("recordPayment", { body: { ...aPayment(tenancy, 40_000), allocations: [{ chargeId, amountCents: 40_000 }] } });
  await office.call("createDeposit", { body: { bankAccountId: escrow, depositedOn: "2026-02-01", paymentIds: [payment.id] } });
  const transfer = (fromBankAccountId: string, toBankAccountId: string, day: string) =>
    office.call("createTransfer", {
      body: {
        fromBankAccountId,
        toBankAccountId,
        amountCents: 70_000,
        occurredAt: `${day}T17:00:00.000Z`,
        allocations: [{ propertyId: tenancy.propertyId, amountCents: 70_000 }],
      },
    });
  await transfer(escrow, operating, "2026-02-15");
  await bounce(deposit, 40_000, "2026-02-18");
  expect(await voidTransaction(deposit, "application", 30_000)).toMatchObject({ status: 409, body: { code: "insufficient_trust_funds" } });
  await transfer(operating, escrow, "2026-02-20");
  expect(await voidTransaction(deposit, "application", 30_000)).toMatchObject({ status: 200 });
  expect(await booksOf(deposit)).toMatchObject({ subLedgers: [["deposit", 150_000]], totals: [150_000, 150_000, 0] });
  await expectNoViolations(office);
});
