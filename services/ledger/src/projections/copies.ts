import type { leaseStatuses } from "@freehold/contract/leases";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { Lease } from "@freehold/proto/portfolio/v1/portfolio";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { Clients } from "../clients.ts";

export interface LeaseFacts {
  id: string;
  propertyId: string;
  unitId: string;
  tenantId: string;
  payerIds: string[];
  status: (typeof leaseStatuses)[number];
  startDate: string;
  endDate: string | null;
}

type Portfolio = Clients["portfolio"];
const key = (db: StatementRunner) => sql`${db.organizationId}, id, now(), now()`;
/** So that two who keep the same ones at once cannot block each other for ever. */
const inOrder = sql.raw("order by id");
const seen = sql.raw("updated_at = excluded.updated_at, version = kept.version + 1");

/** Keeps tenants' names as portfolio says them now, and of duplicates whom they went to: that is never taken back. */
export async function copyTenants(db: OrgDb, portfolio: Portfolio, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const { tenants } = await portfolio.getTenants(db, { ids: [...ids] });
  await db.all(sql`insert into tenant_copy as kept (organization_id, id, created_at, updated_at, full_name, merged_into_id)
    select ${key(db)}, "fullName", "mergedIntoId"
    from jsonb_to_recordset(${JSON.stringify(tenants)}::jsonb) as given (id uuid, "fullName" text, "mergedIntoId" uuid) ${inOrder}
    on conflict (organization_id, id) do update set full_name = excluded.full_name, merged_into_id = coalesce(excluded.merged_into_id, kept.merged_into_id), ${seen}`);
}

export async function copyProperties(db: OrgDb, portfolio: Portfolio, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const { properties } = await portfolio.getProperties(db, { ids: [...ids] });
  await db.all(sql`insert into property_copy as kept (organization_id, id, created_at, updated_at, name, city, state)
    select ${key(db)}, name, city, state from jsonb_to_recordset(${JSON.stringify(properties)}::jsonb) as given (id uuid, name text, city text, state text) ${inOrder}
    on conflict (organization_id, id) do update set name = excluded.name, city = excluded.city, state = excluded.state, ${seen}`);
}

export async function copyUnits(db: OrgDb, portfolio: Portfolio, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const { units } = await portfolio.getUnits(db, { ids: [...ids] });
  await db.all(sql`insert into unit_copy as kept (organization_id, id, created_at, updated_at, property_id, unit_number)
    select ${key(db)}, "propertyId", "unitNumber" from jsonb_to_recordset(${JSON.stringify(units)}::jsonb) as given (id uuid, "propertyId" uuid, "unitNumber" text) ${inOrder}
    on conflict (organization_id, id) do update set property_id = excluded.property_id, unit_number = excluded.unit_number, ${seen}`);
}

/** Keeps leases, and whatever they point to that is not known yet. */
export async function copyLeases(db: OrgDb, portfolio: Portfolio, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const { leases } = await portfolio.getLeases(db, { ids: [...ids] });
  await keepLeases(db, portfolio, leases);
}

export async function keepLeases(db: OrgDb, portfolio: Portfolio, leases: readonly Lease[]): Promise<void> {
  await db.all(sql`insert into lease_copy as kept (organization_id, id, created_at, updated_at, property_id, unit_id, tenant_id, payer_ids, status, start_date, end_date)
    select ${key(db)}, "propertyId", "unitId", "tenantId", array(select jsonb_array_elements_text("payerIds"))::uuid[], status, "startDate", "endDate"
    from jsonb_to_recordset(${JSON.stringify(leases)}::jsonb)
      as given (id uuid, "propertyId" uuid, "unitId" uuid, "tenantId" uuid, "payerIds" jsonb, status text, "startDate" date, "endDate" date) ${inOrder}
    on conflict (organization_id, id) do update set property_id = excluded.property_id, unit_id = excluded.unit_id, tenant_id = excluded.tenant_id,
      payer_ids = excluded.payer_ids, status = excluded.status, start_date = excluded.start_date, end_date = excluded.end_date, ${seen}`);
  const wanted = (pick: (lease: Lease) => string[]) => [...new Set(leases.flatMap(pick))];
  const [tenants, properties, units] = await Promise.all([
    unknown(
      db,
      sql`tenant_copy`,
      wanted((lease) => [lease.tenantId, ...lease.payerIds]),
    ),
    unknown(
      db,
      sql`property_copy`,
      wanted((lease) => [lease.propertyId]),
    ),
    unknown(
      db,
      sql`unit_copy`,
      wanted((lease) => [lease.unitId]),
    ),
  ]);
  await Promise.all([copyTenants(db, portfolio, tenants), copyProperties(db, portfolio, properties), copyUnits(db, portfolio, units)]);
}

async function unknown(db: OrgDb, table: RawBuilder<unknown>, ids: readonly string[]): Promise<string[]> {
  const rows = await db.all(sql<{ id: string }>`select wanted.id from unnest(${[...ids]}::uuid[]) as wanted (id)
    where not exists (select from ${table} kept where kept.organization_id = ${db.organizationId} and kept.id = wanted.id)`);
  return rows.map(({ id }) => id);
}

const leaseFacts = (db: StatementRunner, ids: readonly string[]) => sql<LeaseFacts>`
  select id, property_id, unit_id, tenant_id, payer_ids, status, start_date, end_date from lease_copy
  where organization_id = ${db.organizationId} and id = any(${[...ids]}::uuid[])`;

/** Leases by their ids, asked of portfolio when the ledger has not heard of them; the ones nobody knows are left out. */
export async function findLeases(db: OrgDb, portfolio: Portfolio, ids: readonly string[]): Promise<Map<string, LeaseFacts>> {
  const found = await db.all(leaseFacts(db, ids));
  const missing = ids.filter((id) => !found.some((lease) => lease.id === id));
  if (missing.length > 0) {
    await copyLeases(db, portfolio, missing);
    found.push(...(await db.all(leaseFacts(db, missing))));
  }
  return new Map(found.map((lease) => [lease.id, lease]));
}
