/** The rows that a work order names: they must be there, and belong together. */
import type { FieldError } from "@freehold/contract/errors";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { invalid, unknownReference } from "@freehold/kit/errors";
import type { Clients } from "../../clients.ts";
import { Lease, LeaseOccupant } from "../../leases/lease.entity.ts";
import { lockLiveRows } from "../../db/references.ts";
import { Unit } from "../../properties/units/unit.entity.ts";
import { Vendor } from "../../people/vendors/vendor.entity.ts";
import { locationMismatches } from "./work-order.rules.ts";

const tables = { propertyId: "property", unitId: "unit", leaseId: "lease", tenantId: "tenant", vendorId: "vendor" } as const;
type Named = { [K in keyof typeof tables]?: string | null | undefined };

/** Holds every row that is named, or says of each that is not there that it is not. An inactive vendor is refused. */
export async function requireWorkOrderReferences(tx: OrgTx, named: Named): Promise<void> {
  const wrong: FieldError[] = [];
  for (const [path, table] of Object.entries(tables)) {
    const id = named[path as keyof Named];
    if (id && (await lockLiveRows(tx, table, [id])).size === 0)
      wrong.push({ path, code: "not_found", message: `There is no ${table} with this id. Check ${path}.` });
  }
  if (wrong.length > 0) throw invalid(wrong);
  if (named.vendorId && !(await tx.findOne(Vendor, { id: named.vendorId }))!.isActive)
    throw invalid([{ path: "vendorId", code: "not_allowed", message: "The vendor is inactive. Activate the vendor or choose another one." }]);
}

export interface WorkLocation {
  propertyId: string;
  unitId?: string | null | undefined;
  leaseId?: string | null | undefined;
  tenantId?: string | null | undefined;
}

/** The place that is meant: what is left open of it follows from the lease. */
export async function resolveLocation(tx: OrgTx, { propertyId, unitId, leaseId, tenantId }: WorkLocation): Promise<WorkLocation> {
  const lease = leaseId ? await tx.findOne(Lease, { id: leaseId }) : null;
  const follows = <T>(sent: T | undefined, ofLease: T | undefined) => (sent === undefined ? (ofLease ?? null) : sent);
  return { propertyId, unitId: follows(unitId, lease?.unitId), leaseId: leaseId ?? null, tenantId: follows(tenantId, lease?.tenantId) };
}

/** Refuses a place whose property, unit, lease and tenant do not belong together. */
export async function requireConsistentLocation(tx: OrgTx, { propertyId, unitId = null, leaseId, tenantId }: WorkLocation): Promise<void> {
  const unit = unitId ? await tx.findOne(Unit, { id: unitId }) : null;
  const lease = leaseId ? await tx.findOne(Lease, { id: leaseId }) : null;
  const isUnderLease = lease && tenantId ? (await tx.findOne(LeaseOccupant, { leaseId: lease.id, tenantId, removedAt: null })) !== null : true;
  const wrong = locationMismatches({ propertyId, unitId }, { unit, lease, isUnderLease });
  if (wrong.length > 0) throw invalid(wrong);
}

const office = ["admin", "manager", "staff"];

/** Refuses a user who is not an active one of the office; asked before the transaction. */
export async function requireOfficeUser(db: OrgDb, clients: Clients, userId: string | null | undefined, path = "assignedUserId"): Promise<void> {
  if (!userId) return;
  const { users } = await clients.identity.listRecipients(db, { roles: office, subjectIds: [] });
  if (!users.some(({ id }) => id === userId)) throw unknownReference(path, "active user of the office");
}
