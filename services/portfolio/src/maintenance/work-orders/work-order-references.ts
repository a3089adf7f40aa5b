/** Checks of the rows that a work order or inspection refers to: they exist and belong together. */
import type { FieldError } from "@freehold/contract/errors";
import { officeRoles } from "@freehold/contract/roles";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { invalid, unknownReference, unknownReferenceAt } from "@freehold/kit/errors";
import type { Clients } from "../../clients.ts";
import { Lease, LeaseOccupant } from "../../leases/lease.entity.ts";
import { lockLiveRows } from "../../db/references.ts";
import { Unit } from "../../properties/units/unit.entity.ts";
import { Vendor } from "../../people/vendors/vendor.entity.ts";
import { locationMismatches } from "./work-order.rules.ts";

const tables = { propertyId: "property", unitId: "unit", leaseId: "lease", tenantId: "tenant", vendorId: "vendor" } as const;
type References = { [K in keyof typeof tables]?: string | null | undefined };

/** Locks every referenced row against deletion. Throws 400 naming each missing row, and for an inactive vendor. */
export async function lockMaintenanceReferences(tx: OrgTx, references: References): Promise<void> {
  const errors: FieldError[] = [];
  for (const [path, table] of Object.entries(tables)) {
    const id = references[path as keyof References];
    if (id && (await lockLiveRows(tx, table, [id])).size === 0) errors.push(unknownReferenceAt(path, table));
  }
  if (errors.length > 0) throw invalid(errors);
  if (references.vendorId && !(await tx.findOne(Vendor, { id: references.vendorId }))!.isActive)
    throw invalid([{ path: "vendorId", code: "not_allowed", message: "The vendor is inactive. Activate the vendor or choose another one." }]);
}

export interface WorkLocation {
  propertyId: string;
  unitId?: string | null | undefined;
  leaseId?: string | null | undefined;
  tenantId?: string | null | undefined;
}

/** Returns the location with unit and tenant taken from the lease when they are not sent. */
export async function resolveLocation(tx: OrgTx, { propertyId, unitId, leaseId, tenantId }: WorkLocation): Promise<WorkLocation> {
  const lease = leaseId ? await tx.findOne(Lease, { id: leaseId }) : null;
  const orFromLease = <T>(sent: T | undefined, fromLease: T | undefined) => (sent === undefined ? (fromLease ?? null) : sent);
  return { propertyId, unitId: orFromLease(unitId, lease?.unitId), leaseId: leaseId ?? null, tenantId: orFromLease(tenantId, lease?.tenantId) };
}

/** Throws 400 when property, unit, lease and tenant do not belong together. */
export async function requireConsistentLocation(tx: OrgTx, { propertyId, unitId = null, leaseId, tenantId }: WorkLocation): Promise<void> {
  const unit = unitId ? await tx.findOne(Unit, { id: unitId }) : null;
  const lease = leaseId ? await tx.findOne(Lease, { id: leaseId }) : null;
  const isTenantOnLease = lease && tenantId ? (await tx.findOne(LeaseOccupant, { leaseId: lease.id, tenantId, removedAt: null })) !== null : true;
  const errors = locationMismatches({ propertyId, unitId }, { unit, lease, isTenantOnLease });
  if (errors.length > 0) throw invalid(errors);
}

/** Throws 400 unless the user is an active office user. Calls identity, so it runs before the transaction. */
export async function requireOfficeUser(db: OrgDb, clients: Clients, userId: string | null | undefined, path = "assignedUserId"): Promise<void> {
  if (!userId) return;
  const { users } = await clients.identity.listRecipients(db, { roles: [], subjectIds: [], userIds: [userId] });
  if (!users.some(({ role }) => (officeRoles as readonly string[]).includes(role))) throw unknownReference(path, "active user of the office");
}
