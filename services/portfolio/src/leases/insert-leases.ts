/** Insertion of new leases and their occupants. */
import type { leases as contract } from "@freehold/contract/leases/leases";
import type { BodyOf } from "@freehold/contract/operation";
import { today } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { sql } from "@freehold/kit/db/statement";
import { invalid } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { lockReferences } from "../db/references.ts";
import { publish } from "../publish.ts";
import { leaseEventData, onLeaseActivated } from "./lease-events.ts";
import { Lease, LeaseOccupant } from "./lease.entity.ts";
import { activatedStatus, type ResolvedOccupant } from "./lease.rules.ts";
import { endPastTerms } from "./lifecycle/expire-leases.ts";
import { lockReferencedUnits, requireUnitsFree } from "./lifecycle/unit-holds.ts";

type Operation = (typeof contract)["operations"]["createLease"];

export interface NewLease {
  input: BodyOf<Operation>;
  /** All occupants, including the tenant of the lease. */
  occupants: readonly ResolvedOccupant[];
  /** Lease that a draft renews. */
  renewedFromLeaseId?: string | undefined;
}

/**
 * Inserts leases with their occupants, publishes their events and returns the ids. A lease is inserted as a draft; with `activate` it is inserted
 * as active, or as pending before its start date. Rows that several leases refer to are locked once.
 */
export async function insertLeases(tx: OrgTx, newLeases: readonly NewLease[]): Promise<string[]> {
  await lockReferencedRows(tx, newLeases);
  const prepared = newLeases.map(({ input: { activate, occupants: _occupants, ...terms }, renewedFromLeaseId }) => {
    const status = activate ? activatedStatus(terms.startDate, today(tx.principal.timezone)) : ("draft" as const);
    return { id: newId(), status, terms, renewedFromLeaseId };
  });
  const activated = prepared.filter(({ status }) => status !== "draft").map(({ id, terms }) => ({ ...terms, id }));
  if (activated.length > 0) await requireUnitsFree(tx, activated);
  const leases = await tx.insertAll(
    Lease,
    prepared.map(({ id, status, terms, renewedFromLeaseId = null }) => ({
      lateFeeType: "none" as const,
      ...omitUndefined(terms),
      endDate: terms.endDate ?? null,
      id,
      depositRequiredCents: terms.depositRequiredCents ?? (0 as Lease["depositRequiredCents"]),
      signedAt: terms.signedAt ? new Date(terms.signedAt) : null,
      status,
      renewedFromLeaseId,
    })),
  );
  await insertOccupants(tx, newLeases, leases);
  await publish(
    tx,
    "lease.created",
    ...leases.map((lease) => ({ entityId: lease.id, data: { ...leaseEventData(lease), renewedFromLeaseId: lease.renewedFromLeaseId } })),
  );
  const started = leases.filter(({ status }) => status !== "draft");
  await onLeaseActivated(tx, ...started);
  await endPastTerms(tx, await findPastTerms(tx, started));
  return leases.map(({ id }) => id);
}

/** Returns those leases whose last day has passed. */
const findPastTerms = (tx: OrgTx, leases: readonly Pick<Lease, "id" | "endDate">[]): Promise<Lease[]> => {
  const day = today(tx.principal.timezone);
  const ids = leases.filter(({ endDate }) => endDate && endDate < day).map(({ id }) => id);
  return ids.length > 0 ? tx.find(Lease, { id: { $in: ids } }) : Promise.resolve([]);
};

/** Locks the properties, units and primary tenants of the leases. Throws 400 when one does not exist or a unit belongs to another property. */
async function lockReferencedRows(tx: OrgTx, newLeases: readonly NewLease[]): Promise<void> {
  const referencesOf = (member: "propertyId" | "tenantId") => newLeases.map(({ input }) => ({ id: input[member], path: member }));
  await lockReferences(tx, "property", referencesOf("propertyId"));
  const propertyIdsByUnitId = await lockReferencedUnits(
    tx,
    newLeases.map(({ input }) => input.unitId),
  );
  if (newLeases.some(({ input }) => propertyIdsByUnitId.get(input.unitId.toLowerCase()) !== input.propertyId.toLowerCase()))
    throw invalid([{ path: "unitId", code: "mismatch", message: "The unit belongs to another property. Check propertyId and unitId." }]);
  await lockReferences(tx, "tenant", referencesOf("tenantId"));
}

async function insertOccupants(tx: OrgTx, newLeases: readonly NewLease[], leases: readonly { id: string }[]): Promise<void> {
  const references = newLeases.flatMap(({ input }) =>
    input.occupants.flatMap(({ tenantId }, index) => (tenantId ? [{ id: tenantId, path: `occupants.${index}.tenantId` }] : [])),
  );
  await lockReferences(tx, "tenant", references);
  const tenantIds = newLeases.flatMap(({ occupants }) => occupants.flatMap(({ tenantId }) => tenantId ?? []));
  const tenants = await tx.all(sql<{ id: string; fullName: string }>`select id, full_name from tenant
    where organization_id = ${tx.organizationId} and id = any(${tenantIds}::uuid[])`);
  const tenantsById = new Map(tenants.map((tenant) => [tenant.id, tenant]));
  const rows = newLeases.flatMap(({ occupants }, index) =>
    occupants.map((occupant, position) => {
      const tenant = tenantsById.get(occupant.tenantId?.toLowerCase() ?? "");
      const fullName = occupant.fullName ?? tenant!.fullName;
      return { ...occupant, tenantId: tenant?.id ?? null, fullName, leaseId: leases[index]!.id, position };
    }),
  );
  await tx.insertAll(LeaseOccupant, rows);
}
