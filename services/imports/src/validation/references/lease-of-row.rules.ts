/** Choice among the leases of a unit for a row of money that names the unit. */
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import { normalizeForMatching } from "../../parsing/text.ts";
import type { FieldValues } from "../draft.ts";

export interface LeaseOfUnit {
  /** Names of the tenants in one text; empty when the lease was imported with the id of an earlier tenant only. */
  tenantNames: string;
  /** E-mail addresses of the tenants in one text. */
  tenantEmails: string;
  /** Candidate or record of the tenant. */
  tenantTarget: string | null;
  startDate: string | null;
  endDate: string | null;
  isActive: boolean;
}

/** Row that refers to a lease by its unit. */
interface Row {
  entityType: ImportEntityType;
  data: FieldValues;
  /** Candidate or record of the tenant that the row names by id. */
  tenantTarget?: string | undefined;
}

const wordsOf = (text: string): string[] => normalizeForMatching(text).split(" ").filter(Boolean);

/** Tells whether all words of a name are among those of the other, in any order. */
export const isWithin = (name: string, names: string): boolean => {
  const words = new Set(wordsOf(names));
  return wordsOf(name).every((word) => words.has(word));
};

/** Tells whether a lease may be that of the tenant of a row. A lease without any name or address has nothing to compare. */
export function mayHaveTenant({ tenantNames, tenantEmails, tenantTarget }: LeaseOfUnit, row: Row): boolean {
  const { tenant_name: name, tenant_email: email } = row.data;
  if (row.tenantTarget !== undefined && row.tenantTarget === tenantTarget) return true;
  if (name === undefined && email === undefined) return row.tenantTarget === undefined || tenantTarget === null;
  if (wordsOf(tenantNames).length === 0 && tenantEmails === "") return true;
  if (email !== undefined && tenantEmails.split(" ").includes(email)) return true;
  if (name === undefined || wordsOf(tenantNames).length === 0) return email === undefined || tenantEmails === "";
  return isWithin(name, tenantNames);
}

/** Tells whether leases are those of one tenant, so that money between them is not divided by their terms. */
function isOfOneTenant(leases: readonly LeaseOfUnit[]): boolean {
  const shortest = leases.toSorted((one, other) => wordsOf(one.tenantNames).length - wordsOf(other.tenantNames).length)[0]!;
  return wordsOf(shortest.tenantNames).length > 0 && leases.every(({ tenantNames }) => isWithin(shortest.tenantNames, tenantNames));
}

/** Day of a charge or a payment. The money of a deposit or a balance does not follow the term of its lease. */
const dayOf = ({ entityType, data }: Row): string | undefined =>
  entityType === "charge" ? data["date"] : entityType === "payment" ? data["received_date"] : undefined;

/** Returns those that satisfy the condition, or all when none does. */
const preferring = <L>(leases: readonly L[], condition: (lease: L) => boolean): readonly L[] => (leases.some(condition) ? leases.filter(condition) : leases);

/**
 * Returns the leases of a unit that may be that of a row, best first: with the tenant of the row, in force on its day if they are those of
 * different tenants, active. The money of a former tenant does not belong to the present lease: a deposit or a balance of somebody else has
 * no lease.
 */
export function leasesOfRow<L extends LeaseOfUnit>(leases: readonly L[], row: Row): readonly L[] {
  const isTenantRequired = row.entityType === "deposit" || row.entityType === "opening_balance";
  const isOfTenant = (lease: L) => mayHaveTenant(lease, row);
  const ofTenant = isTenantRequired ? leases.filter(isOfTenant) : preferring(leases, isOfTenant);
  if (ofTenant.length === 0) return [];
  const day = dayOf(row);
  const inForce = ({ startDate, endDate }: L) => day !== undefined && (startDate ?? day) <= day && day <= (endDate ?? day);
  return preferring(isOfOneTenant(ofTenant) ? ofTenant : preferring(ofTenant, inForce), ({ isActive }) => isActive);
}
