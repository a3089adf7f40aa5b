import type { leaseOccupants } from "@freehold/contract/lease-occupants";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import { now, today } from "@freehold/kit/time/clock";
import { maxDate } from "@freehold/kit/time/plain-date";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { announce } from "../../announce.ts";
import type { Clients } from "../../clients.ts";
import { holdLease } from "../hold-lease.ts";
import { reviseBilling } from "../billing/lease-billing.ts";
import { announceUpdate, ofLease } from "../lease-events.ts";
import { type Lease, LeaseOccupant } from "../lease.entity.ts";
import { requireStatus } from "../lease.rules.ts";
import { findLease } from "../leases.queries.ts";
import { holdReference } from "../../references.ts";
import { Tenant } from "../../people/tenants/tenant.entity.ts";
import { refuseBackwards, refuseOtherPrimary, refuseReleased, refuseTwice, refuseWithoutPrimary, refuseWrongPrimary } from "./occupant.rules.ts";
import { occupantView } from "./occupant.view.ts";
import { findOccupant, leaseOfOccupant, pageOfOccupants } from "./occupants.queries.ts";

type Operations = (typeof leaseOccupants)["operations"];
type Answer = Output<Operations["createOccupant"]>;

/** The people of a lease, those who were released among them. */
export async function listOccupants(db: OrgDb, leaseId: string, query: QueryOf<Operations["listOccupants"]>): Promise<Output<Operations["listOccupants"]>> {
  await findLease(db, leaseId);
  const { rows, paging } = await pageOfOccupants(db, leaseId, query);
  return { occupants: rows.map(occupantView), ...paging };
}

/** Changes somebody on a locked lease, and has the ledger know at once who may pay. */
async function change(db: OrgDb, ask: Clients, id: string, work: (tx: OrgTx, lease: Lease, occupant: LeaseOccupant) => Promise<void>): Promise<Answer> {
  const leaseId = await leaseOfOccupant(db, id);
  const answer = await transaction(db, async (tx) => {
    const lease = await holdLease(tx, leaseId);
    const occupant = await tx.getForUpdate(LeaseOccupant, id, "Occupant", { removedAt: null });
    const before = occupantView(await findOccupant(tx, id));
    await work(tx, lease, occupant);
    const after = occupantView(await findOccupant(tx, id));
    tx.changeTracker?.recordChange(leaseId, "occupant", before, occupant.removedAt === null ? after : null);
    return { occupant: after };
  });
  await reviseBilling(db, ask, leaseId);
  return answer;
}

/** Adds somebody to a lease that is not over. */
export async function createOccupant(db: OrgDb, ask: Clients, leaseId: string, terms: BodyOf<Operations["createOccupant"]>): Promise<Answer> {
  const answer = await transaction(db, async (tx) => {
    const lease = await holdLease(tx, leaseId);
    if (terms.tenantId) await holdReference(tx, "tenant", terms.tenantId, "tenantId");
    requireStatus(lease, "take in an occupant");
    const people = await tx.find(LeaseOccupant, { leaseId, removedAt: null });
    refuseTwice(people, terms.tenantId);
    refuseWrongPrimary(lease, terms);
    const fullName = terms.fullName ?? (await tx.findOne(Tenant, { id: terms.tenantId! }))!.fullName;
    const day = maxDate(lease.moveInDate ?? lease.startDate, today(tx.principal.timezone));
    const occupant = tx.create(LeaseOccupant, {
      ...omitUndefined(terms),
      leaseId,
      fullName,
      position: people.length,
      isPrimary: terms.role === "primary",
      moveInDate: terms.moveInDate ?? day,
    });
    await tx.flush();
    await announceUpdate(tx, lease);
    const added = occupantView(await findOccupant(tx, occupant.id));
    tx.changeTracker?.recordChange(leaseId, "occupant", null, added);
    return { occupant: added };
  });
  await reviseBilling(db, ask, leaseId);
  return answer;
}

/** Changes what is sent of somebody under a lease. */
export const updateOccupant = (db: OrgDb, ask: Clients, id: string, changes: BodyOf<Operations["updateOccupant"]>): Promise<Answer> =>
  change(db, ask, id, async (tx, lease, occupant) => {
    if (changes.tenantId) await holdReference(tx, "tenant", changes.tenantId, "tenantId");
    refuseOtherPrimary(occupant, changes);
    refuseTwice(await tx.find(LeaseOccupant, { leaseId: lease.id, removedAt: null }), changes.tenantId, id);
    tx.assign(occupant, { ...omitUndefined(changes), updatedAt: now() });
    refuseBackwards({ moveInDate: occupant.moveInDate, moveOutDate: occupant.moveOutDate }, lease.startDate);
    await announceUpdate(tx, lease);
  });

/** Releases somebody from a lease on a day; they live there until they move out, at the latest until that day. */
export const releaseOccupant = (db: OrgDb, ask: Clients, id: string, { releasedOn, moveOutDate }: BodyOf<Operations["releaseOccupant"]>): Promise<Answer> =>
  change(db, ask, id, async (tx, lease, occupant) => {
    requireStatus(lease, "release an occupant");
    refuseReleased(occupant);
    refuseWithoutPrimary(lease, occupant);
    occupant.releasedOn = releasedOn;
    occupant.moveOutDate = moveOutDate ?? occupant.moveOutDate ?? releasedOn;
    refuseBackwards(occupant, lease.startDate);
    await announce(tx, "occupant.released", {
      entityId: id,
      data: { ...ofLease(lease), releasedOn },
      audience: { tenantIds: occupant.tenantId ? [occupant.tenantId] : [] },
    });
  });

/** Takes somebody off a lease who never belonged on it. */
export const deleteOccupant = (db: OrgDb, ask: Clients, id: string): Promise<Answer> =>
  change(db, ask, id, async (tx, lease, occupant) => {
    requireStatus(lease, "lose an occupant");
    refuseWithoutPrimary(lease, occupant);
    occupant.removedAt = now();
    await announceUpdate(tx, lease);
  });
