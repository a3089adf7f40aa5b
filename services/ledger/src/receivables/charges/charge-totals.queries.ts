/** Row count and sums of a list of charges. */
import type { Charge as View, charges } from "@freehold/contract/ledger/charges";
import type { QueryOf } from "@freehold/contract/operation";
import { today } from "@freehold/kit/time/clock";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { and, isUnfiltered, type ListDefinition } from "@freehold/kit/db/list";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { clampSumToSafeInteger } from "@freehold/domain/money";

/** Totals of all charges that match a list query. */
export interface ChargeTotals {
  total: number;
  amountCents: View["balanceCents"];
  balanceCents: View["balanceCents"];
}

/** Returns true if a status filter selects exactly the charges with a balance, `pending` and `partially_paid`. */
export const isOpenStatusFilter = (statuses: readonly View["status"][]): boolean =>
  statuses.includes("pending") && statuses.includes("partially_paid") && statuses.every((status) => status === "pending" || status === "partially_paid");

/**
 * Returns the query of the totals. An unfiltered list reads the totals maintained by triggers, and a list of open or overdue
 * charges reads the open charges; only other filters aggregate over all charges.
 */
export function chargeTotalsQuery(
  db: OrgDb,
  { status, overdue, ...query }: QueryOf<(typeof charges)["operations"]["listCharges"]>,
  where: ListDefinition["where"],
): RawBuilder<ChargeTotals> {
  const amount = clampSumToSafeInteger(sql`sum(amount_cents)`);
  const balance = clampSumToSafeInteger(sql`sum(balance_cents)`);
  const openCharges = sql`from open_charge where organization_id = ${db.organizationId} and due_date < ${overdue ? today(db.principal.timezone) : "infinity"}`;
  if (!isUnfiltered(query) || overdue === false || (status && !isOpenStatusFilter(status)))
    return sql`select count(*) as total, ${amount} as amount_cents, ${balance} as balance_cents from charge c where ${and(where)}`;
  if (status || overdue) return sql`select count(*) as total, ${amount} as amount_cents, ${balance} as balance_cents ${openCharges}`;
  return sql`select coalesce(sum(rows) filter (where list = 'charge'), 0)::bigint as total,
      ${clampSumToSafeInteger(sql`sum(amount_cents) filter (where list = 'charge')`)} as amount_cents,
      ${clampSumToSafeInteger(sql`sum(amount_cents) filter (where list = 'open_charge')`)} as balance_cents
    from list_total where organization_id = ${db.organizationId} and list in ('charge', 'open_charge')`;
}
