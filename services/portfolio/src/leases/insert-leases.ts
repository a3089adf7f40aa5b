/** Batch writer of new leases and their occupants. */
import type { leases as contract } from "@freehold/contract/leases/leases";
import type { BodyOf, Output } from "@freehold/contract/operation";
import type { BatchWriter } from "@freehold/kit/db/batches/batch-write";
import { today } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { invalid } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { lockReferences } from "../db/references.ts";
import { Tenant } from "../people/tenants/tenant.entity.ts";
import { publish } from "../publish.ts";
import { emptyLeaseBalance } from "./lease-billing.ts";
import { leaseEventData, onLeaseActivated } from "./lease-events.ts";
import { Lease, LeaseOccupant } from "./lease.entity.ts";
import { activatedStatus, type ResolvedOccupant } from "./lease.rules.ts";
import { leaseView } from "./lease.view.ts";
import { findLeaseRows } from "./leases.queries.ts";
import { endPastTerms } from "./lifecycle/expire-leases.ts";
import { lockReferencedUnits, requireUnitsFree } from "./lifecycle/unit-holds.ts";

type Operation = (typeof contract)["operations"]["createLease"];

export interface NewLease {
  input: BodyOf<Operation>;
  /** All occupants, including the tenant of the lease. */
  occupants: readonly ResolvedOccupant[];
}

/**
 * Inserts leases with their occupants and publishes their events. A lease is inserted as a draft; with `activate` it is inserted
 * as active, or as pending before its start date. Rows that several leases refer to are locked once.
 */
export const insertLeases: BatchWriter<NewLease, Output<Operation>> = async (tx, newLeases) => {
  await lockReferencedRows(tx, newLeases);
  const prepared = newLeases.map(({ input: { activate, occupants: _occupants, ...terms } }) => {
    const status = activate ? activatedStatus(terms.startDate, today(tx.principal.timezone)) : ("draft" as const);
    return { id: newId(), status, terms };
  });
  const activated = prepared.filter(({ status }) => status !== "draft").map(({ id, terms }) => ({ ...terms, id }));
  if (activated.length > 0) await requireUnitsFree(tx, activated);
  const leases = prepared.map(({ id, status, terms }) =>
    tx.create(Lease, {
      lateFeeType: "none",
      ...omitUndefined(terms),
      id,
      depositRequiredCents: terms.depositRequiredCents ?? (0 as Lease["depositRequiredCents"]),
      signedAt: terms.signedAt ? new Date(terms.signedAt) : null,
      status,
    }),
  );
  await tx.flush();
  await insertOccupants(tx, newLeases, leases);
  await publish(tx, "lease.created", ...leases.map((lease) => ({ entityId: lease.id, data: { ...leaseEventData(lease), renewedFromLeaseId: null } })));
  const started = leases.filter(({ status }) => status !== "draft");
  await onLeaseActivated(tx, ...started);
  await endPastTerms(tx, started);
  const rows = await findLeaseRows(
    tx,
    leases.map(({ id }) => id),
  );
  return leases.map(({ id }) => ({ lease: leaseView(rows.get(id)!, emptyLeaseBalance(id)), notes: [], recurringChargeRules: [] }));
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

async function insertOccupants(tx: OrgTx, newLeases: readonly NewLease[], leases: readonly Lease[]): Promise<void> {
  const references = newLeases.flatMap(({ input }) =>
    input.occupants.flatMap(({ tenantId }, index) => (tenantId ? [{ id: tenantId, path: `occupants.${index}.tenantId` }] : [])),
  );
  await lockReferences(tx, "tenant", references);
  const tenants = await tx.find(Tenant, { id: { $in: newLeases.flatMap(({ occupants }) => occupants.flatMap(({ tenantId }) => tenantId ?? [])) } });
  const tenantsById = new Map(tenants.map((tenant) => [tenant.id, tenant]));
  for (const [index, { occupants }] of newLeases.entries())
    for (const [position, occupant] of occupants.entries()) {
      const tenant = tenantsById.get(occupant.tenantId?.toLowerCase() ?? "");
      const fullName = occupant.fullName ?? tenant!.fullName;
      tx.create(LeaseOccupant, { ...occupant, tenantId: tenant?.id ?? null, fullName, leaseId: leases[index]!.id, position });
    }
}
