/** Accounts of an organization (categories in the API) and the lookups that posting needs. */
import type { Category as CategoryView } from "@freehold/contract/ledger/categories";
import type { z } from "zod";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { invalid, unknownReference } from "@freehold/kit/errors";
import { LRUCache } from "lru-cache";
import { sql } from "@freehold/kit/db/statement";
import { ledgerNotSetUp } from "../settings/ledger-settings.ts";
import { createMissingAccounts, lacksAccounts } from "./create-accounts.ts";
import { controlAccountRemedies, RETAINED_EARNINGS, type AccountDefinition } from "./chart.ts";

type View = z.output<typeof CategoryView>;

/** Returns the chart of accounts, ordered by code. */
export async function listCategories(db: OrgDb): Promise<View[]> {
  const readAccounts = () =>
    db.all(sql<Omit<View, "parentId" | "isActive" | "isSystem">>`
    select id, code, name, account_type, normal_balance, subtype, is_bank, is_trust_liability from category where organization_id = ${db.organizationId} order by code`);
  const { rows } = await readFullChart(db, readAccounts);
  return rows.map((row) => ({ ...row, parentId: null, isActive: true, isSystem: true }));
}

interface Account {
  id: string;
  code: string;
  name: string;
  accountType: AccountDefinition["accountType"];
  isBank: boolean;
}

/** Chart of accounts of an organization, indexed by code and by id. */
export interface Chart {
  /** Returns the id of the account with the code. */
  accountId(code: string): string;
  findAccount(id: string): Account | undefined;
}

/** Reads the accounts, and creates the missing ones first. `hasCreated` is true if any were created. */
async function readFullChart<A extends { code: string }>(db: StatementRunner, readAccounts: () => Promise<A[]>): Promise<{ rows: A[]; hasCreated: boolean }> {
  const rows = await readAccounts();
  if (!lacksAccounts(rows)) return { rows, hasCreated: false };
  await createMissingAccounts(db);
  return { rows: await readAccounts(), hasCreated: true };
}

const chartCache = new LRUCache<string, Chart>({ max: 20_000 });

/**
 * Returns the organization's chart of accounts, or throws 503 before its ledger is set up. Cached, since only a new version of
 * the service adds accounts. Accounts that were just created are not cached yet: their transaction may be rolled back.
 */
export async function getChart(db: StatementRunner): Promise<Chart> {
  const cached = chartCache.get(db.organizationId);
  if (cached) return cached;
  const readAccounts = () => db.all(sql<Account>`select id, code, name, account_type, is_bank from category where organization_id = ${db.organizationId}`);
  const { rows: accounts, hasCreated } = await readFullChart(db, readAccounts);
  if (accounts.length === 0) throw ledgerNotSetUp();
  const idByCode = new Map(accounts.map(({ code, id }) => [code, id]));
  const accountById = new Map(accounts.map((account) => [account.id, account]));
  const chart: Chart = { accountId: (code) => idByCode.get(code)!, findAccount: (id) => accountById.get(id) };
  if (!hasCreated) chartCache.set(db.organizationId, chart);
  return chart;
}

/** Returns the account's id, or throws a 400 that names the field when the organization has no such account. */
export function requireAccount(chart: Chart, id: string, path: string): string {
  if (!chart.findAccount(id)) throw unknownReference(path, "account");
  return id;
}

/** Returns the account's id, or throws a 400 unless it is an income account. */
export function requireIncomeAccount(chart: Chart, id: string, path: string): string {
  const { accountType, code, name } = chart.findAccount(requireAccount(chart, id, path))!;
  if (accountType === "income") return id;
  const message = `Charges are credited to income, and ${code} ${name} is not an income account. Use one, such as 4000 Rent.`;
  throw invalid([{ path, code: "not_allowed", message }]);
}

/** Returns the account's id, or throws a 400 unless it is an expense account. */
export function requireExpenseAccount(chart: Chart, id: string, path: string): string {
  const { accountType, code, name } = chart.findAccount(requireAccount(chart, id, path))!;
  if (accountType === "expense") return id;
  const message = `Expenses are debited to expense accounts, and ${code} ${name} is not one. Use one, such as 5000 Maintenance.`;
  throw invalid([{ path, code: "not_allowed", message }]);
}

/** Throws a 400 that names each line on a control account, with the operation that posts to the account. */
export function requireNoControlAccounts(chart: Chart, lines: readonly { accountId: string }[]): void {
  const errors = lines.flatMap(({ accountId }, index) => {
    const { code = "", name } = chart.findAccount(accountId) ?? {};
    const remedy = controlAccountRemedies[code];
    if (remedy === undefined) return [];
    const message = `${code} ${name} is a control account and takes no manual lines. ${remedy}`;
    return [{ path: `lines.${index}.accountId`, code: "control_account" as const, message }];
  });
  if (errors.length > 0) throw invalid(errors);
}

/** Returns the account's id, or throws a 400 unless it is an income account or retained earnings, to which imports credit opening balances. */
export const requireIncomeOrOpeningAccount = (chart: Chart, id: string, path: string): string =>
  id === chart.accountId(RETAINED_EARNINGS) ? id : requireIncomeAccount(chart, id, path);
