import type { FieldError } from "@freehold/contract/errors";
import type { Match } from "../../validation/match.rules.ts";

interface MatchCriteria {
  /** The day that the row is about. */
  day: string | undefined;
  /** Whoever of the tenants may be meant, if the row says one. */
  tenants: readonly string[] | undefined;
  said: { path: string; text: string };
}

const tenantsOf = ({ fields }: Match): string[] => (fields["tenants"] ?? "").split(" ").filter(Boolean);

/** Whether a lease is in force on a day, as far as that is known. */
function covers({ fields }: Match, day: string): boolean {
  const { start_date: first = "", last_day: last } = fields;
  return first <= day && (last === undefined || day <= last);
}

/** The one lease that is meant: with the tenant on it, of several the one in force on the day, or the one that is active. */
export function leaseOf(leases: readonly Match[], { day, tenants, said }: MatchCriteria): Match | FieldError {
  const error = (message: string): FieldError => ({ path: said.path, code: "not_found", message });
  if (leases.length === 0) return error(said.path === "unit_number" ? `There is no lease of unit "${said.text}".` : `There is no lease "${said.text}".`);
  const withTenant = tenants ? leases.filter((lease) => tenantsOf(lease).some((id) => tenants.includes(id))) : leases;
  if (withTenant.length === 0) return error(`The tenant of the row is on no lease of "${said.text}".`);
  const ways = [
    withTenant,
    withTenant.filter((lease) => day !== undefined && covers(lease, day)),
    withTenant.filter(({ fields }) => fields["status"] === "active"),
  ];
  const one = ways.find((found) => found.length === 1);
  return one?.[0] ?? error(`Several leases fit "${said.text}". Say which by tenant_name or lease_id.`);
}

/** Who of those that may be meant is on the lease; nobody where the row says nobody, or several are. */
export function payerOn(lease: Match, tenants: readonly string[] | undefined): string | undefined {
  const found = tenantsOf(lease).filter((id) => tenants?.includes(id));
  return found.length === 1 ? found[0] : undefined;
}
