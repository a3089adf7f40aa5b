/** Visibility of documents and notes: the office sees all of them, a portal user only those of the user's own records that are shared with the portal. */
import type { Visibility } from "@freehold/contract/documents/documents";
import { today } from "@freehold/kit/time/clock";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { occupancyCondition } from "../properties/units/occupancy.queries.ts";
import { workOrderVisibleTo } from "../maintenance/work-orders/work-order.access.ts";
import { tenantVisibilities } from "./sharing.rules.ts";

type Portal = "tenant" | "owner" | "vendor";

const sharedVisibilities: Record<Portal, readonly Visibility[]> = {
  tenant: tenantVisibilities,
  owner: ["owner_shared"],
  vendor: ["vendor_shared", "tenant_vendor_shared"],
};

/** Returns the condition that the principal may see the document `d` or the note `n`. */
export function visibilityCondition(db: StatementRunner, alias: "d" | "n"): RawBuilder<unknown> {
  const { role } = db.principal;
  if (role !== "tenant" && role !== "owner" && role !== "vendor") return sql`true`;
  const [entityType, entityId] = [sql.ref(`${alias}.entity_type`), sql.ref(`${alias}.entity_id`)];
  const accessConditions = Object.entries(accessibleIds(db, role)).map(([type, ids]) => sql`(${entityType} = ${type} and ${entityId} in (${ids}))`);
  const isShared = sql`${sql.ref(`${alias}.visibility`)} = any(${[...sharedVisibilities[role]]}) and (${sql.join(accessConditions, sql` or `)})`;
  if (role !== "tenant") return isShared;
  const sharedOn = sql`(${sql.ref(`${alias}.shared_with_tenants_at`)} at time zone ${db.principal.timezone}::text)::date`;
  return sql`${isShared} and (${entityType} <> 'lease' or exists (select 1 from ${leasesOfTenant(db, isTenantOfLease(sharedOn))} and l.id = ${entityId}))`;
}

/** Condition that the occupant `c` is a tenant of the lease. Guarantors and other occupants, such as minors, read nothing about the lease. */
const isTenantRole = sql`c.role in ('primary', 'co_tenant')`;

/**
 * Returns the condition that the occupant `c` reads, then and later, what is shared about the lease `l` on a day: its tenants until
 * their release, and those who stayed until the termination also afterwards.
 */
export const isTenantOfLease = (day: RawBuilder<unknown>): RawBuilder<unknown> => sql`l.deleted_at is null and l.status not in ('draft', 'cancelled')
  and c.removed_at is null and ${isTenantRole} and (c.released_on is null or c.released_on > ${day} or c.released_on >= l.termination_date)`;

/** Returns the condition that the occupant `c` of the lease `l` reads what is shared about the unit and its property: the tenants who live there. */
export const isResidentTenant = (day: string): RawBuilder<unknown> => sql`${occupancyCondition(day)} and ${isTenantRole}`;

/** Returns the leases `l` with their occupants `c` who are the principal and meet a condition, for a from clause. */
const leasesOfTenant = ({ organizationId, principal }: StatementRunner, occupantCondition: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`lease l join lease_occupant c on c.organization_id = l.organization_id and c.lease_id = l.id
    where l.organization_id = ${organizationId} and c.tenant_id = ${principal.subjectId} and ${occupantCondition}`;

/** Returns subqueries of the ids that a portal user has access to, by entity type; for a tenant's leases, also those of former times. */
function accessibleIds(db: StatementRunner, role: Portal): Record<string, RawBuilder<unknown>> {
  const { organizationId } = db;
  const { subjectId } = db.principal;
  const workOrders = { work_order: sql`select w.id from work_order w where w.organization_id = ${organizationId} and ${workOrderVisibleTo(db.principal)}` };
  const subject = { [role]: sql`select ${subjectId}::uuid` };
  if (role === "vendor") return { ...subject, ...workOrders };
  if (role === "owner") {
    const property = sql`select property_id from property_owner where organization_id = ${organizationId} and owner_id = ${subjectId}`;
    const idsIn = (table: "unit" | "lease") =>
      sql`select id from ${sql.table(table)} where organization_id = ${organizationId} and property_id in (${property})`;
    return { ...subject, property, unit: idsIn("unit"), lease: idsIn("lease"), ...workOrders };
  }
  // A former tenant keeps access to the lease, not to the unit and its property.
  const occupied = leasesOfTenant(db, isResidentTenant(today(db.principal.timezone)));
  return {
    ...subject,
    lease: sql`select l.id from ${leasesOfTenant(db, sql`c.removed_at is null`)}`,
    unit: sql`select l.unit_id from ${occupied}`,
    property: sql`select l.property_id from ${occupied}`,
    ...workOrders,
  };
}
