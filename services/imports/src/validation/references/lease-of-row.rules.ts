/** Choice among the leases of a unit for a row of money that names the unit. */
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import { normalizeForMatching } from "../../parsing/text.ts";
import type { FieldValues } from "../draft.ts";

export interface LeaseOfUnit {
  /** Names of the tenants in one text; empty when the lease was imported with the id of an earlier tenant only. */
  tenantNames: string;
  startDate: string | null;
  endDate: string | null;
  isActive: boolean;
}

/** Row that refers to a lease by its unit. */
interface Row {
  entityType: ImportEntityType;
  data: FieldValues;
}

/** Tells whether the tenants of a lease include the tenant of a row, in any order of the names. */
function hasTenant({ tenantNames }: LeaseOfUnit, name: string): boolean {
  const words = new Set(normalizeForMatching(tenantNames).split(" "));
  return normalizeForMatching(name)
    .split(" ")
    .every((word) => words.has(word));
}

/** Day of a charge or a payment. The money of a deposit or a balance does not follow the term of its lease. */
const dayOf = ({ entityType, data }: Row): string | undefined =>
  entityType === "charge" ? data["date"] : entityType === "payment" ? data["received_date"] : undefined;

/** Returns those that satisfy the condition, or all when none does. */
const preferring = <L>(leases: readonly L[], condition: (lease: L) => boolean): readonly L[] => (leases.some(condition) ? leases.filter(condition) : leases);

/**
 * Returns the leases of a unit that may be that of a row, best first: with the tenant of the row, in force on its day, active. The money of
 * a former tenant does not belong to the present lease: a deposit or a balance of somebody else has no lease.
 */
export function leasesOfRow<L extends LeaseOfUnit>(leases: readonly L[], row: Row): readonly L[] {
  const { entityType, data } = row;
  const name = data["tenant_name"];
  const isNamed = (lease: L) => name === undefined || normalizeForMatching(lease.tenantNames) === "" || hasTenant(lease, name);
  const isTenantRequired = entityType === "deposit" || entityType === "opening_balance";
  const ofTenant = isTenantRequired ? leases.filter(isNamed) : preferring(leases, isNamed);
  const day = dayOf(row);
  const inForce = ({ startDate, endDate }: L) => day !== undefined && (startDate ?? day) <= day && day <= (endDate ?? day);
  return preferring(preferring(ofTenant, inForce), ({ isActive }) => isActive);
}
