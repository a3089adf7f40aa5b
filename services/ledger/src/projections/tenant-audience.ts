/** Tenants who receive the events of a record in the portal: those to whom the portal shows it. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";

/** Record of a tenant, with the leases whose tenants see it as well: its own, and the renewal that holds its money. */
export interface RecordOfTenant {
  tenantId: string;
  leaseIds: readonly (string | null | undefined)[];
}

/** Returns the audience of an event of each record: its tenant and the tenants of its leases, from the projection of the leases. */
export async function tenantAudiences(db: StatementRunner, records: readonly RecordOfTenant[]): Promise<{ tenantIds: string[] }[]> {
  const leaseIds = [...new Set(records.flatMap((record) => record.leaseIds.flatMap((id) => id ?? [])))];
  const rows =
    leaseIds.length === 0
      ? []
      : await db.all(sql<{ id: string; payerIds: string[] }>`select id, payer_ids from lease_copy
          where organization_id = ${db.organizationId} and id = any(${leaseIds}::uuid[])`);
  const tenantsOf = new Map(rows.map(({ id, payerIds }) => [id, payerIds]));
  return records.map((record) => ({ tenantIds: [...new Set([record.tenantId, ...record.leaseIds.flatMap((id) => (id && tenantsOf.get(id)) || [])])] }));
}

/** Returns the audience of an event of a payment: its payer, and the tenants of its lease and of the renewal that holds its credit. */
export const paymentAudience = async (
  db: StatementRunner,
  { tenantId, leaseId, creditLeaseId }: { tenantId: string; leaseId?: string | null | undefined; creditLeaseId?: string | null | undefined },
): Promise<{ tenantIds: string[] }> => (await tenantAudiences(db, [{ tenantId, leaseIds: [leaseId, creditLeaseId] }]))[0]!;
