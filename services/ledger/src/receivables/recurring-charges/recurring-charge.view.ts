/** Select list and API representation of a recurring charge. */
import type { RecurringChargeRule as View } from "@freehold/contract/ledger/recurring-charges";
import { sql } from "@freehold/kit/db/statement";
import { withVersion } from "@freehold/kit/http/etag";

export type RuleRow = View & { version: number };

export const ruleColumns = sql`r.id, r.organization_id, r.lease_id, r.property_id, r.tenant_id, r.unit_id, r.amount_cents, r.category_id, r.day_of_month, r.start_date, r.end_date,
  'monthly' as frequency, r.kind, r.label, r.status, r.created_at, r.updated_at, r.deleted_at, r.version`;

export const recurringChargeView = ({ version, ...row }: RuleRow): View => withVersion(row, version);
