/** Check of the accounts that rows name: bank accounts of deposits, and accounts of the chart. */
import type { FieldError } from "@freehold/contract/errors";
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { invalid } from "@freehold/kit/errors";
import type { Clients } from "../../clients.ts";
import { operationBatcher } from "../../writing/operation-batcher.ts";
import type { CandidateRow } from "../candidates.queries.ts";
import type { FieldValues } from "../draft.ts";
import { accountProblem, type ChartAccount, namesAccount } from "./category-account.rules.ts";
import { selectDepositAccount } from "./deposit-account.rules.ts";

interface AccountError {
  id: string;
  error: FieldError;
}

type NamingRow = Pick<CandidateRow, "id" | "entityType" | "data">;

/** Returns an error for each row of one type that names an account which does not take its money, with one call to the ledger if any names one. */
export async function findAccountErrors(db: OrgDb, clients: Clients, rows: readonly NamingRow[]): Promise<AccountError[]> {
  const deposits = rows.filter(({ entityType, data }) => entityType === "deposit" && data["bank_account"] !== undefined);
  const posted = rows.filter(({ entityType, data }) => namesAccount(entityType, data));
  return [...(await findBankAccountErrors(db, clients, deposits)), ...(await findCategoryErrors(db, clients, posted))];
}

async function findBankAccountErrors(db: OrgDb, clients: Clients, deposits: readonly NamingRow[]): Promise<AccountError[]> {
  if (deposits.length === 0) return [];
  const { bankAccounts } = await clients.ledger.listBankAccounts(db, {});
  return deposits.flatMap(({ id, data }) => {
    const account = selectDepositAccount(data, bankAccounts);
    return "problem" in account ? [{ id, error: { path: "bank_account", code: "not_found", message: account.problem } }] : [];
  });
}

async function findCategoryErrors(db: OrgDb, clients: Clients, rows: readonly NamingRow[]): Promise<AccountError[]> {
  if (rows.length === 0) return [];
  const { categories } = await operationBatcher(db, clients)<{ categories: ChartAccount[] }>("ledger", "listCategories", "read", {});
  return rows.flatMap(({ id, entityType, data }) => {
    const problem = accountProblem(entityType, data["category_code"]!, categories);
    return problem === undefined ? [] : [{ id, error: { path: "category_code", code: "not_found", message: problem } }];
  });
}

/** Replaces the names of refused accounts by their errors, as for cells that cannot be parsed, so that an edit of the field removes the error. */
export async function saveAccountErrors(tx: OrgTx, errors: readonly AccountError[]): Promise<void> {
  if (errors.length === 0) return;
  await tx.all(sql`update import_candidate c set data = c.data - (e.error ->> 'path'), parse_errors = c.parse_errors || jsonb_build_array(e.error)
    from jsonb_to_recordset(${JSON.stringify(errors)}::jsonb) as e (id uuid, error jsonb)
    where c.organization_id = ${tx.organizationId} and c.id = any(${errors.map(({ id }) => id)}::uuid[]) and c.id = e.id`);
}

/** Throws 400 for an edit of a row that names an account which does not take its money. `edited` are the fields of the row after the edit. */
export async function requireNamedAccount(db: OrgDb, clients: Clients, entityType: ImportEntityType, edited: FieldValues): Promise<void> {
  const [refused] = await findAccountErrors(db, clients, [{ id: "", entityType, data: edited }]);
  if (refused) throw invalid([{ ...refused.error, path: `data.${refused.error.path}` }]);
}
