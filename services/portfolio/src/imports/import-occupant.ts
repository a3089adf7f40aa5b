/** Import of an occupant of a lease, which may have ended. */
import type { importedRecords } from "@freehold/contract/imports/imported-records";
import type { BodyOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { today } from "@freehold/kit/time/clock";
import type { Clients } from "../clients.ts";
import type { Lease, LeaseOccupant } from "../leases/lease.entity.ts";
import { requireLeaseStatus } from "../leases/lease.rules.ts";
import type { Stay } from "../leases/occupants/occupant.rules.ts";
import { firstDayOf, insertOccupant, type ResolveStay } from "../leases/occupants/occupants.ts";

type Body = BodyOf<typeof importedRecords.operations.importOccupant>;

/** Adds an occupant who has lived on a lease since it began. On a lease that has ended, or ends by a termination, the occupant leaves with its tenant. A renewal may have the occupant already. */
export async function importOccupant(db: OrgDb, clients: Clients, { leaseId, ...input }: Body): Promise<{ recordId: string }> {
  const resolveStay: ResolveStay = ({ principal: { timezone } }, lease, occupants) => {
    const hasEnd = hasEnded(lease, today(timezone));
    if (!hasEnd) requireLeaseStatus(lease, "have an occupant added");
    return { moveInDate: firstDayOf(lease), ...(hasEnd && endOfStay(occupants)) };
  };
  const { occupant } = await insertOccupant(db, clients, leaseId, input, resolveStay, { keepsCopies: true });
  return { recordId: occupant.id };
}

/** Tells whether a lease has ended, has a termination, or ends today at the latest and then expires by itself. */
const hasEnded = ({ status, termType, endDate }: Lease, day: string): boolean =>
  ["expired", "terminated", "cancelled"].includes(status) || (status === "active" && termType === "fixed" && Boolean(endDate && endDate <= day));

/** Returns the end of the stay of the primary occupant. */
function endOfStay(occupants: readonly LeaseOccupant[]): Stay {
  const { moveOutDate = null, releasedOn = null } = occupants.find(({ isPrimary }) => isPrimary) ?? {};
  return { moveOutDate, releasedOn };
}
