/** Names of those whose money is in a trust account, for sentences to the office. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { Holder } from "./trust-funds.rules.ts";

/** Returns the name of a property with its id, or its id alone while its name is unknown. */
export const propertyLabel = (id: string, name: string | null | undefined): string => (name ? `the property ${name} (${id})` : `the property ${id}`);

const descriptions: Record<Holder["kind"], (property: string, tenant: string) => string> = {
  owner: (property) => `the owners of ${property}`,
  deposit: (property, tenant) => `the deposit of ${tenant} at ${property}`,
  prepaid: (property, tenant) => `the prepaid rent of ${tenant} at ${property}`,
  manager: () => "the management company",
  unassigned: () => "its opening balance",
};

/** Returns a description of each holder, which names its property and tenant. */
export async function describeHolders(db: StatementRunner, holders: readonly Pick<Holder, "kind" | "propertyId" | "tenantId">[]): Promise<string[]> {
  const [propertyNames, tenantNames] = [
    await readPropertyNames(
      db,
      holders.flatMap(({ propertyId }) => propertyId ?? []),
    ),
    await readTenantNames(
      db,
      holders.flatMap(({ tenantId }) => tenantId ?? []),
    ),
  ];
  return holders.map(({ kind, propertyId, tenantId }) =>
    descriptions[kind](
      propertyId ? propertyLabel(propertyId, propertyNames.get(propertyId)) : "no property",
      (tenantId && tenantNames.get(tenantId)) || "a tenant",
    ),
  );
}

/** Returns the names of properties by their ids. */
export async function readPropertyNames(db: StatementRunner, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.all(
    sql<{ id: string; name: string }>`select id, name from property_copy where organization_id = ${db.organizationId} and id = any(${[...ids]}::uuid[])`,
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

async function readTenantNames(db: StatementRunner, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.all(
    sql<{
      id: string;
      name: string;
    }>`select id, full_name as name from tenant_copy where organization_id = ${db.organizationId} and id = any(${[...ids]}::uuid[])`,
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}
