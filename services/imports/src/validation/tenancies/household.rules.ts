/** People of a lease: couples whose names come in either order are one household. */
import { isDeepStrictEqual } from "node:util";
import { normalizeForMatching } from "../../parsing/text.ts";
import type { FieldValues } from "../draft.ts";

/** Returns the names of the co-tenants in a row of a lease. */
export const coTenantNames = ({ co_tenants = "" }: FieldValues): string[] =>
  co_tenants
    .split(/[;\n|]/)
    .map((name) => name.trim())
    .filter(Boolean);

const primaryNames = ({ primary_tenant_name, primary_tenant_source_id }: FieldValues): string[] =>
  [primary_tenant_name, primary_tenant_source_id].flatMap((name) => (name === undefined ? [] : normalizeForMatching(name)));

/** Tells whether the primary tenant of one row of a lease is among the people of another one. */
export function hasPrimaryTenantOf(row: FieldValues, other: FieldValues): boolean {
  const people = new Set([...primaryNames(row), ...coTenantNames(row).map(normalizeForMatching)]);
  return primaryNames(other).some((name) => people.has(name));
}

/** Tells whether two rows of leases have the same couple or group, of whom anybody may come first. */
export const isSameHousehold = (one: FieldValues, other: FieldValues): boolean => hasPrimaryTenantOf(one, other) && hasPrimaryTenantOf(other, one);

/** Lease of a row with its people. */
export interface LeaseOfPeople {
  /** Candidate or record of the primary tenant; null if it is not resolved. */
  tenant: unknown;
  data: FieldValues;
}

/** Tells whether two leases have the same primary tenant or the same household. */
export const haveSameTenant = (one: LeaseOfPeople, other: LeaseOfPeople): boolean =>
  (one.tenant !== null && isDeepStrictEqual(one.tenant, other.tenant)) || isSameHousehold(one.data, other.data);

/** Tells whether a name is that of the primary tenant in a row of a lease. */
export const isPrimaryTenant = (name: string | undefined, { primary_tenant_name }: FieldValues): boolean =>
  name !== undefined && primary_tenant_name !== undefined && normalizeForMatching(name) === normalizeForMatching(primary_tenant_name);
