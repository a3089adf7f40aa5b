/** Bank accounts whose reconciliations lag behind. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";

/** Row of `selectUnreconciledAccounts`. */
export interface UnreconciledAccount {
  id: string;
  name: string;
  /** Last day of the latest finalized reconciliation; null before the first. */
  reconciledThrough: string | null;
}

/** Selects the active bank accounts with entries by a day whose finalized reconciliations do not reach it. */
export const selectUnreconciledAccounts = (db: StatementRunner, day: string): RawBuilder<UnreconciledAccount> => sql<UnreconciledAccount>`
  select a.id, a.name, r.reconciled_through from bank_account a
    left join lateral (select max(statement_end_date) as reconciled_through from reconciliation
      where organization_id = a.organization_id and bank_account_id = a.id and status = 'finalized') r on true
  where a.organization_id = ${db.organizationId} and a.is_active and (r.reconciled_through is null or r.reconciled_through < ${day})
    and exists (select from journal_line l where l.organization_id = a.organization_id and l.bank_account_id = a.id and l.account_id = a.category_id and l.entry_date <= ${day})`;
