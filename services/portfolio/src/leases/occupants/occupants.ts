import type { leaseOccupants } from "@freehold/contract/leases/lease-occupants";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import { now, today } from "@freehold/kit/time/clock";
import { maxDate } from "@freehold/kit/time/plain-date";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import type { Clients } from "../../clients.ts";
import { lockReference } from "../../db/references.ts";
import { Tenant } from "../../people/tenants/tenant.entity.ts";
import { publish } from "../../publish.ts";
import { tryReviseBilling } from "../lease-billing.ts";
import { leaseEventData, publishLeaseUpdated } from "../lease-events.ts";
import { type Lease, LeaseOccupant } from "../lease.entity.ts";
import { requireLeaseStatus } from "../lease.rules.ts";
import { getLeaseRow, lockParentLease } from "../leases.queries.ts";
import {
  type Stay,
  requireNotReleased,
  requirePrimaryMatchesTenant,
  requirePrimaryRetained,
  requirePrimaryUnchanged,
  requireStayInOrder,
  requireTenantOnce,
} from "./occupant.rules.ts";
import { APPLY_RELEASES } from "./apply-releases.ts";
import { occupantView } from "./occupant.view.ts";
import { addRenewalOccupant, updateRenewalOccupant } from "./renewal-occupants.ts";
import { getOccupantLeaseId, getOccupantRow, listOccupantRows } from "./occupants.queries.ts";

type Operations = (typeof leaseOccupants)["operations"];
type Result = Output<Operations["createOccupant"]>;

/** Returns a page of the occupants of a lease, including released ones. */
export async function listOccupants(db: OrgDb, leaseId: string, query: QueryOf<Operations["listOccupants"]>): Promise<Output<Operations["listOccupants"]>> {
  await getLeaseRow(db, leaseId);
  const { rows, paging } = await listOccupantRows(db, leaseId, query);
  return { occupants: rows.map(occupantView), ...paging };
}

/**
 * Changes an occupant while its lease is locked, then revises the billing in the ledger, since the payers may have changed. The renewal of
 * the lease follows, if it has not begun.
 */
async function changeOccupant(
  db: OrgDb,
  clients: Clients,
  id: string,
  change: (tx: OrgTx, lease: Lease, occupant: LeaseOccupant) => Promise<void>,
): Promise<Result> {
  const leaseId = await getOccupantLeaseId(db, id);
  let renewalId: string | undefined;
  const response = await transaction(db, async (tx) => {
    const lease = await lockParentLease(tx, leaseId);
    const occupant = await tx.getForUpdate(LeaseOccupant, id, "Occupant", { removedAt: null });
    const before = occupantView(await getOccupantRow(tx, id));
    await change(tx, lease, occupant);
    renewalId = await updateRenewalOccupant(tx, lease, occupant, before);
    const after = occupantView(await getOccupantRow(tx, id));
    tx.changeTracker?.recordChange(leaseId, "occupant", before, occupant.removedAt === null ? after : null);
    return { occupant: after };
  });
  await reviseBillings(db, clients, leaseId, renewalId);
  return response;
}

async function reviseBillings(db: OrgDb, clients: Clients, leaseId: string, renewalId: string | undefined): Promise<void> {
  for (const id of renewalId ? [leaseId, renewalId] : [leaseId]) await tryReviseBilling(db, clients, id);
}

/** Adds an occupant to a draft, pending or active lease, and to its renewal if that has not begun. */
export const createOccupant = (db: OrgDb, clients: Clients, leaseId: string, input: BodyOf<Operations["createOccupant"]>): Promise<Result> =>
  insertOccupant(db, clients, leaseId, input, ({ principal: { timezone } }, lease) => {
    requireLeaseStatus(lease, "have an occupant added");
    return { moveInDate: maxDate(firstDayOf(lease), today(timezone)) };
  });

/** Returns the day on which the occupants of a lease move in by default. Those of a renewal have the move-in dates of the lease that it renews. */
export const firstDayOf = (lease: Lease): string => (lease.renewedFromLeaseId ? lease.startDate : (lease.moveInDate ?? lease.startDate));

/** Returns the dates of a stay that a request does not give, or throws when the lease cannot have the occupant. */
export type ResolveStay = (tx: OrgTx, lease: Lease, occupants: readonly LeaseOccupant[]) => Stay;

/**
 * Adds an occupant to a locked lease, and to its renewal if that has not begun. With `keepsCopies`, somebody whom a
 * renewal has from the lease before is that occupant.
 */
export async function insertOccupant(
  db: OrgDb,
  clients: Clients,
  leaseId: string,
  input: BodyOf<Operations["createOccupant"]>,
  resolveStay: ResolveStay,
  { keepsCopies = false }: { keepsCopies?: boolean } = {},
): Promise<Result> {
  let renewalId: string | undefined;
  const response = await transaction(db, async (tx) => {
    const lease = await lockParentLease(tx, leaseId);
    if (input.tenantId) await lockReference(tx, "tenant", input.tenantId, "tenantId");
    const occupants = await tx.find(LeaseOccupant, { leaseId, removedAt: null });
    const copy = keepsCopies ? findCopy(lease, occupants, input.tenantId) : undefined;
    if (copy) return { occupant: occupantView(await getOccupantRow(tx, copy.id)) };
    const stay = { ...resolveStay(tx, lease, occupants), ...omitUndefined({ moveInDate: input.moveInDate }) };
    requireTenantOnce(occupants, input.tenantId);
    requirePrimaryMatchesTenant(lease, input);
    requireStayInOrder(stay, lease.startDate);
    const fullName = input.fullName ?? (await tx.findOne(Tenant, { id: input.tenantId! }))!.fullName;
    const position = occupants.length;
    const occupant = tx.create(LeaseOccupant, { ...omitUndefined(input), leaseId, fullName, position, isPrimary: input.role === "primary", ...stay });
    await tx.flush();
    renewalId = await addRenewalOccupant(tx, lease, occupant);
    await publishLeaseUpdated(tx, lease);
    const created = occupantView(await getOccupantRow(tx, occupant.id));
    tx.changeTracker?.recordChange(leaseId, "occupant", null, created);
    return { occupant: created };
  });
  await reviseBillings(db, clients, leaseId, renewalId);
  return response;
}

/** Returns the occupant whom a renewal has from the lease before. */
const findCopy = ({ renewedFromLeaseId }: Lease, occupants: readonly LeaseOccupant[], tenantId: string | null | undefined): LeaseOccupant | undefined =>
  renewedFromLeaseId && tenantId ? occupants.find((occupant) => occupant.tenantId === tenantId && !occupant.isPrimary && !occupant.releasedOn) : undefined;

/** Updates the given fields of an occupant. */
export const updateOccupant = (db: OrgDb, clients: Clients, id: string, changes: BodyOf<Operations["updateOccupant"]>): Promise<Result> =>
  changeOccupant(db, clients, id, async (tx, lease, occupant) => {
    if (changes.tenantId) await lockReference(tx, "tenant", changes.tenantId, "tenantId");
    requireTenantOnce(await tx.find(LeaseOccupant, { leaseId: lease.id, removedAt: null }), changes.tenantId, id);
    requirePrimaryUnchanged(lease, occupant, changes);
    tx.assign(occupant, { ...omitUndefined(changes), updatedAt: now() });
    requireStayInOrder({ moveInDate: occupant.moveInDate, moveOutDate: occupant.moveOutDate }, lease.startDate);
    await publishLeaseUpdated(tx, lease);
  });

/** Releases an occupant from the lease on a day. The move-out date defaults to the release date. */
export const releaseOccupant = (db: OrgDb, clients: Clients, id: string, { releasedOn, moveOutDate }: BodyOf<Operations["releaseOccupant"]>): Promise<Result> =>
  changeOccupant(db, clients, id, async (tx, lease, occupant) => {
    requireLeaseStatus(lease, "have an occupant released");
    requireNotReleased(occupant);
    requirePrimaryRetained(lease, occupant);
    tx.assign(occupant, { releasedOn, releasedAt: now() });
    occupant.moveOutDate = moveOutDate ?? occupant.moveOutDate ?? releasedOn;
    requireStayInOrder(occupant, lease.startDate);
    if (releasedOn > today(tx.principal.timezone)) await scheduleNow(tx, APPLY_RELEASES);
    await publish(tx, "occupant.released", {
      entityId: id,
      data: { ...leaseEventData(lease), releasedOn },
      audience: { tenantIds: occupant.tenantId ? [occupant.tenantId] : [] },
    });
  });

/** Removes an occupant who was added by mistake. */
export const deleteOccupant = (db: OrgDb, clients: Clients, id: string): Promise<Result> =>
  changeOccupant(db, clients, id, async (tx, lease, occupant) => {
    requireLeaseStatus(lease, "have an occupant removed");
    requirePrimaryRetained(lease, occupant);
    occupant.removedAt = now();
    await publishLeaseUpdated(tx, lease);
  });
