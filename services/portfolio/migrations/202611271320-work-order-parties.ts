import { Migration } from "@mikro-orm/migrations";

const user = "current_setting('app.portal_user', true)";

/** SQL that runs statements on tables whose rows are otherwise hidden from the migration, without their triggers. */
const onAllRows = (tables: readonly string[], statements: string): string => `
  ${tables.map((table) => `alter table ${table} no force row level security; alter table ${table} disable trigger user;`).join("\n  ")}
  ${statements}
  ${tables.map((table) => `alter table ${table} enable trigger user; alter table ${table} force row level security;`).join("\n  ")}`;

/** Returns the SQL of the time of the last change of a work order's field whose former value fulfils the condition. */
const lastChange = (field: string, condition: string): string => `(select max(c.at) from work_order_change c
    where c.organization_id = w.organization_id and c.work_order_id = w.id and c.field = '${field}' and ${condition})`;

const columnSql = `
  alter table work_order add column vendor_replaced_at timestamptz(3), add column tenant_replaced_at timestamptz(3), add column actual_cost_recorded_at timestamptz(3);
  alter table note add column shared_with_vendors_at timestamptz(3) default now();
  ${onAllRows(
    ["work_order", "work_order_change", "note"],
    `update work_order w set vendor_replaced_at = ${lastChange("vendorId", "c.from_value is not null")},
      tenant_replaced_at = ${lastChange("tenantId", "c.from_value is not null")}, actual_cost_recorded_at = ${lastChange("actualCents", "true")};
  update note set shared_with_vendors_at = updated_at;`,
  )}
  alter table note alter column shared_with_vendors_at set not null`;

const functionSql = (signature: string, result: string, body: string): string => `
  create or replace function ${signature} returns ${result} language sql stable parallel safe security definer set search_path = public, pg_temp cost 1 rows 10 as $$
    with portal as (select current_organization() as organization_id, split_part(portal_user, ':', 1) as role,
      nullif(split_part(portal_user, ':', 2), '')::uuid as subject_id, nullif(split_part(portal_user, ':', 4), '')::date as today)
    ${body} $$`;

const functions = [
  `create function is_shown_to_tenant(source text, visibility text) returns boolean language sql immutable parallel safe as $$
    select source = 'tenant' or visibility in ('tenant_shared', 'tenant_vendor_shared') $$`,
  `create function released_from_unit_on(unit uuid, tenant uuid) returns date language sql stable parallel safe security definer set search_path = public, pg_temp cost 1 as $$
    select nullif(max(coalesce(c.released_on, l.superseded_from, 'infinity')), 'infinity')
      from lease_occupant c join lease l on l.organization_id = c.organization_id and l.id = c.lease_id
      where c.organization_id = current_organization() and c.tenant_id = tenant and c.removed_at is null and l.unit_id = unit
        and l.deleted_at is null and l.status not in ('draft', 'cancelled') $$`,
  functionSql(
    "portal_work_order_spans(portal_user text)",
    "table (work_order_id uuid, reads_from timestamptz, reads_until timestamptz)",
    `select w.id, w.vendor_replaced_at, null::timestamptz
      from portal join work_order w on w.organization_id = portal.organization_id and w.vendor_id = portal.subject_id where portal.role = 'vendor'
    union
    select w.id, w.tenant_replaced_at, released_from_unit_on(w.unit_id, w.tenant_id)::timestamp at time zone split_part(portal_user, ':', 5)
      from portal join work_order w on w.organization_id = portal.organization_id and w.tenant_id = portal.subject_id
      where portal.role = 'tenant' and is_shown_to_tenant(w.source, w.visibility)
    union
    select w.id, null, null from portal join property_owner o on o.organization_id = portal.organization_id and o.owner_id = portal.subject_id
        join work_order w on w.organization_id = o.organization_id and w.property_id = o.property_id
      where portal.role = 'owner'`,
  ),
  `create or replace function portal_work_orders(portal_user text) returns setof uuid
    language sql stable parallel safe security definer set search_path = public, pg_temp cost 1 rows 10 as $$
    select work_order_id from portal_work_order_spans(portal_user) $$`,
  functionSql(
    "portal_shared_records(portal_user text)",
    "table (entity_type text, entity_id uuid, shared_before timestamptz)",
    `, tenancy as (
      select l.id, l.property_id, l.unit_id,
        case when c.released_on < coalesce(l.termination_date, 'infinity') then c.released_on::timestamp at time zone split_part(portal_user, ':', 5) end as shared_before,
        coalesce(c.move_in_date, l.start_date) <= portal.today and (c.released_on is null or c.released_on > portal.today)
          and (c.move_out_date is null or c.move_out_date > portal.today) and (l.superseded_from is null or l.superseded_from > portal.today) as is_resident
      from portal join lease_occupant c on c.organization_id = portal.organization_id and c.tenant_id = portal.subject_id
        join lease l on l.organization_id = c.organization_id and l.id = c.lease_id
      where portal.role = 'tenant' and c.role in ('primary', 'co_tenant') and c.removed_at is null and l.deleted_at is null and l.status not in ('draft', 'cancelled')
    ), owned as (
      select p.organization_id, p.id from portal join property_owner o on o.organization_id = portal.organization_id and o.owner_id = portal.subject_id
        join property p on p.organization_id = o.organization_id and p.id = o.property_id where portal.role = 'owner' and p.deleted_at is null
    )
    select role, subject_id, null::timestamptz from portal
    union select 'work_order', work_order_id, reads_until from portal_work_order_spans(portal_user)
    union select 'lease', id, shared_before from tenancy
    union select 'unit', unit_id, null from tenancy where is_resident
    union select 'property', property_id, null from tenancy where is_resident
    union select 'property', id, null from owned
    union select 'unit', u.id, null from owned join unit u on u.organization_id = owned.organization_id and u.property_id = owned.id where u.deleted_at is null
    union select 'lease', reached, null from portal cross join portal_leases(portal_user) reached where portal.role = 'owner'`,
  ),
];

const workOrder = `case portal_role() when 'vendor' then vendor_id = portal_subject() when 'owner' then property_id in (select portal_properties(${user}))
  when 'tenant' then tenant_id = portal_subject() and is_shown_to_tenant(source, visibility) end`;
const readsNote = `deleted_at is null and visibility = any(case portal_role() when 'tenant' then array['tenant_shared', 'tenant_vendor_shared']
    when 'owner' then array['owner_shared'] when 'vendor' then array['vendor_shared', 'tenant_vendor_shared'] end)
  and exists (select from portal_shared_records(${user}) reached where reached.entity_type = note.entity_type and reached.entity_id = note.entity_id
    and (reached.shared_before is null or note.shared_with_tenants_at < reached.shared_before))
  and (entity_type <> 'work_order' or created_by_user_id = portal_user() or exists (select from portal_work_order_spans(${user}) span
    where span.work_order_id = note.entity_id
      and (span.reads_from is null or span.reads_from <= case portal_role() when 'vendor' then shared_with_vendors_at else shared_with_tenants_at end)))`;

/**
 * The vendor and the tenant of a work order read the notes that were shared since the previous one was replaced, and their own. A tenant who
 * was released from the unit reads those shared before.
 */
export class WorkOrderParties extends Migration {
  override up(): void {
    for (const statement of [columnSql, ...functions]) this.addSql(statement);
    this.addSql(`alter policy portal_reach on work_order using ((select is_office()) or (${workOrder})) with check ((select is_office()) or (${workOrder}))`);
    this.addSql(`alter policy portal_reach on note using ((select is_office()) or (${readsNote}))`);
  }
}
