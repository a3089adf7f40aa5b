/** How many charges a list has and what they add up to, from few rows where that can be. */
import type { Charge as View, charges } from "@freehold/contract/charges";
import type { QueryOf } from "@freehold/contract/operation";
import { today } from "@freehold/kit/clock";
import type { OrgDb } from "@freehold/kit/db";
import { and, type Listing } from "@freehold/kit/list";
import { sql, type RawBuilder } from "@freehold/kit/statement";
import { countableSum } from "../countable.ts";

export interface ChargeTotals {
  total: number;
  amountCents: View["balanceCents"];
  balanceCents: View["balanceCents"];
}

/** Pending or partially paid is to have a balance. */
export const isOpen = (status: readonly View["status"][]): boolean =>
  status.includes("pending") && status.includes("partially_paid") && status.every((each) => each === "pending" || each === "partially_paid");

/** By reading every charge that meets the conditions. */
export const countedTotals = (where: Listing["where"]) => sql<ChargeTotals>`
  select count(*) as total, ${countableSum(sql`sum(c.amount_cents)`)} as amount_cents, ${countableSum(sql`sum(c.balance_cents)`)} as balance_cents from charge c where ${and(where)}`;

const aboutPages = new Set(["page", "pageSize", "sortBy", "sortDirection", "includeDeleted"]);

/** Whether a list is asked for as it stands, without a filter. */
const isWhole = (query: object): boolean => Object.entries(query).every(([name, value]) => value === undefined || aboutPages.has(name));

/** Of all charges, or of all that are open or overdue: only open ones have a balance. Undefined when another filter asks for less. */
export function knownTotals(
  db: OrgDb,
  { status, overdue, ...query }: QueryOf<(typeof charges)["operations"]["listCharges"]>,
): RawBuilder<ChargeTotals> | undefined {
  if (!isWhole(query) || overdue === false || (status && !isOpen(status))) return undefined;
  const open = sql`from open_charge where organization_id = ${db.organizationId} and due_date < ${overdue ? today(db.scope.timezone) : "infinity"}`;
  const balance = countableSum(sql`sum(balance_cents)`);
  if (status || overdue) return sql`select count(*) as total, ${countableSum(sql`sum(amount_cents)`)} as amount_cents, ${balance} as balance_cents ${open}`;
  return sql`select count(*) as total, ${countableSum(sql`sum(c.amount_cents)`)} as amount_cents, (select ${balance} ${open}) as balance_cents
    from charge c where c.organization_id = ${db.organizationId}`;
}
