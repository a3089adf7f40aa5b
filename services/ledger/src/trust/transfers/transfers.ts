/** Transfers between bank accounts: record, read, list and void. */
import type { BankTransfer as View, transfers } from "@freehold/contract/trust/transfers";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import { newId } from "@freehold/kit/db/entity";
import { listConditions, listPage } from "@freehold/kit/db/list";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict, invalid, notFound, unknownReference } from "@freehold/kit/errors";
import { withVersion } from "@freehold/kit/http/etag";
import { localDateOf, now } from "@freehold/kit/time/clock";
import { truncate } from "@freehold/kit/truncate";
import { getChart, type Chart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { getJournalEntry } from "../../journal/journal-entries.ts";
import { lockOpenDate, postEntries, reverseEntries } from "../../journal/posting.ts";
import { findOwnershipOf } from "../../owners/owned-properties.ts";
import { requireOwnersFunds } from "../../owners/owners-funds.ts";
import { getLedgerSettings, type LedgerSettings, onLedgerDays } from "../../settings/ledger-settings.ts";
import { lockBankAccounts, requireActive, type LockedAccount } from "../bank-accounts/bank-account-references.ts";
import { readLowestBalances, requireTrustFunds } from "../bank-accounts/trust-funds.ts";
import { beneficiaryAt, unassignedOpening, type Holder } from "../bank-accounts/trust-funds.rules.ts";
import { readAllocations } from "./allocations.ts";
import { BankTransfer } from "./bank-transfer.entity.ts";
import { readEarnedMoney } from "./earned-money.ts";
import { beneficiariesOf, requireSeparateMoney, transferLines, transferStateMachine, type Allocation } from "./transfer.rules.ts";

type Operations = typeof transfers.operations;
type Body = BodyOf<Operations["createTransfer"]>;
const publish = eventPublisher("ledger");

type Row = View & { version: number };
const columns = sql`t.id, t.organization_id, t.from_bank_account_id, t.to_bank_account_id, t.amount_cents, t.occurred_at, t.memo, t.status, t.allocations,
  t.entry_id as journal_entry_id, t.created_at, t.updated_at, t.voided_at, t.void_reason, t.version`;
const view = ({ version, ...row }: Row): View => withVersion(row, version);

/** Returns a transfer. Throws 404 for an unknown id. */
export async function getTransfer(db: StatementRunner, id: string): Promise<View> {
  const row = await db.first(sql<Row>`select ${columns} from bank_transfer t where t.organization_id = ${db.organizationId} and t.id = ${id}`);
  if (!row) throw notFound("Transfer");
  return view(row);
}

/** Returns a page of transfers. */
export async function listTransfers(db: OrgDb, query: QueryOf<Operations["listTransfers"]>) {
  const { bankAccountId, status, occurredAfter, occurredBefore } = query;
  const { rows, paging } = await listPage<Row>(db, query, {
    table: "t",
    select: columns,
    from: sql`bank_transfer t`,
    sorts: { occurredAt: sql`t.occurred_at`, amountCents: sql`t.amount_cents`, createdAt: sql`t.created_at` },
    where: [
      ...listConditions(db, "t", query, false),
      bankAccountId !== undefined && sql`${bankAccountId} in (t.from_bank_account_id, t.to_bank_account_id)`,
      status && sql`t.status = any(${status})`,
      ...onLedgerDays(db, sql`t.occurred_at`, occurredAfter, occurredBefore),
    ],
  });
  return { transfers: rows.map(view), ...paging };
}

/**
 * Records a transfer of money between bank accounts. Throws a 400 for an unknown account, property, owner or lease, and a 409 for an
 * archived account, for money of others that would reach a business account, and for more than the beneficiaries have in the account.
 */
export async function createTransfer(db: OrgDb, clients: Clients, body: Body): Promise<Output<Operations["createTransfer"]>> {
  const allocations = await readAllocations(db, clients, body.allocations);
  const properties = await findPropertiesMoved(db, clients, allocations);
  return transaction(db, async (tx) => {
    const [settings, chart] = [await getLedgerSettings(tx), await getChart(tx)];
    const { from, to } = await lockBothAccounts(tx, body);
    requireSeparateMoney(from, to, allocations);
    requireHolder({ from, to }, allocations);
    const { fromBankAccountId, toBankAccountId, amountCents, memo = null } = body;
    const occurredAt = new Date(body.occurredAt);
    const [id, entryId] = [newId(), newId()];
    const requestedOn = localDateOf(occurredAt, settings.timezone);
    const postedOn = await lockOpenDate(tx, requestedOn);
    await postEntries(tx, settings.timezone, [
      {
        id: entryId,
        memo: memo ?? `Transfer from ${from.name} to ${to.name}`,
        occurredAt,
        entryDate: requestedOn,
        source: "transfer",
        document: { type: "transfer", id },
        lines: transferLines(chart, from, to, amountCents, allocations),
      },
    ]);
    const isUnassigned = isWithoutBeneficiary({ from, to }, allocations);
    await requireFunds(tx, settings, chart, { from, to }, isUnassigned ? [unassignedOpening] : beneficiariesOf(allocations), postedOn);
    await requireOwnersFunds(tx, settings, chart, from, properties, [entryId], postedOn);
    const unassignedCents = isUnassigned ? await readUnassignedPart(tx, chart, from, postedOn) : 0;
    const terms = { id, fromBankAccountId, toBankAccountId, amountCents, occurredAt, memo, status: "posted" as const, allocations, entryId };
    tx.create(BankTransfer, { ...terms, unassignedCents: unassignedCents as BankTransfer["unassignedCents"], voidedAt: null, voidReason: null });
    await tx.flush();
    await publish(tx, "transfer.created", { entityId: id, data: { fromBankAccountId, toBankAccountId } });
    return { transfer: await getTransfer(tx, id), journalEntry: await getJournalEntry(tx, entryId), warnings: tx.warnings };
  });
}

/** Returns the properties whose owners' money a transfer moves, read before a transaction begins. */
const findPropertiesMoved = (db: OrgDb, clients: Clients, allocations: readonly Allocation[]) =>
  findOwnershipOf(db, clients, [...new Set(allocations.flatMap(({ kind, propertyId }) => (kind === "owner" && propertyId ? [propertyId] : [])))]);

/** Locks the accounts of a transfer. Throws a 400 that names an unknown one, and a 409 for an archived one. */
async function lockBothAccounts(tx: OrgTx, { fromBankAccountId, toBankAccountId }: Pick<Body, "fromBankAccountId" | "toBankAccountId">) {
  const accounts = await lockBankAccounts(tx, [fromBankAccountId, toBankAccountId]);
  const find = (id: string, path: string): LockedAccount => {
    const account = accounts.get(id);
    if (!account) throw unknownReference(path, "bank account");
    requireActive(account);
    return account;
  };
  const both = { from: find(fromBankAccountId, "fromBankAccountId"), to: find(toBankAccountId, "toBankAccountId") };
  if (both.from !== both.to) return both;
  throw invalid([{ path: "toBankAccountId", code: "unique", message: "A transfer needs two different bank accounts. Name another one." }]);
}

/** Throws a 400 for an allocation to an owner in an account that holds the money of another owner alone. */
function requireHolder({ to }: Accounts, allocations: readonly Allocation[]): void {
  const index = allocations.findIndex(({ ownerId }) => to.ownerId && ownerId && ownerId !== to.ownerId);
  if (index === -1) return;
  const message = `${to.name} holds the money of one owner alone. Name that owner, or transfer to another bank account.`;
  throw invalid([{ path: `allocations.${index}.ownerId`, code: "mismatch", message }]);
}

interface Accounts {
  from: LockedAccount;
  to: LockedAccount;
}

/** Throws a 409 when the account that a posted transfer leaves lacks the money. Money for a business account must be the manager's own, and earned, under every policy. */
async function requireFunds(
  tx: OrgTx,
  settings: LedgerSettings,
  chart: Chart,
  { from, to }: Accounts,
  holders: readonly Holder[],
  date: string,
): Promise<void> {
  if (to.accountType === "business" && from.accountType !== "business" && holders[0]?.kind === "manager") {
    const [here] = await readLowestBalances(tx, chart, from, holders, date);
    const missingCents = 0 - Math.min(here!.balanceCents, await readEarnedMoney(tx, chart, date));
    if (missingCents <= 0) return;
    const message = `${from.name} holds too little money that the management company has earned: ${missingCents} cents are missing. Lower amountCents, or post the fees that were earned first.`;
    throw conflict(message, "would_overdraw_ledger");
  }
  await requireTrustFunds(tx, settings, chart, from, holders, date);
}

/** Returns true for a transfer between trust accounts of money that names no beneficiary, which may be opening balance. */
const isWithoutBeneficiary = ({ from, to }: Accounts, allocations: readonly Allocation[]): boolean =>
  allocations.length === 0 && from.accountType !== "business" && to.accountType !== "business";

/** Returns how much opening balance has left an account with a posted transfer: what the manager lacks there, as far as it is unassigned. */
async function readUnassignedPart(tx: OrgTx, chart: Chart, from: LockedAccount, date: string): Promise<number> {
  const [manager, all] = await readLowestBalances(tx, chart, from, [beneficiaryAt(null), unassignedOpening], date);
  const missingCents = 0 - manager!.balanceCents;
  return Math.max(0, Math.min(missingCents, missingCents + all!.balanceCents));
}

/** Voids a transfer on its own day. Throws 404 for an unknown one, and a 409 for one that is voided or whose money has been used in the account that it reached. */
export async function voidTransfer(db: OrgDb, clients: Clients, id: string, reason: string): Promise<Output<Operations["voidTransfer"]>> {
  const properties = await findPropertiesMoved(db, clients, (await getTransfer(db, id)).allocations);
  return transaction(db, async (tx) => {
    const [settings, chart] = [await getLedgerSettings(tx), await getChart(tx)];
    const transfer = await tx.getForUpdate(BankTransfer, id, "Transfer");
    const status = transferStateMachine.transition(transfer.status, "voided");
    const { from, to } = await lockBothAccounts(tx, transfer);
    const postedOn = await lockOpenDate(tx, localDateOf(transfer.occurredAt, settings.timezone));
    const memo = truncate(`Transfer voided: ${reason}`, 500);
    const reversalIds = await reverseEntries(tx, settings.timezone, [transfer.entryId], { occurredAt: transfer.occurredAt, memo });
    await requireFunds(tx, settings, chart, { from: to, to: from }, beneficiariesOf(transfer.allocations), postedOn);
    await requireOwnersFunds(tx, settings, chart, to, properties, [...reversalIds.values()], postedOn);
    tx.assign(transfer, { status, voidedAt: now(), voidReason: reason });
    await publish(tx, "transfer.voided", {
      entityId: id,
      data: { fromBankAccountId: transfer.fromBankAccountId, toBankAccountId: transfer.toBankAccountId },
    });
    return { transfer: await getTransfer(tx, id), journalEntry: await getJournalEntry(tx, transfer.entryId), warnings: tx.warnings };
  });
}
