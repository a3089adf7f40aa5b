/** Leases of a seeded organization for requests by tenant, lease or property. Requests spread over all of them, so that caching is realistic. */
import pg from "pg";
import type { Office } from "../../support/office.ts";
import type { BenchSystem } from "../bench-system.ts";
import { nextMonth } from "./sizes.ts";

export interface Sample {
  leaseId: string;
  tenantId: string;
  propertyId: string;
  /** Charge that is due in the next month. */
  chargeId: string;
  fullName: string;
  /** Income account of the charge. */
  accountId: string;
}

/** Returns a sample for each lease that is charged next month's rent, in random order. */
export async function samplesOf(bench: BenchSystem, { organizationId }: Office): Promise<Sample[]> {
  const client = new pg.Client({ connectionString: bench.system.adminUrl!.replace(/\/postgres$/, "/ledger") });
  await client.connect();
  const { rows } = await client.query<Sample>(
    `select lease_id as "leaseId", tenant_id as "tenantId", property_id as "propertyId", c.id as "chargeId", full_name as "fullName", category_id as "accountId"
    from charge c join tenant_copy t on t.organization_id = c.organization_id and t.id = c.tenant_id
    where c.organization_id = $1 and c.due_date = $2 order by md5(c.id::text)`,
    [organizationId, nextMonth()],
  );
  await client.end();
  return rows;
}
