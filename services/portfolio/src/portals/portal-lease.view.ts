import { PortalLease, PortalOccupant } from "@freehold/contract/portals/portals";
import { leaseView } from "../leases/lease.view.ts";
import type { LeaseRow } from "../leases/leases.queries.ts";
import { pickPortalFields } from "./shown.ts";

/** A lease as its tenants see it. */
export const portalLeaseView = (row: LeaseRow): PortalLease => {
  const lease = pickPortalFields(PortalLease, leaseView(row, undefined));
  return Object.assign(lease, { occupants: lease.occupants.map((occupant) => pickPortalFields(PortalOccupant, occupant)) });
};
