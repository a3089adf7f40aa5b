import { PortalLease, PortalOccupant } from "@freehold/contract/portals/portals";
import { leaseView } from "../leases/lease.view.ts";
import type { LeaseRow } from "../leases/leases.queries.ts";
import { pickPortalFields } from "@freehold/kit/http/portal-fields";

/** Returns a lease as shown in the tenant portal: only the members of `PortalLease`, which exclude the balances. */
export const portalLeaseView = (row: LeaseRow): PortalLease => {
  const lease = pickPortalFields(PortalLease, leaseView(row, undefined));
  return Object.assign(lease, { occupants: lease.occupants.map((occupant) => pickPortalFields(PortalOccupant, occupant)) });
};
