/** Deposits of payments at a bank: record, read, list and void. */
import type { Deposit as View, deposits } from "@freehold/contract/ledger/deposits";
import type { BodyOf, QueryOf } from "@freehold/contract/operation";
import { now, startOfDay } from "@freehold/kit/time/clock";
import { maxDate } from "@freehold/kit/time/plain-date";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { conflict, invalid, notFound } from "@freehold/kit/errors";
import { listConditions, listPage } from "@freehold/kit/db/list";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { stateMachine } from "@freehold/kit/state-machine";
import { getChart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { lockOpenDate, reverseEntries } from "../../journal/posting.ts";
import { findOwnershipOf } from "../../owners/owned-properties.ts";
import { requireMoneyOfEntries } from "../../owners/owners-funds.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { lockAccountsOfEntries } from "../../trust/bank-accounts/trust-funds.ts";
import { checkMoneyAccount, moneyAccountId, requireMoneyAccount, type LockedAccount } from "../../trust/bank-accounts/bank-account-references.ts";
import { Payment } from "../payments/payment.entity.ts";
import { Deposit, DepositPayment } from "./deposit.entity.ts";
import { findUndepositedMoney, postTransfers, selectUndepositedDays } from "./deposit-transfers.ts";
import { depositColumns, depositView, type DepositRow } from "./deposit.view.ts";

type Operations = typeof deposits.operations;
const publish = eventPublisher("ledger");

const depositStateMachine = stateMachine("deposit", { posted: ["voided"], voided: [] });

/** Returns a deposit. Throws 404 for an unknown id. */
export async function getDeposit(db: StatementRunner, id: string): Promise<View> {
  const row = await db.first(sql<DepositRow>`select ${depositColumns} from bank_deposit d where d.organization_id = ${db.organizationId} and d.id = ${id}`);
  if (!row) throw notFound("Deposit");
  return depositView(row);
}

/** Returns a page of deposits. */
export async function listDeposits(db: OrgDb, query: QueryOf<Operations["listDeposits"]>) {
  const { bankAccountId, paymentId, status, depositedAfter, depositedBefore } = query;
  const { rows, paging } = await listPage<DepositRow>(db, query, {
    table: "d",
    select: depositColumns,
    from: sql`bank_deposit d`,
    sorts: { depositedOn: sql`d.deposited_on`, amountCents: sql`d.amount_cents`, createdAt: sql`d.created_at` },
    where: [
      ...listConditions(db, "d", query, false),
      bankAccountId !== undefined && sql`${bankAccountId} in (d.trust_bank_account_id, d.bank_account_id)`,
      paymentId !== undefined &&
        sql`d.id = any(array(select deposit_id from bank_deposit_payment where organization_id = ${db.organizationId} and payment_id = ${paymentId}))`,
      status && sql`d.status = any(${status})`,
      depositedAfter !== undefined && sql`d.deposited_on >= ${depositedAfter}`,
      depositedBefore !== undefined && sql`d.deposited_on <= ${depositedBefore}`,
    ],
  });
  return { deposits: rows.map(depositView), ...paging };
}

/**
 * Records a deposit: moves the money of payments from undeposited funds to a bank account. Throws a 400 for an unknown payment or
 * one that was received after the deposit, and a 409 for one that is pending, failed, reversed or in another deposit.
 */
export const createDeposit = (db: OrgDb, body: BodyOf<Operations["createDeposit"]>): Promise<{ deposit: View }> =>
  transaction(db, (tx) => createDepositWithin(tx, body));

/** Records a deposit like `createDeposit`, in the transaction of another operation. */
export async function createDepositWithin(tx: OrgTx, { depositedOn, paymentIds, ...body }: BodyOf<Operations["createDeposit"]>): Promise<{ deposit: View }> {
  const chart = await getChart(tx);
  await checkMoneyAccount(tx, chart, body.bankAccountId, "bankAccountId");
  const { timezone } = await getLedgerSettings(tx);
  // Payments that were moved out of a closed accounting period are deposited on the first open day, too.
  const postedOn = await lockOpenDate(tx, depositedOn);
  const payments = await lockDepositable(tx, paymentIds, postedOn);
  const { account, ...bank } = await requireMoneyAccount(tx, chart, body.bankAccountId, "bankAccountId");
  requireTrustAccount(account);
  const amountCents = payments.reduce((sum, payment) => sum + payment.amountCents, 0) as Deposit["amountCents"];
  if (amountCents > Number.MAX_SAFE_INTEGER) {
    const message = "The payments add up to more than the largest supported amount. Make several deposits.";
    throw invalid([{ path: "paymentIds", code: "sum_exceeded", message }]);
  }
  const terms = { id: newId(), ...bank, depositedOn };
  const transfers = await findUndepositedMoney(tx, chart, paymentIds, postedOn);
  const document = { type: "deposit", id: terms.id } as const;
  const [entryId] = await postTransfers(tx, timezone, chart, bank, payments, transfers, { memo: "Deposit of payments", document });
  tx.create(Deposit, { ...terms, amountCents, status: "posted", entryId: entryId! });
  await tx.flush();
  for (const payment of payments) {
    tx.create(DepositPayment, { id: newId(), depositId: terms.id, paymentId: payment.id });
    tx.assign(payment, { bankDepositId: terms.id });
  }
  await publish(tx, "deposit.created", { entityId: terms.id, data: { bankAccountId: moneyAccountId(bank), depositedOn } });
  return { deposit: await getDeposit(tx, terms.id) };
}

/** Throws a 400 for a business account: money of tenants and owners must not be mixed with that of the management company. */
function requireTrustAccount(account: LockedAccount | null): void {
  if (account?.accountType !== "business") return;
  const message = `${account.name} is a business account, and payments of tenants are trust money. Name a trust account.`;
  throw invalid([{ path: "bankAccountId", code: "not_allowed", message }]);
}

/** Locks the payments of a new deposit, or throws for the first one that cannot be deposited. */
async function lockDepositable(tx: OrgTx, ids: readonly string[], depositedOn: string): Promise<Payment[]> {
  const payments = await tx.findAllForUpdate(Payment, ids);
  const paymentById = new Map(payments.map((payment) => [payment.id, payment]));
  for (const [index, id] of ids.entries())
    if (!paymentById.has(id))
      throw invalid([{ path: `paymentIds.${index}`, code: "not_found", message: "There is no payment with this id. Check paymentIds." }]);
  const days = (await tx.all(selectUndepositedDays(tx, ids))).map(({ id, postedOn, voidedOn }) => ({ id, day: maxDate(postedOn, voidedOn ?? postedOn) }));
  const late = days.filter(({ day }) => day > depositedOn).toSorted((one, other) => (one.day < other.day ? 1 : -1))[0];
  if (late) {
    const message = `The payment ${late.id} is undeposited from ${late.day} on. Set depositedOn to that day or later.`;
    throw invalid([{ path: "depositedOn", code: "before_start", message }]);
  }
  for (const { id, status, bankDepositId } of payments) {
    if (status !== "received" && status !== "refunded")
      throw conflict(`The payment ${id} is ${status}. Only received payments can be deposited; leave it out.`, "invalid_transition");
    if (bankDepositId) throw conflict(`The payment ${id} is in the deposit ${bankDepositId}. Leave it out, or void that deposit first.`, "resource_in_use");
  }
  return payments;
}

/**
 * Voids a deposit on its own day: its payments are undeposited again. Throws 409 when one of them was reversed since, and when its money
 * has been used in a trust account, by its property or by one of several owners.
 */
export async function voidDeposit(db: OrgDb, clients: Clients, id: string, reason: string | undefined): Promise<{ deposit: View; warnings: string[] }> {
  const rows = await db.all(sql<{ propertyId: string }>`select distinct property_id from journal_line where organization_id = ${db.organizationId}
    and property_id is not null and entry_id = any(array(${selectEntriesOf(db, id)}))`);
  const properties = await findOwnershipOf(
    db,
    clients,
    rows.map(({ propertyId }) => propertyId),
  );
  return transaction(db, async (tx) => {
    const settings = await getLedgerSettings(tx);
    const { timezone } = settings;
    const members = await tx.all(
      sql<{ paymentId: string }>`select payment_id from bank_deposit_payment where organization_id = ${tx.organizationId} and deposit_id = ${id}`,
    );
    // Every operation locks payments before their deposit.
    const payments = await tx.findAllForUpdate(
      Payment,
      members.map(({ paymentId }) => paymentId),
    );
    const deposit = await tx.getForUpdate(Deposit, id, "Deposit");
    const status = depositStateMachine.transition(deposit.status, "voided");
    const reversed = payments.find((payment) => payment.status === "reversed");
    if (reversed) throw conflict(`The payment ${reversed.id} was reversed after this deposit, so the deposit cannot be voided.`, "resource_in_use");
    const entries = await tx.all(selectEntriesOf(tx, id));
    const entryIds = entries.map((entry) => entry.id);
    const accounts = await lockAccountsOfEntries(tx, entryIds);
    const reversalIds = await reverseEntries(tx, timezone, entryIds, { occurredAt: startOfDay(deposit.depositedOn, timezone), memo: "Deposit voided" });
    const [chart, reversals] = [await getChart(tx), [...reversalIds.values()]];
    await requireMoneyOfEntries(tx, settings, chart, accounts, properties, reversals);
    tx.assign(deposit, { status, voidedAt: now(), voidReason: reason ?? null });
    for (const payment of payments) tx.assign(payment, { bankDepositId: null });
    await publish(tx, "deposit.voided", {
      entityId: id,
      data: { bankAccountId: deposit.bankAccountId ?? deposit.accountId, depositedOn: deposit.depositedOn },
    });
    return { deposit: await getDeposit(tx, id), warnings: tx.warnings };
  });
}

/** Selects the entries that have moved the money of a deposit to its bank account. */
const selectEntriesOf = (db: StatementRunner, id: string): RawBuilder<{ id: string }> =>
  sql<{
    id: string;
  }>`select id from journal_entry where organization_id = ${db.organizationId} and source_type = 'deposit' and source_id = ${id} and source = 'deposit'`;
