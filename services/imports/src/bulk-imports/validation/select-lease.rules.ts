/** Selection of the lease to which a row of a bulk import belongs, and of the payer. */
import type { FieldError } from "@freehold/contract/errors";
import type { Match } from "../../validation/match.rules.ts";

interface LeaseCriteria {
  /** Date of the row, if it has one. */
  date: string | undefined;
  /** Ids of the tenants that the row may name; undefined when the row names none. */
  tenantIds: readonly string[] | undefined;
  /** Field and text of the reference, for error messages. */
  reference: { path: string; text: string };
}

const tenantIdsOf = ({ fields }: Match): string[] => (fields["tenants"] ?? "").split(" ").filter(Boolean);

/** Tells whether a lease is in force on a date; a lease without a last day has no end. */
function isInForce({ fields }: Match, date: string): boolean {
  const { start_date: first = "", last_day: last } = fields;
  return first <= date && (last === undefined || date <= last);
}

/** Selects the only lease with the tenant, or among several the only one in force on the date, or else the only active one. */
export function selectLease(leases: readonly Match[], { date, tenantIds, reference }: LeaseCriteria): Match | FieldError {
  const { path, text } = reference;
  const error = (message: string): FieldError => ({ path, code: "not_found", message });
  if (leases.length === 0)
    return error(path === "unit_number" ? `There is no lease of unit "${text}". Check unit_number.` : `There is no lease "${text}". Check lease_id.`);
  const leasesWithTenant = tenantIds ? leases.filter((lease) => tenantIdsOf(lease).some((id) => tenantIds.includes(id))) : leases;
  if (leasesWithTenant.length === 0) return error(`The tenant of the row is on no lease of "${text}". Add the tenant to the lease, or correct the tenant.`);
  const selections = [
    leasesWithTenant,
    leasesWithTenant.filter((lease) => date !== undefined && isInForce(lease, date)),
    leasesWithTenant.filter(({ fields }) => fields["status"] === "active"),
  ];
  const unique = selections.find((selection) => selection.length === 1);
  return unique?.[0] ?? error(`More than one lease matches "${text}". Identify it by tenant_name or lease_id.`);
}

/** Returns the only one of the tenants that is on the lease, or undefined. */
export function findPayer(lease: Match, tenantIds: readonly string[] | undefined): string | undefined {
  const payerIds = tenantIdsOf(lease).filter((id) => tenantIds?.includes(id));
  return payerIds.length === 1 ? payerIds[0] : undefined;
}
