import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import type { ParkingRight as View, parkingRights } from "@freehold/contract/parking-rights";
import type { RecurringChargeRule } from "@freehold/contract/recurring-charges";
import { now, today } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { unknownReference } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { BillingSchedule } from "../billing-schedules/billing-schedule.entity.ts";
import type { Clients } from "../../clients.ts";
import { holdLease } from "../hold-lease.ts";
import { requireRulesOf, rulesOf } from "../billing/lease-billing.ts";
import { announceUpdate } from "../lease-events.ts";
import type { Lease } from "../lease.entity.ts";
import { findLease } from "../leases.queries.ts";
import { ParkingRight } from "./parking-right.entity.ts";
import { refuseLooseTerms, refuseOtherStalls } from "./parking-right.rules.ts";
import { parkingRightView } from "./parking-right.view.ts";
import { findParkingRight, findParkingRightsOf, pageOfParkingRights, stallsAmong, type ParkingRightRow } from "./parking-rights.queries.ts";

type Operations = (typeof parkingRights)["operations"];
type Answer = Output<Operations["getParkingRight"]>;
type Named = Pick<BodyOf<Operations["updateParkingRight"]>, "stallUnitIds" | "billingScheduleId" | "recurringChargeRuleId">;

/** Parking rights as callers see them; the ledger is asked only when one is linked to a rule. */
async function views(db: OrgDb, ask: Clients, leaseId: string, rows: readonly ParkingRightRow[]): Promise<View[]> {
  const rules = rows.some(({ recurringChargeRuleId }) => recurringChargeRuleId !== null) ? await rulesOf(db, ask, leaseId) : [];
  return rows.map((row) => parkingRightView(row, rules, today(db.principal.timezone)));
}

/** The parking rights of a lease, the oldest first: at most a hundred. */
export async function parkingRightsOf(db: OrgDb, leaseId: string, rules: readonly RecurringChargeRule[]): Promise<View[]> {
  return (await findParkingRightsOf(db, leaseId)).map((row) => parkingRightView(row, rules, today(db.principal.timezone)));
}

export async function listParkingRights(
  db: OrgDb,
  ask: Clients,
  leaseId: string,
  query: QueryOf<Operations["listParkingRights"]>,
): Promise<Output<Operations["listParkingRights"]>> {
  await findLease(db, leaseId);
  const { rows, paging } = await pageOfParkingRights(db, leaseId, query);
  return { parkingRights: await views(db, ask, leaseId, rows), ...paging };
}

export async function getParkingRight(db: OrgDb, ask: Clients, id: string): Promise<Answer> {
  const row = await findParkingRight(db, id);
  const [parkingRight] = await views(db, ask, row.leaseId, [row]);
  return { parkingRight: parkingRight! };
}

/** The rules of a lease: needed when one of them is to be linked, which must be there, and welcome when one is. */
async function rulesFor(db: OrgDb, ask: Clients, leaseId: string, toLink: string | null | undefined, isLinked: boolean): Promise<RecurringChargeRule[]> {
  if (!toLink) return isLinked ? rulesOf(db, ask, leaseId) : [];
  const rules = await requireRulesOf(db, ask, leaseId);
  if (!rules.some(({ id }) => id === toLink)) throw unknownReference("recurringChargeRuleId", "recurring charge rule on this lease");
  return rules;
}

/** Holds what a right of a locked lease names: parking spaces of its property, and a schedule of its own. */
async function holdNamed(tx: OrgTx, { id, propertyId }: Lease, { stallUnitIds = [], billingScheduleId }: Named): Promise<void> {
  if (stallUnitIds.length > 0) refuseOtherStalls(stallUnitIds, await stallsAmong(tx, stallUnitIds), propertyId);
  if (billingScheduleId && !(await tx.findOne(BillingSchedule, { id: billingScheduleId, leaseId: id, deletedAt: null })))
    throw unknownReference("billingScheduleId", "billing schedule on this lease");
}

/** A right as callers see it, in the middle of its change. */
const seen = async (tx: OrgTx, id: string, rules: RecurringChargeRule[], deletedToo = false) =>
  parkingRightView(await findParkingRight(tx, id, deletedToo), rules, today(tx.principal.timezone));

/** Records the terms of one kind of parking on a lease. */
export async function createParkingRight(db: OrgDb, ask: Clients, leaseId: string, terms: BodyOf<Operations["createParkingRight"]>): Promise<Answer> {
  refuseLooseTerms(terms);
  await findLease(db, leaseId);
  const rules = await rulesFor(db, ask, leaseId, terms.recurringChargeRuleId, false);
  return transaction(db, async (tx) => {
    const lease = await holdLease(tx, leaseId);
    await holdNamed(tx, lease, terms);
    const right = tx.create(ParkingRight, { stallUnitIds: [], ...omitUndefined(terms), leaseId });
    await tx.flush();
    await announceUpdate(tx, lease);
    const parkingRight = await seen(tx, right.id, rules);
    tx.changeTracker?.recordChange(leaseId, "parkingRight", null, parkingRight);
    return { parkingRight };
  });
}

/** Changes what is sent and nothing else; the whole must still hold together. */
export async function updateParkingRight(db: OrgDb, ask: Clients, id: string, changes: BodyOf<Operations["updateParkingRight"]>): Promise<Answer> {
  const { leaseId, recurringChargeRuleId } = await findParkingRight(db, id);
  const rules = await rulesFor(db, ask, leaseId, changes.recurringChargeRuleId, recurringChargeRuleId !== null);
  return transaction(db, async (tx) => {
    const lease = await holdLease(tx, leaseId);
    const right = await tx.getForUpdate(ParkingRight, id, "Parking right", { deletedAt: null });
    await holdNamed(tx, lease, changes);
    const before = await seen(tx, id, rules);
    tx.assign(right, { ...omitUndefined(changes), updatedAt: now() });
    refuseLooseTerms(right);
    await announceUpdate(tx, lease);
    const parkingRight = await seen(tx, id, rules);
    tx.changeTracker?.recordChange(leaseId, "parkingRight", before, parkingRight);
    return { parkingRight };
  });
}

/** Soft-deletes a parking right; a linked charge goes on. */
export async function deleteParkingRight(db: OrgDb, ask: Clients, id: string): Promise<Answer> {
  const { leaseId, recurringChargeRuleId } = await findParkingRight(db, id);
  const rules = await rulesFor(db, ask, leaseId, null, recurringChargeRuleId !== null);
  return transaction(db, async (tx) => {
    const lease = await holdLease(tx, leaseId);
    const right = await tx.getForUpdate(ParkingRight, id, "Parking right", { deletedAt: null });
    tx.changeTracker?.recordChange(leaseId, "parkingRight", await seen(tx, id, rules), null);
    right.deletedAt = now();
    await announceUpdate(tx, lease);
    return { parkingRight: await seen(tx, id, rules, true) };
  });
}
