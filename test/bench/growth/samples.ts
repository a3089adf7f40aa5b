/** Leases of a filled organization, for requests that ask about one: all of them, so that none is warmer than it would be. */
import pg from "pg";
import type { Office } from "../../support/office.ts";
import type { Stage } from "../stage.ts";
import { nextMonth } from "./sizes.ts";

export interface Sample {
  leaseId: string;
  tenantId: string;
  propertyId: string;
  /** The charge that is not due yet. */
  chargeId: string;
  fullName: string;
  /** The account of rent. */
  accountId: string;
}

/** One for each lease, in no order. */
export async function samplesOf(stage: Stage, { organizationId }: Office): Promise<Sample[]> {
  const client = new pg.Client({ connectionString: stage.system.adminUrl!.replace(/\/postgres$/, "/ledger") });
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
