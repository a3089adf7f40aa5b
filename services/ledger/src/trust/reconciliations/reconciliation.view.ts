/** Reconciliations as the API returns them. The figures of a draft are derived from its items. */
import type { Reconciliation as View, ThreeWay } from "@freehold/contract/trust/reconciliations";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { notFound } from "@freehold/kit/errors";
import { withVersion } from "@freehold/kit/http/etag";
import { balanceOf } from "./reconciliation.rules.ts";

export type ReconciliationRow = Omit<View, "clearedBalanceCents" | "differenceCents" | "documentId"> & { version: number };

const previousEnding = sql`(select p.statement_ending_balance_cents from reconciliation p where p.organization_id = r.organization_id and p.bank_account_id = r.bank_account_id
  and p.status = 'finalized' order by p.statement_end_date desc limit 1)`;
const openingBalance = sql`(select sum(l.debit_cents - l.credit_cents)::bigint from journal_entry e
    join journal_line l on l.organization_id = e.organization_id and l.entry_id = e.id and l.bank_account_id = r.bank_account_id and l.entry_date <= r.statement_end_date
    join bank_account a on a.organization_id = e.organization_id and a.id = r.bank_account_id and a.category_id = l.account_id
  where e.organization_id = r.organization_id and e.source_type = 'bank_account' and e.source_id = r.bank_account_id)`;
const clearedSum = (sign: 1 | -1) => sql`(select coalesce(sum(abs(i.amount_cents)), 0)::bigint from reconciliation_item i
  where i.organization_id = r.organization_id and i.reconciliation_id = r.id and i.is_cleared and not i.is_opening and sign(i.amount_cents) = ${sql.lit(sign)})`;

/** Select list of reconciliations under the alias `r`. */
export const reconciliationColumns: RawBuilder<unknown> = sql`r.id, r.organization_id, r.bank_account_id, r.statement_start_date, r.statement_end_date,
  coalesce(r.opening_balance_cents, ${previousEnding}, ${openingBalance}, 0) as opening_balance_cents, r.statement_ending_balance_cents,
  coalesce(r.cleared_deposits_cents, ${clearedSum(1)}) as cleared_deposits_cents, coalesce(r.cleared_withdrawals_cents, ${clearedSum(-1)}) as cleared_withdrawals_cents,
  r.status, r.three_way, r.variance_note, r.finalized_at, r.finalized_by_user_id, r.voided_at, r.void_reason, r.created_at, r.updated_at, r.version`;

type Beneficiary = ThreeWay["byBeneficiary"][number];
const withPropertyName = (each: Omit<Beneficiary, "propertyName">): Beneficiary => ({ ...each, propertyName: each.kind === "owner" ? each.name : null });

/** Returns a stored proof; one of an earlier version names the properties of owners in `name` alone. */
function storedProof(threeWay: ThreeWay | null): ThreeWay | null {
  if (!threeWay) return null;
  const byBeneficiary = threeWay.byBeneficiary.map((each) => ("propertyName" in each ? each : withPropertyName(each)));
  return { ...threeWay, byBeneficiary };
}

/** Returns the view of a row. */
export function reconciliationView({ version, createdAt, updatedAt, threeWay, ...row }: ReconciliationRow): View {
  return withVersion({ ...row, ...balanceOf(row), threeWay: storedProof(threeWay), documentId: null, createdAt, updatedAt }, version);
}

/** Returns a reconciliation, a draft without its proof. Throws 404 for an unknown id. */
export async function readReconciliation(db: StatementRunner, id: string): Promise<View> {
  const row = await db.first(
    sql<ReconciliationRow>`select ${reconciliationColumns} from reconciliation r where r.organization_id = ${db.organizationId} and r.id = ${id}`,
  );
  if (!row) throw notFound("Reconciliation");
  return reconciliationView(row);
}
