import { officeOnlySql, portalReachSql, type PortalReach } from "@freehold/kit/db/portal-reach";
import { Migration } from "@mikro-orm/migrations";

/** Setting of the portal user, which the functions below take, since they read with the reach of the office. */
const user = "current_setting('app.portal_user', true)";

/**
 * Functions of the rows that a portal user reaches. They read tables whose policies call them, so they run with the owner's privileges; the
 * policy of the organization applies to them as to all others. Their low cost and number of rows keep the plans of the office, which never
 * calls them, as they are without them.
 */
const functionSql = (name: string, result: string, body: string): string => `
  create function ${name}(portal_user text) returns ${result} language sql stable parallel safe security definer set search_path = public, pg_temp cost 1 rows 10 as $$
    with portal as (select current_organization() as organization_id, split_part(portal_user, ':', 1) as role,
      nullif(split_part(portal_user, ':', 2), '')::uuid as subject_id, nullif(split_part(portal_user, ':', 4), '')::date as today)
    ${body} $$`;

/** Condition that the occupant `c` is a tenant of the lease `l`, which is neither a draft nor cancelled. */
const isTenantOfLease = `c.role in ('primary', 'co_tenant') and c.removed_at is null and l.deleted_at is null and l.status not in ('draft', 'cancelled')`;

const functions = [
  functionSql(
    "portal_leases",
    "setof uuid",
    `select l.id from portal join lease_occupant c on c.organization_id = portal.organization_id and c.tenant_id = portal.subject_id
        join lease l on l.organization_id = c.organization_id and l.id = c.lease_id
      where portal.role = 'tenant' and ${isTenantOfLease}
        and (c.released_on is null or c.released_on > portal.today or c.released_on >= l.termination_date)
    union
    select l.id from portal join property_owner o on o.organization_id = portal.organization_id and o.owner_id = portal.subject_id
        join lease l on l.organization_id = o.organization_id and l.property_id = o.property_id
      where portal.role = 'owner' and l.status not in ('draft', 'cancelled') and l.deleted_at is null`,
  ),
  functionSql(
    "portal_work_orders",
    "setof uuid",
    `select w.id from portal join work_order w on w.organization_id = portal.organization_id and w.vendor_id = portal.subject_id where portal.role = 'vendor'
    union
    select w.id from portal join work_order w on w.organization_id = portal.organization_id and w.tenant_id = portal.subject_id
      where portal.role = 'tenant' and (w.source = 'tenant' or w.visibility in ('tenant_shared', 'tenant_vendor_shared'))
    union
    select w.id from portal join property_owner o on o.organization_id = portal.organization_id and o.owner_id = portal.subject_id
        join work_order w on w.organization_id = o.organization_id and w.property_id = o.property_id
      where portal.role = 'owner'`,
  ),
  functionSql(
    "portal_properties",
    "setof uuid",
    `select o.property_id from portal join property_owner o on o.organization_id = portal.organization_id and o.owner_id = portal.subject_id
      where portal.role = 'owner'
    union
    select l.property_id from portal cross join portal_leases(portal_user) reached join lease l on l.organization_id = portal.organization_id and l.id = reached
    union
    select w.property_id from portal cross join portal_work_orders(portal_user) reached
      join work_order w on w.organization_id = portal.organization_id and w.id = reached`,
  ),
  functionSql(
    "portal_units",
    "setof uuid",
    `select u.id from portal join property_owner o on o.organization_id = portal.organization_id and o.owner_id = portal.subject_id
        join unit u on u.organization_id = o.organization_id and u.property_id = o.property_id
      where portal.role = 'owner'
    union
    select l.unit_id from portal cross join portal_leases(portal_user) reached join lease l on l.organization_id = portal.organization_id and l.id = reached
    union
    select unnest(r.stall_unit_ids) from portal cross join portal_leases(portal_user) reached
      join parking_right r on r.organization_id = portal.organization_id and r.lease_id = reached
    union
    select w.unit_id from portal cross join portal_work_orders(portal_user) reached
      join work_order w on w.organization_id = portal.organization_id and w.id = reached where w.unit_id is not null`,
  ),
  functionSql(
    "portal_tenants",
    "setof uuid",
    `select portal.subject_id from portal where portal.role = 'tenant'
    union
    select l.tenant_id from portal cross join portal_leases(portal_user) reached join lease l on l.organization_id = portal.organization_id and l.id = reached
    union
    select c.tenant_id from portal cross join portal_leases(portal_user) reached
      join lease_occupant c on c.organization_id = portal.organization_id and c.lease_id = reached where c.tenant_id is not null
    union
    select w.tenant_id from portal cross join portal_work_orders(portal_user) reached
      join work_order w on w.organization_id = portal.organization_id and w.id = reached where portal.role = 'vendor' and w.tenant_id is not null`,
  ),
  functionSql(
    "portal_vendors",
    "setof uuid",
    `select portal.subject_id from portal where portal.role = 'vendor'
    union
    select w.vendor_id from portal cross join portal_work_orders(portal_user) reached
      join work_order w on w.organization_id = portal.organization_id and w.id = reached where portal.role <> 'vendor' and w.vendor_id is not null
    union
    select e.vendor_id from portal cross join portal_work_orders(portal_user) reached
      join work_order_estimate e on e.organization_id = portal.organization_id and e.work_order_id = reached where portal.role = 'owner' and e.vendor_id is not null`,
  ),
  // A former tenant keeps access to what was shared about the lease, until a release before its termination, but not to the unit and its property.
  functionSql(
    "portal_shared_records",
    "table (entity_type text, entity_id uuid, shared_before timestamptz)",
    `, tenancy as (
      select l.id, l.property_id, l.unit_id,
        case when c.released_on < coalesce(l.termination_date, 'infinity') then c.released_on::timestamp at time zone split_part(portal_user, ':', 5) end as shared_before,
        coalesce(c.move_in_date, l.start_date) <= portal.today and (c.released_on is null or c.released_on > portal.today)
          and (c.move_out_date is null or c.move_out_date > portal.today) and (l.superseded_from is null or l.superseded_from > portal.today) as is_resident
      from portal join lease_occupant c on c.organization_id = portal.organization_id and c.tenant_id = portal.subject_id
        join lease l on l.organization_id = c.organization_id and l.id = c.lease_id
      where portal.role = 'tenant' and ${isTenantOfLease}
    ), owned as (
      select o.organization_id, o.property_id from portal
        join property_owner o on o.organization_id = portal.organization_id and o.owner_id = portal.subject_id where portal.role = 'owner'
    )
    select role, subject_id, null::timestamptz from portal
    union select 'work_order', reached, null from portal_work_orders(portal_user) reached
    union select 'lease', id, shared_before from tenancy
    union select 'unit', unit_id, null from tenancy where is_resident
    union select 'property', property_id, null from tenancy where is_resident
    union select 'property', property_id, null from owned
    union select 'unit', u.id, null from owned join unit u on u.organization_id = owned.organization_id and u.property_id = owned.property_id
    union select 'lease', l.id, null from owned join lease l on l.organization_id = owned.organization_id and l.property_id = owned.property_id`,
  ),
];

const reaches = (name: string, column: string): string => `${column} in (select ${name}(${user}))`;
const isSubject = (role: string, column: string): string => `portal_role() = '${role}' and ${column} = portal_subject()`;

const workOrder = `case portal_role() when 'vendor' then vendor_id = portal_subject() when 'owner' then ${reaches("portal_properties", "property_id")}
  when 'tenant' then tenant_id = portal_subject() and (source = 'tenant' or visibility in ('tenant_shared', 'tenant_vendor_shared')) end`;
const estimate = `${reaches("portal_work_orders", "work_order_id")} and (portal_role() = 'owner' or (${isSubject("vendor", "vendor_id")}))`;
const isShared = `visibility = any(case portal_role() when 'tenant' then array['tenant_shared', 'tenant_vendor_shared'] when 'owner' then array['owner_shared']
  when 'vendor' then array['vendor_shared', 'tenant_vendor_shared'] end)`;
const sharedBy = (table: string): string => `deleted_at is null and ${isShared} and exists (select from portal_shared_records(${user}) reached
  where reached.entity_type = ${table}.entity_type and reached.entity_id = ${table}.entity_id
    and (reached.shared_before is null or ${table}.shared_with_tenants_at < reached.shared_before))`;
const isNoteOfWorkOrder = `entity_type = 'work_order' and ${reaches("portal_work_orders", "entity_id")}`;
const insurance = isSubject("vendor", "vendor_id");
const ofLease = { reads: reaches("portal_leases", "lease_id") };

const tables: Record<string, PortalReach> = {
  property: { reads: reaches("portal_properties", "id") },
  unit: { reads: reaches("portal_units", "id") },
  owner: { reads: isSubject("owner", "id") },
  property_owner: { reads: isSubject("owner", "owner_id") },
  property_share: { reads: isSubject("owner", "owner_id") },
  tenant: { reads: reaches("portal_tenants", "id") },
  vendor: { reads: reaches("portal_vendors", "id"), writes: isSubject("vendor", "id") },
  vendor_insurance: { reads: insurance, writes: insurance, deletes: insurance },
  lease: { reads: reaches("portal_leases", "id") },
  lease_occupant: ofLease,
  billing_schedule: ofLease,
  billing_step: { reads: "schedule_id in (select id from billing_schedule)" },
  parking_right: ofLease,
  work_order: { reads: workOrder, writes: workOrder },
  work_order_change: { reads: "false", writes: reaches("portal_work_orders", "work_order_id") },
  work_order_estimate: { reads: estimate, writes: estimate },
  note: { reads: sharedBy("note"), writes: isNoteOfWorkOrder },
  document: { reads: sharedBy("document") },
};

/** Reach of tenants, owners and vendors. */
export class PortalReachOfPortfolio extends Migration {
  override up(): void {
    this.addSql(officeOnlySql);
    for (const statement of [...functions, ...Object.entries(tables).map(([table, reach]) => portalReachSql(table, reach))]) this.addSql(statement);
  }
}
