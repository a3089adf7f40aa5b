/** Who may see what is written or kept about a thing: the office all of it, a portal user what is shared and about what is theirs. */
import type { Visibility } from "@freehold/contract/documents";
import { today } from "@freehold/kit/time/clock";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { visibleTo } from "./maintenance/work-orders/work-order.reach.ts";

type Portal = "tenant" | "owner" | "vendor";

/** What of all that is shared is shared with whom. */
const shared: Record<Portal, readonly Visibility[]> = {
  tenant: ["tenant_shared", "tenant_vendor_shared"],
  owner: ["owner_shared"],
  vendor: ["vendor_shared", "tenant_vendor_shared"],
};

/** A condition on rows with an entity and a visibility: whether whoever asks may see them. */
export function sharedWith(db: StatementRunner, alias: "d" | "n"): RawBuilder<unknown> {
  const { role } = db.principal;
  if (role !== "tenant" && role !== "owner" && role !== "vendor") return sql`true`;
  const [type, id] = [sql.ref(`${alias}.entity_type`), sql.ref(`${alias}.entity_id`)];
  const within = Object.entries(reachOf(db, role)).map(([kind, ids]) => sql`(${type} = ${kind} and ${id} in (${ids}))`);
  return sql`${sql.ref(`${alias}.visibility`)} = any(${[...shared[role]]}) and (${sql.join(within, sql` or `)})`;
}

/** The ids of what is a portal user's, by kind: who they stand for, and what has to do with that. */
function reachOf(db: StatementRunner, role: Portal): Record<string, RawBuilder<unknown>> {
  const { organizationId } = db;
  const { subjectId } = db.principal;
  const workOrders = { work_order: sql`select w.id from work_order w where w.organization_id = ${organizationId} and ${visibleTo(db.principal)}` };
  const themselves = { [role]: sql`select ${subjectId}::uuid` };
  if (role === "vendor") return { ...themselves, ...workOrders };
  if (role === "owner") {
    const property = sql`select property_id from property_owner where organization_id = ${organizationId} and owner_id = ${subjectId}`;
    const of = (table: "unit" | "lease") => sql`select id from ${sql.table(table)} where organization_id = ${organizationId} and property_id in (${property})`;
    return { ...themselves, property, unit: of("unit"), lease: of("lease"), ...workOrders };
  }
  const lives = sql`(c.released_on is null or c.released_on > ${today(db.principal.timezone)}::date)`;
  const leasesOf = (
    stay: RawBuilder<unknown>,
  ) => sql`lease l where l.organization_id = ${organizationId} and l.status not in ('draft', 'cancelled') and l.deleted_at is null and exists (
    select 1 from lease_occupant c where c.organization_id = l.organization_id and c.lease_id = l.id and c.tenant_id = ${subjectId} and c.removed_at is null and ${stay})`;
  // A home is shown to those who live there, a lease also afterwards.
  const home = (column: "property_id" | "unit_id") => sql`select l.${sql.ref(column)} from ${leasesOf(lives)} and l.status in ('pending', 'active', 'expired')`;
  return { ...themselves, lease: sql`select l.id from ${leasesOf(sql`true`)}`, unit: home("unit_id"), property: home("property_id"), ...workOrders };
}
