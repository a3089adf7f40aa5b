/** How many charges a list has and what they add up to, from few rows where that can be. */
import type { Charge as View, charges } from "@freehold/contract/charges";
import type { QueryOf } from "@freehold/contract/operation";
import { today } from "@freehold/kit/time/clock";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { and, isUnfiltered, type ListDefinition } from "@freehold/kit/db/list";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { clampSumToSafeInteger } from "@freehold/domain/money";

export interface ChargeTotals {
  total: number;
  amountCents: View["balanceCents"];
  balanceCents: View["balanceCents"];
}

/** Pending or partially paid is to have a balance. */
export const isOpen = (status: readonly View["status"][]): boolean =>
  status.includes("pending") && status.includes("partially_paid") && status.every((each) => each === "pending" || each === "partially_paid");

/** What the charges of a list add up to. Only open ones have a balance, so what asks for those, or for no less than all, is not summed up from all. */
export function chargeTotals(
  db: OrgDb,
  { status, overdue, ...query }: QueryOf<(typeof charges)["operations"]["listCharges"]>,
  where: ListDefinition["where"],
): RawBuilder<ChargeTotals> {
  const amount = clampSumToSafeInteger(sql`sum(amount_cents)`);
  const balance = clampSumToSafeInteger(sql`sum(balance_cents)`);
  const open = sql`from open_charge where organization_id = ${db.organizationId} and due_date < ${overdue ? today(db.principal.timezone) : "infinity"}`;
  if (!isUnfiltered(query) || overdue === false || (status && !isOpen(status)))
    return sql`select count(*) as total, ${amount} as amount_cents, ${balance} as balance_cents from charge c where ${and(where)}`;
  if (status || overdue) return sql`select count(*) as total, ${amount} as amount_cents, ${balance} as balance_cents ${open}`;
  return sql`select coalesce(sum(rows) filter (where list = 'charge'), 0)::bigint as total,
      ${clampSumToSafeInteger(sql`sum(amount_cents) filter (where list = 'charge')`)} as amount_cents,
      ${clampSumToSafeInteger(sql`sum(amount_cents) filter (where list = 'open_charge')`)} as balance_cents
    from list_total where organization_id = ${db.organizationId} and list in ('charge', 'open_charge')`;
}
