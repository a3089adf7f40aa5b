/** Replication of portfolio's tenants, properties, units and leases into the projections. */
import type { leaseStatuses } from "@freehold/contract/leases/leases";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { Lease, Vendor } from "@freehold/proto/portfolio/v1/portfolio";
import { sql } from "@freehold/kit/db/statement";
import type { Clients } from "../clients.ts";
import type { LateFeeTerms } from "../receivables/late-fees/late-fee.rules.ts";
import { inLedgerTimezone } from "../settings/ledger-settings.ts";

/** Lease as projected in the ledger. */
export interface ProjectedLease {
  id: string;
  propertyId: string;
  unitId: string;
  tenantId: string;
  payerIds: string[];
  status: (typeof leaseStatuses)[number];
  startDate: string;
  endDate: string | null;
  lateFeeTerms: LateFeeTerms | null;
  /** True if the primary tenant was deleted. `createCharge` and NSF fees refuse such a lease. */
  isTenantDeleted: boolean;
}

type Portfolio = Clients["portfolio"];
const newRowColumns = (db: StatementRunner) => sql`${db.organizationId}, id, now(), now()`;
/** Rows are written in the order of their ids, so that concurrent upserts cannot deadlock. */
const orderById = sql.raw("order by id");
const touch = sql.raw("updated_at = excluded.updated_at, version = stored.version + 1");

/** Reads tenants from portfolio and saves their names, merges and deletions. A merge and a deletion are final, so neither is cleared. */
export async function replicateTenants(db: OrgDb, portfolio: Portfolio, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const { tenants } = await portfolio.getTenants(db, { ids: [...ids] });
  await db.all(sql`insert into tenant_copy as stored (organization_id, id, created_at, updated_at, full_name, merged_into_id, is_deleted)
    select ${newRowColumns(db)}, "fullName", "mergedIntoId", "isDeleted"
    from jsonb_to_recordset(${JSON.stringify(tenants)}::jsonb) as input (id uuid, "fullName" text, "mergedIntoId" uuid, "isDeleted" boolean) ${orderById}
    on conflict (organization_id, id) do update set full_name = excluded.full_name, merged_into_id = coalesce(excluded.merged_into_id, stored.merged_into_id),
      is_deleted = stored.is_deleted or excluded.is_deleted, ${touch}`);
}

/** Replicates those of the tenants that are not projected yet. */
export const replicateMissingTenants = async (db: OrgDb, portfolio: Portfolio, ids: readonly string[]): Promise<void> =>
  replicateTenants(db, portfolio, (await findMissing(db, [{ table: "tenant_copy", ids }]))[0]);

/** Reads properties from portfolio and saves their names, cities, states and deadlines of dispositions. */
export async function replicateProperties(db: OrgDb, portfolio: Portfolio, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const { properties } = await portfolio.getProperties(db, { ids: [...ids] });
  await db.all(sql`insert into property_copy as stored (organization_id, id, created_at, updated_at, name, city, state, deposit_deadline_days)
    select ${newRowColumns(db)}, name, city, state, "depositDeadlineDays" from jsonb_to_recordset(${JSON.stringify(properties)}::jsonb) as input (id uuid, name text, city text, state text, "depositDeadlineDays" int) ${orderById}
    on conflict (organization_id, id) do update set name = excluded.name, city = excluded.city, state = excluded.state,
      deposit_deadline_days = excluded.deposit_deadline_days, ${touch}`);
}

/** Reads vendors from portfolio and saves their names and deletions. */
export async function replicateVendors(db: OrgDb, portfolio: Portfolio, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await saveVendors(db, (await portfolio.getVendors(db, { ids: [...ids] })).vendors);
}

/** Saves the names and deletions of vendors. A deletion is final, so it is not cleared. */
export async function saveVendors(db: OrgDb, vendors: readonly Vendor[]): Promise<void> {
  if (vendors.length === 0) return;
  await db.all(sql`insert into vendor_copy as stored (organization_id, id, created_at, updated_at, name, is_deleted)
    select ${newRowColumns(db)}, name, "isDeleted" from jsonb_to_recordset(${JSON.stringify(vendors)}::jsonb) as input (id uuid, name text, "isDeleted" boolean) ${orderById}
    on conflict (organization_id, id) do update set name = excluded.name, is_deleted = stored.is_deleted or excluded.is_deleted, ${touch}`);
}

/** Reads units from portfolio and saves their numbers. */
export async function replicateUnits(db: OrgDb, portfolio: Portfolio, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const { units } = await portfolio.getUnits(db, { ids: [...ids] });
  await db.all(sql`insert into unit_copy as stored (organization_id, id, created_at, updated_at, property_id, unit_number)
    select ${newRowColumns(db)}, "propertyId", "unitNumber" from jsonb_to_recordset(${JSON.stringify(units)}::jsonb) as input (id uuid, "propertyId" uuid, "unitNumber" text) ${orderById}
    on conflict (organization_id, id) do update set property_id = excluded.property_id, unit_number = excluded.unit_number, ${touch}`);
}

/** Reads leases from portfolio. Who pays on them today depends on the time zone, which an event does not tell. */
export const readLeases = async (db: OrgDb, portfolio: Portfolio, ids: readonly string[]): Promise<Lease[]> =>
  ids.length === 0 ? [] : (await portfolio.getLeases(await inLedgerTimezone(db), { ids: [...ids] })).leases;

/** Reads leases from portfolio and saves them. */
export async function replicateLeases(db: OrgDb, portfolio: Portfolio, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await saveLeases(db, portfolio, await readLeases(db, portfolio, ids));
}

/** Saves leases unless a later version is saved already, and replicates those of their tenants, properties and units that are not projected yet. */
export async function saveLeases(db: OrgDb, portfolio: Portfolio, leases: readonly Lease[]): Promise<void> {
  await db.all(sql`insert into lease_copy as stored (organization_id, id, created_at, updated_at, property_id, unit_id, tenant_id, payer_ids, former_payers, tenancy_id, status, start_date, end_date, moved_out_on, source_version, late_fee_terms)
    select ${newRowColumns(db)}, "propertyId", "unitId", "tenantId", array(select jsonb_array_elements_text("payerIds"))::uuid[], "formerPayers",
      coalesce((select predecessor.tenancy_id from lease_copy predecessor where predecessor.organization_id = ${db.organizationId} and predecessor.id = "renewedFromLeaseId"), "renewedFromLeaseId", id), status, "startDate", "endDate",
      case status when 'terminated' then coalesce("movedOutOn", "terminationDate") when 'expired' then coalesce("movedOutOn", "endDate") end, version,
      case when "lateFeeType" is not null then jsonb_build_object('type', "lateFeeType", 'amountCents', coalesce("lateFeeAmountCents", 0),
        'percentBps', coalesce("lateFeePercentBps", 0), 'graceDays', coalesce("lateFeeGraceDays", 0)) end
    from jsonb_to_recordset(${JSON.stringify(leases)}::jsonb)
      as input (id uuid, "propertyId" uuid, "unitId" uuid, "tenantId" uuid, "payerIds" jsonb, "formerPayers" jsonb, "renewedFromLeaseId" uuid, status text, "startDate" date, "endDate" date,
        "terminationDate" date, "movedOutOn" date, version int,
        "lateFeeType" text, "lateFeeAmountCents" bigint, "lateFeePercentBps" int, "lateFeeGraceDays" int) ${orderById}
    on conflict (organization_id, id) do update set property_id = excluded.property_id, unit_id = excluded.unit_id, tenant_id = excluded.tenant_id,
      payer_ids = excluded.payer_ids, former_payers = excluded.former_payers, tenancy_id = excluded.tenancy_id, status = excluded.status, start_date = excluded.start_date, end_date = excluded.end_date, moved_out_on = excluded.moved_out_on,
      source_version = excluded.source_version, late_fee_terms = coalesce(excluded.late_fee_terms, stored.late_fee_terms), ${touch}
      where stored.source_version is null or stored.source_version <= excluded.source_version`);
  const idsOf = (select: (lease: Lease) => string[]) => [...new Set(leases.flatMap(select))];
  const [tenants, properties, units] = await findMissing(db, [
    { table: "tenant_copy", ids: idsOf(({ tenantId, payerIds, formerPayers }) => [tenantId, ...payerIds, ...formerPayers.map((payer) => payer.tenantId)]) },
    { table: "property_copy", ids: idsOf(({ propertyId }) => [propertyId]) },
    { table: "unit_copy", ids: idsOf(({ unitId }) => [unitId]) },
  ] as const);
  await Promise.all([replicateTenants(db, portfolio, tenants), replicateProperties(db, portfolio, properties), replicateUnits(db, portfolio, units)]);
}

interface Referenced {
  table: "tenant_copy" | "property_copy" | "unit_copy";
  ids: readonly string[];
}

/** Returns the ids that have no row in the projection, for each projection. */
async function findMissing<const R extends readonly Referenced[]>(db: OrgDb, references: R): Promise<{ [K in keyof R]: string[] }> {
  const selects = references.map(
    ({ table, ids }) => sql`select ${table} as "table", requested.id from unnest(${[...ids]}::uuid[]) as requested (id)
      where not exists (select from ${sql.table(table)} projected where projected.organization_id = ${db.organizationId} and projected.id = requested.id)`,
  );
  const rows = await db.all(sql<{ table: string; id: string }>`${sql.join(selects, sql` union all `)}`);
  return references.map(({ table }) => rows.filter((row) => row.table === table).map(({ id }) => id)) as { [K in keyof R]: string[] };
}

const selectLeases = (db: StatementRunner, ids: readonly string[]) => sql<ProjectedLease>`
  select id, property_id, unit_id, tenant_id, payer_ids, status, start_date, end_date, late_fee_terms,
    exists (select from tenant_copy t where t.organization_id = lease_copy.organization_id and t.id = lease_copy.tenant_id and t.is_deleted) as is_tenant_deleted
  from lease_copy where organization_id = ${db.organizationId} and id = any(${[...ids]}::uuid[])`;

/** Returns leases that are projected already, by id. Calls no other service, so a transaction can use it. */
export const readProjectedLeases = async (db: StatementRunner, ids: readonly string[]): Promise<Map<string, ProjectedLease>> =>
  new Map((await db.all(selectLeases(db, ids))).map((lease) => [lease.id, lease]));

/** Returns leases by id, replicating those that are not projected yet or have no late-fee terms yet. Ids that portfolio does not know are left out. */
export async function findProjectedLeases(db: OrgDb, portfolio: Portfolio, ids: readonly string[]): Promise<Map<string, ProjectedLease>> {
  const leases = await db.all(selectLeases(db, ids));
  const complete = new Set(leases.flatMap(({ id, lateFeeTerms }) => (lateFeeTerms ? [id] : [])));
  const missing = ids.filter((id) => !complete.has(id));
  if (missing.length > 0) {
    await replicateLeases(db, portfolio, missing);
    leases.push(...(await db.all(selectLeases(db, missing))));
  }
  return new Map(leases.map((lease) => [lease.id, lease]));
}
