/** Identity of leases by their tenants: a lease of somebody else on the same first day of the same unit is another lease. */
import type { FieldValues } from "../draft.ts";

/** Tells whether a lease has other tenants than the one of a row, null for a new person. Without a tenant nothing is known. */
export function isOfOtherTenant({ tenant, tenants = "" }: FieldValues, tenantOfRow: string | null | undefined): boolean {
  if (tenantOfRow === undefined || tenant === undefined) return false;
  return tenantOfRow === null || (tenantOfRow !== tenant && !tenants.split(" ").includes(tenantOfRow));
}
