/** Which work orders a caller reaches. Every statement about them asks here, so that the portals need no functions of their own. */
import type { Principal } from "@freehold/kit/auth/principal";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";

/** A condition on the work order `w`: none for the office, and for a portal user only what concerns whom it stands for. */
export function workOrderVisibleTo({ role, subjectId }: Principal): RawBuilder<unknown> | undefined {
  switch (role) {
    case "vendor":
      return sql`w.vendor_id = ${subjectId}`;
    case "owner":
      return sql`exists (select 1 from property_owner po where po.organization_id = w.organization_id and po.property_id = w.property_id and po.owner_id = ${subjectId})`;
    case "tenant":
      return sql`w.tenant_id = ${subjectId} and (w.source = 'tenant' or w.visibility in ('tenant_shared', 'tenant_vendor_shared'))`;
    default:
      return undefined;
  }
}

/** A condition on the estimate `e`, besides that on its work order: a vendor does not see what others would do the work for. */
export const estimateVisibleTo = ({ role, subjectId }: Principal): RawBuilder<unknown> | undefined =>
  role === "vendor" ? sql`e.vendor_id = ${subjectId}` : undefined;

const newestOwn = (subjectId: string | null, status: RawBuilder<unknown>) => sql`(select e.amount_cents from work_order_estimate e
  where e.organization_id = w.organization_id and e.work_order_id = w.id and e.vendor_id = ${subjectId} and ${status} order by e.created_at desc, e.id desc limit 1)`;

/** What the work order `w` should cost, and what was approved of that: to a vendor only by its own estimates. */
export const amountsVisibleTo = ({ role, subjectId }: Principal): RawBuilder<unknown> =>
  role === "vendor"
    ? sql`${newestOwn(subjectId, sql`true`)} as estimate_cents, ${newestOwn(subjectId, sql`e.status = 'approved'`)} as approved_estimate_cents`
    : sql`w.estimate_cents, w.approved_estimate_cents`;
