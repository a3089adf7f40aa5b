/** Select list and API representation of a charge. */
import type { Charge as View } from "@freehold/contract/ledger/charges";
import { today } from "@freehold/kit/time/clock";
import { sql } from "@freehold/kit/db/statement";
import { withVersion } from "@freehold/kit/http/etag";
import { daysOverdue } from "./charge.rules.ts";

export type ChargeRow = Omit<View, "isOverdue" | "daysOverdue"> & { version: number };

export const chargeColumns = sql`c.id, c.organization_id, c.lease_id, c.tenant_id, c.property_id, c.unit_id, c.recurring_charge_rule_id, c.name, c.charge_type, c.category_id,
  c.amount_cents, c.allocated_cents, c.credited_cents, c.balance_cents, c.due_date, c.posted_at, c.period_start, c.period_end, c.status, c.late_fee_for_charge_id, c.work_order_id, c.expense_id, c.memo, c.created_at, c.updated_at,
  c.voided_at, c.version`;

/** Returns the API representation of a charge. Overdue days are counted in the given time zone. */
export function chargeView({ version, ...row }: ChargeRow, timezone: string): View {
  const days = daysOverdue(row, today(timezone));
  return withVersion({ ...row, isOverdue: days > 0, daysOverdue: days }, version);
}
