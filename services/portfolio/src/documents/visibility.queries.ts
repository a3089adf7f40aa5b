/** Visibility of documents and notes: the office sees all of them, a portal user only those of the user's own records that are shared with the portal. */
import type { Visibility } from "@freehold/contract/documents/documents";
import { today } from "@freehold/kit/time/clock";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { workOrderVisibleTo } from "../maintenance/work-orders/work-order.access.ts";

type Portal = "tenant" | "owner" | "vendor";

const sharedVisibilities: Record<Portal, readonly Visibility[]> = {
  tenant: ["tenant_shared", "tenant_vendor_shared"],
  owner: ["owner_shared"],
  vendor: ["vendor_shared", "tenant_vendor_shared"],
};

/** Returns the condition that the principal may see the document `d` or the note `n`. */
export function visibilityCondition(db: StatementRunner, alias: "d" | "n"): RawBuilder<unknown> {
  const { role } = db.principal;
  if (role !== "tenant" && role !== "owner" && role !== "vendor") return sql`true`;
  const [entityType, entityId] = [sql.ref(`${alias}.entity_type`), sql.ref(`${alias}.entity_id`)];
  const accessConditions = Object.entries(accessibleIds(db, role)).map(([type, ids]) => sql`(${entityType} = ${type} and ${entityId} in (${ids}))`);
  return sql`${sql.ref(`${alias}.visibility`)} = any(${[...sharedVisibilities[role]]}) and (${sql.join(accessConditions, sql` or `)})`;
}

/** Returns subqueries of the ids that a portal user has access to, by entity type. */
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
  const isNotReleased = sql`(c.released_on is null or c.released_on > ${today(db.principal.timezone)}::date)`;
  const leasesOfTenant = (
    occupantCondition: RawBuilder<unknown>,
  ) => sql`lease l where l.organization_id = ${organizationId} and l.status not in ('draft', 'cancelled') and l.deleted_at is null and exists (
    select 1 from lease_occupant c where c.organization_id = l.organization_id and c.lease_id = l.id and c.tenant_id = ${subjectId} and c.removed_at is null and ${occupantCondition})`;
  // A former tenant keeps access to the lease, not to the unit and its property.
  const occupiedIds = (column: "property_id" | "unit_id") =>
    sql`select l.${sql.ref(column)} from ${leasesOfTenant(isNotReleased)} and l.status in ('pending', 'active', 'expired')`;
  return {
    ...subject,
    lease: sql`select l.id from ${leasesOfTenant(sql`true`)}`,
    unit: occupiedIds("unit_id"),
    property: occupiedIds("property_id"),
    ...workOrders,
  };
}
