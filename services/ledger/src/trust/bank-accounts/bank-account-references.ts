/** References to bank accounts in requests. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { conflict, invalid, unknownReference } from "@freehold/kit/errors";
import type { BankAccount as BankAccountMessage } from "@freehold/proto/ledger/v1/ledger";
import type { Chart } from "../../chart/categories.ts";
import type { BankAccount } from "./bank-account.entity.ts";

/** Place of money at a bank: the account of the chart and the bank account, or null while the organization has none on that account. */
export interface MoneyAccount {
  accountId: string;
  bankAccountId: string | null;
}

/** Bank account whose row is locked until the commit. */
export type LockedAccount = Pick<BankAccount, "id" | "name" | "categoryId" | "accountType" | "ownerId" | "isActive">;

const columns = sql`id, name, category_id, account_type, owner_id, is_active`;

/**
 * Returns the place of money that an id names: a bank account, or the account of the chart, which stands for its only active bank
 * account or, while it has none, for itself. Keeps the bank account from being archived until the commit. Throws a 400 that names
 * the field for an unknown id and for an account of the chart with several bank accounts, and a 409 for an archived bank account.
 */
export const requireMoneyAccount = (tx: OrgTx, chart: Chart, id: string, path: string): Promise<MoneyAccount & { account: LockedAccount | null }> =>
  findMoneyAccount(tx, chart, id, path, "share");

/** Like `requireMoneyAccount`, for a withdrawal: locks the bank account, so that withdrawals from it follow each other, and returns it. */
export const lockMoneyAccount = (tx: OrgTx, chart: Chart, id: string, path: string): Promise<MoneyAccount & { account: LockedAccount | null }> =>
  findMoneyAccount(tx, chart, id, path, "update");

/** Like `requireMoneyAccount`, without a lock, for a refusal before other records are locked: bank accounts are locked after them. */
export const checkMoneyAccount = (tx: OrgTx, chart: Chart, id: string, path: string): Promise<MoneyAccount & { account: LockedAccount | null }> =>
  findMoneyAccount(tx, chart, id, path, undefined);

async function findMoneyAccount(tx: OrgTx, chart: Chart, id: string, path: string, lock: Lock) {
  return (await findMoneyAccounts(tx, chart, [id], lock))(id, path);
}

/** Like `lockMoneyAccount`, for several ids, locked in the order of the bank accounts. Returns a function that finds each of them. */
export const lockMoneyAccounts = (tx: OrgTx, chart: Chart, ids: readonly string[]) => findMoneyAccounts(tx, chart, ids, "update");

type Lock = "share" | "update" | undefined;

async function findMoneyAccounts(tx: OrgTx, chart: Chart, ids: readonly string[], lock: Lock) {
  const rows = await tx.all(sql<LockedAccount>`select ${columns} from bank_account
    where organization_id = ${tx.organizationId} and (id = any(${[...ids]}::uuid[]) or category_id = any(${[...ids]}::uuid[])) order by id ${sql.raw(lock ? `for ${lock}` : "")}`);
  return (id: string, path: string): MoneyAccount & { account: LockedAccount | null } => {
    const named = rows.find((row) => row.id === id);
    if (named) {
      requireActive(named);
      return { accountId: named.categoryId, bankAccountId: id, account: named };
    }
    const account = chart.findAccount(id);
    if (!account?.isBank) throw unknownReference(path, "bank account");
    const only = onlyActive(
      rows.filter(({ categoryId }) => categoryId === id),
      `${account.code} ${account.name}`,
      path,
    );
    return { accountId: id, bankAccountId: only?.id ?? null, account: only };
  };
}

function onlyActive(rows: readonly LockedAccount[], account: string, path: string): LockedAccount | null {
  const active = rows.filter(({ isActive }) => isActive);
  if (active.length <= 1) return active[0] ?? null;
  const message = `Several bank accounts are posted to ${account}: ${active.map(({ name }) => name).join(", ")}. Name one of them.`;
  throw invalid([{ path, code: "required", message }]);
}

/** Throws a 409 for an archived bank account. */
export function requireActive({ isActive, name }: Pick<LockedAccount, "isActive" | "name">): void {
  if (!isActive) throw conflict(`The bank account ${name} is archived. Restore it, or name another one.`, "invalid_transition");
}

/**
 * Locks bank accounts until the commit, in the order of their ids, so that withdrawals from one account follow each other and each
 * sees the money that the ones before it have left. Returns those that exist, by id.
 */
export async function lockBankAccounts(tx: OrgTx, ids: readonly string[]): Promise<Map<string, LockedAccount>> {
  const rows = await tx.all(sql<LockedAccount>`select ${columns} from bank_account
    where organization_id = ${tx.organizationId} and id = any(${[...ids]}::uuid[]) order by id for update`);
  return new Map(rows.map((row) => [row.id, row]));
}

type BankAccountRow = Omit<BankAccountMessage, "ownerId"> & { ownerId: string | null };
const toMessage = ({ ownerId, ...account }: BankAccountRow): BankAccountMessage => ({ ...account, ownerId: ownerId ?? undefined });
const messageColumns = sql`id, account_type, is_active, name, owner_id`;

/** Returns bank accounts by id, for other services. */
export async function findBankAccounts(db: StatementRunner, ids: readonly string[]): Promise<BankAccountMessage[]> {
  const rows = await db.all(
    sql<BankAccountRow>`select ${messageColumns} from bank_account where organization_id = ${db.organizationId} and id = any(${[...ids]}::uuid[])`,
  );
  return rows.map(toMessage);
}

/** Returns all bank accounts by name, for other services. */
export async function listAllBankAccounts(db: StatementRunner): Promise<BankAccountMessage[]> {
  const rows = await db.all(sql<BankAccountRow>`select ${messageColumns} from bank_account where organization_id = ${db.organizationId} order by name, id`);
  return rows.map(toMessage);
}

/** Returns the id by which the API names the place of money at a bank. */
export const moneyAccountId = ({ accountId, bankAccountId }: MoneyAccount): string => bankAccountId ?? accountId;
