/** Row-level access to work orders and estimates. Every query applies these conditions, so the portals share the office's functions. */
import type { Principal } from "@freehold/kit/auth/principal";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";

/** Returns the condition that the caller has access to the work order `w`: none for the office, the linked tenant, owner or vendor for a portal user. */
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

/** Returns the condition on the estimate `e`, in addition to `workOrderVisibleTo`: a vendor sees only its own estimates. */
export const estimateVisibleTo = ({ role, subjectId }: Principal): RawBuilder<unknown> | undefined =>
  role === "vendor" ? sql`e.vendor_id = ${subjectId}` : undefined;

/** Returns the select list, with its comma, of whether the estimate `e` needs an owner's approval; empty for a vendor, who could learn the limit of the property `p` from it. */
export const ownerApprovalVisibleTo = ({ role }: Principal): RawBuilder<unknown> =>
  role === "vendor" ? sql`` : sql`coalesce(e.amount_cents > p.maintenance_limit_cents, false) as needs_owner_approval,`;

const newestOwnAmount = (subjectId: string | null, status: RawBuilder<unknown>) => sql`(select e.amount_cents from work_order_estimate e
  where e.organization_id = w.organization_id and e.work_order_id = w.id and e.vendor_id = ${subjectId} and ${status} order by e.created_at desc, e.id desc limit 1)`;

/** Returns the select list of the estimated and approved cents of the work order `w`. A vendor sees those of its own estimates only. */
export const amountsVisibleTo = ({ role, subjectId }: Principal): RawBuilder<unknown> =>
  role === "vendor"
    ? sql`${newestOwnAmount(subjectId, sql`true`)} as estimate_cents, ${newestOwnAmount(subjectId, sql`e.status = 'approved'`)} as approved_estimate_cents`
    : sql`w.estimate_cents, w.approved_estimate_cents`;
