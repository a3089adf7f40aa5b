/** Operations that would undo a transaction which a finalized reconciliation has cleared. */
import { describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aPayment } from "../../../../../test/support/tenancy.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";
import { aBillPayment, aFundedProperty } from "../../payables/payables.fixtures.ts";
import { aBankAccount, registerOf } from "../trust.fixtures.ts";
import { aDraft, adjust, itemsOf } from "./reconciliations.fixtures.ts";

/** An office with one transaction of each kind in an operating account, all in January. Returns the attempts to undo each. */
async function aTransactionOfEachKind() {
  const office = await anOffice();
  const [chart, bankAccountId, reserve] = [
    await accountIdsByCode(office),
    await aBankAccount(office, "operating", { openingBalanceCents: 10_000 }),
    await aBankAccount(office, "reserve"),
  ];
  const tenancy = await aFundedProperty(office, 5_000, bankAccountId);
  const at = "2026-01-20T17:00:00.000Z";
  const { deposits } = await office.call("listDeposits", { query: { bankAccountId } });
  const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 1_000) });
  const { deposit } = await office.call("createDeposit", { body: { bankAccountId, depositedOn: "2026-01-07", paymentIds: [payment.id] } });
  const { refund } = await office.call("refundPayment", {
    params: { id: payment.id },
    body: { amountCents: 300, method: "check", bankAccountId, refundedAt: at },
  });
  const adjustmentId = await adjust(office, bankAccountId, "bank_fee", 20, "2026-01-31");
  const { transfer } = await office.call("createTransfer", {
    body: {
      fromBankAccountId: bankAccountId,
      toBankAccountId: reserve,
      amountCents: 400,
      occurredAt: at,
      allocations: [{ propertyId: tenancy.propertyId, amountCents: 400 }],
    },
  });
  // Bills that belong to no property are paid with money of the management company.
  const { journalEntry } = await office.call("createJournalEntry", {
    body: {
      memo: "Found money",
      occurredAt: at,
      lines: [
        { accountId: chart["1000"]!, bankAccountId, debitCents: 200 },
        { accountId: chart["4090"]!, creditCents: 200 },
      ],
    },
  });
  const pay = (amountCents: number, status: "issued" | "pending") =>
    office.call("recordExpensePayment", { body: aBillPayment(bankAccountId, amountCents, [], { status }) });
  const [issued, pending] = [(await pay(60, "issued")).expensePayment.id, (await pay(80, "pending")).expensePayment.id];
  const opening = (await office.call("listBankTransactions", { params: { id: bankAccountId } })).transactions.find(
    ({ source }) => source === "opening_balance",
  )!;
  const reason = { reason: "wrong" };
  // In an order in which each finds the money that it takes back.
  const undo = {
    "void of a refund": () => office.attempt("voidRefund", { params: { id: payment.id, refundId: refund.id }, body: { ...reason, voidedAt: at } }),
    "void of a fee": () => office.attempt("voidBankAdjustment", { params: { id: bankAccountId, adjustmentId }, body: reason }),
    "void of a transfer": () => office.attempt("voidTransfer", { params: { id: transfer.id }, body: reason }),
    "void of an expense payment": () => office.attempt("voidExpensePayment", { params: { id: issued }, body: reason }),
    "failure of an expense payment": () => office.attempt("failExpensePayment", { params: { id: pending } }),
    "reversal of a manual entry": () => office.attempt("reverseJournalEntry", { params: { id: journalEntry.id }, body: {} }),
    "void of a deposit": () => office.attempt("voidDeposit", { params: { id: deposits[0]!.id }, body: reason }),
    "reversal of the opening balance": () => office.attempt("reverseJournalEntry", { params: { id: opening.id }, body: {} }),
  };
  return { office, bankAccountId, tenancy, payment, deposit, undo };
}

/** Clears all items of a new draft and finalizes it. */
async function reconcileAll(office: Office, bankAccountId: string): Promise<string> {
  const { transactions } = await office.call("listBankTransactions", { params: { id: bankAccountId }, query: { to: "2026-01-31", pageSize: "100" } });
  const id = await aDraft(office, bankAccountId, transactions.at(-1)!.balanceCents);
  const { items } = await office.call("listReconciliationItems", { params: { id }, query: { pageSize: "100" } });
  await office.call("clearTransactions", { params: { id }, body: { transactionIds: items.map(({ transactionId }) => transactionId) } });
  await office.call("finalizeReconciliation", { params: { id }, body: {} });
  return id;
}

describe("a transaction that a finalized reconciliation has cleared", () => {
  test("is undone by no operation, and by each of them once the reconciliation is voided", async () => {
    const { office, bankAccountId, undo } = await aTransactionOfEachKind();
    const id = await reconcileAll(office, bankAccountId);
    const [items, register] = [await itemsOf(office, id), await registerOf(office, bankAccountId)];
    for (const [name, attempt] of Object.entries(undo)) {
      const { status, body } = await attempt();
      expect([name, status, body.code]).toEqual([name, 409, "reconciled_transaction"]);
    }
    expect([await itemsOf(office, id), await registerOf(office, bankAccountId)]).toEqual([items, register]);
    await office.call("voidReconciliation", { params: { id }, body: { reason: "to correct it" } });
    for (const [name, attempt] of Object.entries(undo)) expect([name, (await attempt()).status]).toEqual([name, 200]);
    expect(await withOwnerConnection(office, findViolations)).toEqual([]);
  });

  test("does not keep the bank from returning one of its payments, which is a transaction of its own", async () => {
    const { office, bankAccountId, payment, deposit } = await aTransactionOfEachKind();
    const id = await reconcileAll(office, bankAccountId);
    const items = await itemsOf(office, id);
    const { deposits } = await office.call("listDeposits", { query: { paymentId: payment.id } });
    expect(deposits.map((each) => each.id)).toEqual([deposit.id]);
    const reversal = await office.attempt("reversePayment", { params: { id: payment.id }, body: { reason: "nsf", reversedAt: "2026-01-25T17:00:00.000Z" } });
    expect(reversal.status).toBe(200);
    expect(await itemsOf(office, id)).toEqual(items);
    const next = await aDraft(office, bankAccountId, 0, "2026-02-28");
    expect(await itemsOf(office, next)).toEqual([["2026-01-25", "deposit", -1_000, false]]);
  });
});
