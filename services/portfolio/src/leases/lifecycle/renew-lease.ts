import type { leases } from "@freehold/contract/leases";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { completeAfterCommit } from "@freehold/kit/db/idempotency";
import { announce } from "../../announce.ts";
import type { Clients } from "../../clients.ts";
import { RentChange } from "../rent-changes/rent-change.entity.ts";
import { firstRent, rentOn } from "../rent-changes/rent-change.rules.ts";
import { ofLease, tenantsOf } from "../lease-events.ts";
import { askMoney, noMoney, tellLedger } from "../billing/lease-billing.ts";
import { Lease, LeaseOccupant } from "../lease.entity.ts";
import { refuseEarlyRenewal, refuseUnlessActive } from "../lease.rules.ts";
import { leaseView } from "../lease.view.ts";
import { findLease } from "../leases.queries.ts";

type Operation = (typeof leases)["operations"]["renewLease"];
type Terms = BodyOf<Operation>;

/** Writes the draft that follows an active lease: the same place and people, other days and, if it is given, another rent. */
export async function renewLease(db: OrgDb, ask: Clients, id: string, terms: Terms): Promise<Output<Operation>> {
  await askMoney(db, ask, [id]);
  const work = transaction(db, async (tx) => {
    const old = await tx.getForUpdate(Lease, id, "Lease", { deletedAt: null });
    refuseUnlessActive(old);
    refuseEarlyRenewal(old, terms.startDate, "startDate");
    const draft = await writeRenewal(tx, old, terms);
    old.renewedToLeaseId = draft.id;
    await announce(tx, "lease.created", { entityId: draft.id, data: ofLease(draft) });
    await announce(tx, "lease.renewed", {
      entityId: id,
      data: { ...ofLease(old), renewedToLeaseId: draft.id },
      audience: { tenantIds: await tenantsOf(tx, id) },
    });
    const answer: Output<Operation> = { lease: leaseView(await findLease(tx, draft.id), noMoney(draft.id)), notes: [], recurringChargeRules: [] };
    return answer;
  });
  return completeAfterCommit(work, async (answer) => {
    const { recurringChargeRules } = await tellLedger(
      db,
      ask,
      answer.lease,
      "The renewal is written; its recurring charges will be drafted as soon as the ledger answers. Read the lease again in a moment.",
      (lease) => ask.ledger.prepareLeaseBilling(db, { lease }),
    );
    return { ...answer, recurringChargeRules };
  });
}

async function writeRenewal(tx: OrgTx, old: Lease, terms: Terms): Promise<Lease> {
  const changes = await tx.find(RentChange, { leaseId: old.id, deletedAt: null }, { orderBy: { effectiveDate: "asc" } });
  const draft = tx.create(Lease, {
    propertyId: old.propertyId,
    unitId: old.unitId,
    tenantId: old.tenantId,
    status: "draft",
    leaseKind: old.leaseKind,
    termType: terms.termType ?? old.termType,
    startDate: terms.startDate,
    endDate: terms.endDate,
    moveInDate: terms.moveInDate ?? old.moveInDate,
    rentCents: terms.rentCents ?? rentOn(firstRent(changes, old.rentCents), changes, terms.startDate),
    rentChargeDay: old.rentChargeDay,
    lateFeeType: old.lateFeeType,
    lateFeeAmountCents: old.lateFeeAmountCents,
    lateFeeGraceDays: old.lateFeeGraceDays,
    lateFeePercentBps: old.lateFeePercentBps,
    coTenantsJointlyLiable: old.coTenantsJointlyLiable,
    depositRequiredCents: old.depositRequiredCents,
    prorateFirstMonth: old.prorateFirstMonth,
    createRecurringRent: old.createRecurringRent,
    renewedFromLeaseId: old.id,
  });
  await tx.flush();
  const staying = await tx.find(LeaseOccupant, { leaseId: old.id, releasedOn: null, removedAt: null }, { orderBy: { position: "asc" } });
  for (const [position, { tenantId, fullName, isPrimary, role, providerRole, relationship, notes, moveInDate }] of staying.entries()) {
    tx.create(LeaseOccupant, {
      leaseId: draft.id,
      position,
      tenantId,
      fullName,
      isPrimary,
      role,
      providerRole,
      relationship,
      notes,
      moveInDate: terms.moveInDate ?? moveInDate,
    });
  }
  return draft;
}
