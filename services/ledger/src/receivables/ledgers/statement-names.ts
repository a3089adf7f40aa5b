/** Names that a printed statement shows: its holder, and the charges and payments of the allocations. */
import type { AccountStatement } from "@freehold/contract/ledger/ledgers";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { Clients } from "../../clients.ts";

/** Names for a printed statement. The property and the unit are those of the lease, null in the statement of a tenant. */
export interface StatementNames {
  organizationName: string;
  tenantName: string;
  propertyName: string | null;
  unitNumber: string | null;
  /** Name and due date of each charge that an allocation settles, by id. */
  charges: ReadonlyMap<string, { name: string; date: string }>;
  /** Date of the receipt of each payment that an allocation belongs to, by id. */
  payments: ReadonlyMap<string, { date: string }>;
}

/** Returns the current names for a statement. */
export async function getStatementNames(db: OrgDb, { identity }: Clients, { leaseId, tenantId, entries }: AccountStatement): Promise<StatementNames> {
  const allocations = entries.flatMap((entry) => entry.allocations);
  const idsOf = (key: "chargeId" | "paymentId") => [...new Set(allocations.map((allocation) => allocation[key]))];
  const [{ name: organizationName }, holder, charges, payments] = await Promise.all([
    identity.getOrganization(db, {}),
    db.first(sql<{ tenantName: string; propertyName: string | null; unitNumber: string | null }>`
      select t.full_name as tenant_name, p.name as property_name, u.unit_number from tenant_copy t
        left join lease_copy l on l.organization_id = t.organization_id and l.id = ${leaseId}::uuid
        left join property_copy p on p.organization_id = l.organization_id and p.id = l.property_id
        left join unit_copy u on u.organization_id = l.organization_id and u.id = l.unit_id
      where t.organization_id = ${db.organizationId} and t.id = ${tenantId}`),
    db.all(sql<{ id: string; name: string; date: string }>`
      select id, name, due_date as date from charge where organization_id = ${db.organizationId} and id = any(${idsOf("chargeId")}::uuid[])`),
    db.all(sql<{ id: string; date: string }>`select p.id, coalesce(e.moved_from, e.entry_date) as date from payment p
        join journal_entry e on e.organization_id = p.organization_id and e.id = p.entry_id
      where p.organization_id = ${db.organizationId} and p.id = any(${idsOf("paymentId")}::uuid[])`),
  ]);
  const byId = <T extends { id: string }>(rows: readonly T[]) => new Map(rows.map((row) => [row.id, row]));
  return {
    organizationName,
    tenantName: holder?.tenantName ?? "",
    propertyName: holder?.propertyName ?? null,
    unitNumber: holder?.unitNumber ?? null,
    charges: byId(charges),
    payments: byId(payments),
  };
}
