/** Check of the bank accounts that deposits name. */
import type { FieldError } from "@freehold/contract/errors";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { invalid } from "@freehold/kit/errors";
import type { Clients } from "../../clients.ts";
import { selectDepositAccount } from "./deposit-account.rules.ts";
import type { CandidateRow } from "../candidates.queries.ts";
import type { FieldValues } from "../draft.ts";

interface AccountError {
  id: string;
  error: FieldError;
}

/** Returns an error for each deposit that names an account which keeps no deposits, with one call to the ledger if any names one. */
export async function findBankAccountErrors(db: OrgDb, clients: Clients, deposits: readonly CandidateRow[]): Promise<AccountError[]> {
  const named = deposits.filter(({ data }) => data["bank_account"] !== undefined);
  if (named.length === 0) return [];
  const { bankAccounts } = await clients.ledger.listBankAccounts(db, {});
  return named.flatMap(({ id, data }) => {
    const account = selectDepositAccount(data, bankAccounts);
    return "problem" in account ? [{ id, error: { path: "bank_account", code: "not_found", message: account.problem } }] : [];
  });
}

/** Replaces the names of refused accounts by their errors, as for cells that cannot be parsed, so that an edit of the field removes the error. */
export async function saveBankAccountErrors(tx: OrgTx, errors: readonly AccountError[]): Promise<void> {
  if (errors.length === 0) return;
  await tx.all(sql`update import_candidate c set data = c.data - 'bank_account', parse_errors = c.parse_errors || jsonb_build_array(e.error)
    from jsonb_to_recordset(${JSON.stringify(errors)}::jsonb) as e (id uuid, error jsonb)
    where c.organization_id = ${tx.organizationId} and c.id = any(${errors.map(({ id }) => id)}::uuid[]) and c.id = e.id`);
}

/** Throws 400 for an edit of a deposit that names an account which keeps no deposits. */
export async function requireDepositAccount(db: OrgDb, clients: Clients, deposit: FieldValues): Promise<void> {
  const account = selectDepositAccount(deposit, (await clients.ledger.listBankAccounts(db, {})).bankAccounts);
  if ("problem" in account) throw invalid([{ path: "data.bank_account", code: "not_found", message: account.problem }]);
}
