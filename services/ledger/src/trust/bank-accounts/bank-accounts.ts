/** Bank accounts: read, list, create, change and archive. */
import type { BankAccount as View, bankAccounts } from "@freehold/contract/trust/bank-accounts";
import { LAST_DATE } from "@freehold/contract/values";
import type { BodyOf, QueryOf } from "@freehold/contract/operation";
import { columnsOf, newId } from "@freehold/kit/db/entity";
import { listConditions, listPage } from "@freehold/kit/db/list";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict, notFound, unknownReference } from "@freehold/kit/errors";
import { withVersion } from "@freehold/kit/http/etag";
import { containsPattern } from "@freehold/kit/like-pattern";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { startOfDay, today } from "@freehold/kit/time/clock";
import { getChart } from "../../chart/categories.ts";
import { BANK_ACCOUNTS_BY_TYPE, OWNER_EQUITY, RETAINED_EARNINGS } from "../../chart/chart.ts";
import type { Clients } from "../../clients.ts";
import { credit, debit } from "../../journal/journal.rules.ts";
import { postEntries } from "../../journal/posting.ts";
import { requireOpenPeriod } from "../../periods/require-open-period.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { selectBookBalance } from "./balances.ts";
import { BankAccount } from "./bank-account.entity.ts";
import { selectSubLedgers } from "./sub-ledgers.queries.ts";

type Operations = typeof bankAccounts.operations;
const publish = eventPublisher("ledger");

type Row = View & { version: number };
const columns = columnsOf(BankAccount, "a");
const view = ({ version, ...row }: Row): View => withVersion(row, version);

/** Returns a bank account, active or archived. Throws 404 for an unknown id. */
export async function getBankAccount(db: StatementRunner, id: string): Promise<View> {
  const row = await db.first(sql<Row>`select ${columns} from bank_account a where a.organization_id = ${db.organizationId} and a.id = ${id}`);
  if (!row) throw notFound("Bank account");
  return view(row);
}

/** Returns a page of bank accounts. */
export async function listBankAccounts(db: OrgDb, query: QueryOf<Operations["listBankAccounts"]>) {
  const { search, accountType, isActive, ownerId } = query;
  const { rows, paging } = await listPage<Row>(db, query, {
    table: "a",
    select: columns,
    from: sql`bank_account a`,
    sorts: { name: sql`a.name`, createdAt: sql`a.created_at` },
    where: [
      ...listConditions(db, "a", query, false),
      search !== undefined && sql`concat_ws(' ', a.name, a.institution_name, a.account_mask) ilike ${containsPattern(search)}`,
      accountType && sql`a.account_type = any(${accountType})`,
      isActive !== undefined && sql`a.is_active = ${isActive}`,
      ownerId !== undefined && sql`a.owner_id = ${ownerId}`,
    ],
  });
  return { bankAccounts: rows.map(view), ...paging };
}

/** Throws a 400 unless the owner exists. */
async function requireOwner(db: OrgDb, { portfolio }: Clients, ownerId: string | null | undefined): Promise<void> {
  if (!ownerId) return;
  const { owners } = await portfolio.getOwners(db, { ids: [ownerId] });
  if (!owners[0] || owners[0].isDeleted) throw unknownReference("ownerId", "owner");
}

/** Creates a bank account and posts its opening balance, by default of today. Throws a 409 for an opening day in a closed accounting period. */
export async function createBankAccount(db: OrgDb, clients: Clients, body: BodyOf<Operations["createBankAccount"]>): Promise<{ bankAccount: View }> {
  const { openingBalanceCents, openingDate, ...terms } = body;
  await requireOwner(db, clients, terms.ownerId);
  return transaction(db, async (tx) => {
    const chart = await getChart(tx);
    const categoryId = chart.accountId(BANK_ACCOUNTS_BY_TYPE[terms.accountType]);
    const account = tx.create(BankAccount, { id: newId(), ...terms, ownerId: terms.ownerId ?? null, categoryId, isActive: true });
    await tx.flush();
    if (openingBalanceCents) await postOpeningBalance(tx, account, openingBalanceCents, openingDate);
    await publish(tx, "bank_account.created", { entityId: account.id, data: { accountType: account.accountType } });
    return { bankAccount: await getBankAccount(tx, account.id) };
  });
}

async function postOpeningBalance(tx: OrgTx, { id, accountType, categoryId, ownerId = null }: BankAccount, amountCents: number, day: string | undefined) {
  const [{ timezone }, chart] = [await getLedgerSettings(tx), await getChart(tx)];
  const openingDate = day ?? today(timezone);
  await requireOpenPeriod(tx, openingDate, undefined);
  const equity = chart.accountId(accountType === "business" ? RETAINED_EARNINGS : OWNER_EQUITY);
  const dimensions = { ownerId, description: "Opening balance" };
  await postEntries(tx, timezone, [
    {
      id: newId(),
      memo: "Opening balance of a bank account",
      occurredAt: startOfDay(openingDate, timezone),
      entryDate: openingDate,
      source: "opening_balance",
      isDateFixed: true,
      document: { type: "bank_account", id },
      lines: [debit(categoryId, amountCents, { ...dimensions, bankAccountId: id }), credit(equity, amountCents, dimensions)],
    },
  ]);
}

/** Throws a 409 while an account whose balance is 0 has sub-ledgers that offset each other. */
async function requireNoSubLedgers(tx: OrgTx, account: BankAccount): Promise<void> {
  if ((await tx.all(selectSubLedgers(tx, await getChart(tx), account, LAST_DATE))).length === 0) return;
  const message = `In the bank account ${account.name}, money of one beneficiary covers what another one lacks. See its sub-ledgers, and transfer the money first.`;
  throw conflict(message, "resource_in_use");
}

/**
 * Changes the members of a bank account that are sent. Throws a 400 for an unknown owner, and a 409 when the account is archived or its
 * owner changes while it holds money.
 */
export async function updateBankAccount(
  db: OrgDb,
  clients: Clients,
  id: string,
  changes: BodyOf<Operations["updateBankAccount"]>,
): Promise<{ bankAccount: View }> {
  await requireOwner(db, clients, changes.ownerId);
  return transaction(db, async (tx) => {
    const account = await tx.getForUpdate(BankAccount, id, "Bank account");
    if (changes.isActive === false && account.isActive) await requireArchivable(tx, account);
    if (changes.ownerId !== undefined && changes.ownerId !== (account.ownerId ?? null)) await requireEmpty(tx, account);
    tx.assign(account, omitUndefined(changes));
    await publish(tx, "bank_account.updated", { entityId: id, data: { accountType: account.accountType, isActive: account.isActive } });
    return { bankAccount: await getBankAccount(tx, id) };
  });
}

/** Archives a bank account. Throws 404 for an archived one, and a 409 while it has a balance. */
export const archiveBankAccount = (db: OrgDb, id: string): Promise<{ bankAccount: View }> =>
  transaction(db, async (tx) => {
    const account = await tx.getForUpdate(BankAccount, id, "Bank account", { isActive: true });
    await requireArchivable(tx, account);
    tx.assign(account, { isActive: false });
    await publish(tx, "bank_account.archived", { entityId: id, data: { accountType: account.accountType } });
    return { bankAccount: await getBankAccount(tx, id) };
  });

/** Throws a 409 unless the account is empty and has no reconciliation in progress. */
async function requireArchivable(tx: OrgTx, account: BankAccount): Promise<void> {
  await requireEmpty(tx, account);
  const draft = await tx.first(sql<{ id: string }>`select id from reconciliation
    where organization_id = ${tx.organizationId} and bank_account_id = ${account.id} and status = 'draft'`);
  if (draft) throw conflict(`The bank account ${account.name} has the draft reconciliation ${draft.id}. Finalize or void it first.`, "resource_in_use");
}

/** Throws a 409 unless the account is empty today and after all entries that are dated ahead. Postings to it wait for the lock of its row. */
async function requireEmpty(tx: OrgTx, account: BankAccount): Promise<void> {
  const { timezone } = await getLedgerSettings(tx);
  const { bookCents, finalCents } = (await tx.first(selectBookBalance(tx, account, today(timezone))))!;
  if (bookCents === 0 && finalCents === 0) return requireNoSubLedgers(tx, account);
  const message = `The bank account ${account.name} has a balance of ${bookCents} cents today and of ${finalCents} cents after all entries. Transfer the money to another account first.`;
  throw conflict(message, "resource_in_use");
}
