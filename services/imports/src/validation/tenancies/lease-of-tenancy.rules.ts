/** Tenancies: a lease and those that continue it with the same tenant, to whom one deposit and one balance belong. */
import { addDays } from "@freehold/kit/time/plain-date";
import type { FieldValues } from "../draft.ts";
import { isSameHousehold } from "./household.rules.ts";

/** Lease of a unit with the days of its term. */
export interface LeaseTerm {
  candidateId: string;
  /** Candidate or record of the tenant. */
  tenantTarget: string | null;
  /** Fields with the people of the lease. */
  tenants: FieldValues;
  startDate: string | null;
  endDate: string | null;
  isActive: boolean;
}

const continues = (earlier: { endDate: string | null }, later: { startDate: string | null }): boolean =>
  earlier.endDate === null || later.startDate === null || later.startDate <= addDays(earlier.endDate, 1);

/** Returns the leases of the tenancy to which a lease belongs, in the order of their first days. */
function tenancyOf<L extends LeaseTerm>(lease: L, leases: readonly L[]): readonly L[] {
  const ofTenant = leases
    .filter(({ tenantTarget, tenants, startDate }) => (tenantTarget === lease.tenantTarget || isSameHousehold(tenants, lease.tenants)) && startDate !== null)
    .toSorted((one, other) => (one.startDate! < other.startDate! ? -1 : 1));
  const tenancies: L[][] = [];
  for (const each of ofTenant) {
    const current = tenancies.at(-1);
    if (current && continues(current.at(-1)!, each)) current.push(each);
    else tenancies.push([each]);
  }
  return tenancies.find((tenancy) => tenancy.includes(lease)) ?? [lease];
}

/** Returns the lease of a tenancy that holds its deposit and its balance: the active one, otherwise the last that has begun by the day. */
export function holdingLease<L extends LeaseTerm>(lease: L, leases: readonly L[], day: string): L {
  if (lease.tenantTarget === null) return lease;
  const tenancy = tenancyOf(lease, leases);
  return tenancy.findLast(({ isActive }) => isActive) ?? tenancy.findLast(({ startDate }) => startDate !== null && startDate <= day) ?? tenancy[0]!;
}

const openTerms: ReadonlySet<string | undefined> = new Set(["month_to_month", "fixed_with_rollover"]);
const endedStatuses: ReadonlySet<string | undefined> = new Set(["expired", "terminated"]);

/** Tells whether two leases of one tenant in one unit may be one tenancy, by the fields of their rows: the later one begins by the day after the end of the other. */
export function mayBeOneTenancy(one: FieldValues, other: FieldValues): boolean {
  const { start_date: oneStart, ...first } = one;
  const { start_date: otherStart } = other;
  if (oneStart === undefined || otherStart === undefined) return true;
  if (otherStart < oneStart) return mayBeOneTenancy(other, one);
  const isOpen = openTerms.has(first["term_type"]) && !endedStatuses.has(first["status"]);
  return isOpen || continues({ endDate: first["end_date"] ?? null }, { startDate: otherStart });
}
