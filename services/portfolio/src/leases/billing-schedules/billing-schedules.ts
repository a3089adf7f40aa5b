import type { billingSchedules } from "@freehold/contract/billing-schedules";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { conflict } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { withVersion } from "@freehold/kit/http/etag";
import { refuseUnknownCategory } from "../../asking.ts";
import type { Clients } from "../../clients.ts";
import { holdLease } from "../hold-lease.ts";
import { announceUpdate } from "../lease-events.ts";
import { findLease } from "../leases.queries.ts";
import { BillingSchedule, BillingStep } from "./billing-schedule.entity.ts";
import { refuseImpossibleSteps, refuseSecondBaseRent } from "./billing-schedule.rules.ts";
import {
  findBillingSchedule,
  isLinked,
  leaseOfBillingSchedule,
  otherBaseRents,
  pageOfBillingSchedules,
  type BillingScheduleRow,
} from "./billing-schedules.queries.ts";

type Operations = (typeof billingSchedules)["operations"];
type Answer = Output<Operations["createBillingSchedule"]>;
type Steps = BodyOf<Operations["createBillingSchedule"]>["steps"];

const view = ({ version, ...schedule }: BillingScheduleRow) => withVersion(schedule, version);

export async function listBillingSchedules(
  db: OrgDb,
  leaseId: string,
  query: QueryOf<Operations["listBillingSchedules"]>,
): Promise<Output<Operations["listBillingSchedules"]>> {
  await findLease(db, leaseId);
  const { rows, paging } = await pageOfBillingSchedules(db, leaseId, query);
  return { billingSchedules: rows.map(view), ...paging };
}

/** Records what a lease agrees to bill over time. */
export async function createBillingSchedule(
  db: OrgDb,
  ask: Clients,
  leaseId: string,
  { steps, ...terms }: BodyOf<Operations["createBillingSchedule"]>,
): Promise<Answer> {
  refuseImpossibleSteps(steps);
  await refuseUnknownCategory(db, ask, terms);
  return transaction(db, async (tx) => {
    const lease = await holdLease(tx, leaseId);
    const schedule = tx.create(BillingSchedule, { ...terms, leaseId });
    await tx.flush();
    await replaceSteps(tx, schedule, steps);
    await announceUpdate(tx, lease);
    const billingSchedule = view(await findBillingSchedule(tx, schedule.id));
    tx.changeTracker?.recordChange(leaseId, "billingSchedule", null, billingSchedule);
    return { billingSchedule };
  });
}

/** Changes what is sent; steps are replaced as a whole. */
export async function updateBillingSchedule(
  db: OrgDb,
  ask: Clients,
  id: string,
  { steps, ...changes }: BodyOf<Operations["updateBillingSchedule"]>,
): Promise<Answer> {
  if (steps) refuseImpossibleSteps(steps);
  await refuseUnknownCategory(db, ask, changes);
  const leaseId = await leaseOfBillingSchedule(db, id);
  return transaction(db, async (tx) => {
    const lease = await holdLease(tx, leaseId);
    const schedule = await tx.getForUpdate(BillingSchedule, id, "Billing schedule", { deletedAt: null });
    const before = view(await findBillingSchedule(tx, id));
    tx.assign(schedule, { ...omitUndefined(changes), updatedAt: now() });
    await replaceSteps(tx, schedule, steps);
    await announceUpdate(tx, lease);
    const billingSchedule = view(await findBillingSchedule(tx, id));
    tx.changeTracker?.recordChange(leaseId, "billingSchedule", before, billingSchedule);
    return { billingSchedule };
  });
}

/** Soft-deletes a schedule that no parking right is linked to. */
export async function deleteBillingSchedule(db: OrgDb, id: string): Promise<Answer> {
  const leaseId = await leaseOfBillingSchedule(db, id);
  return transaction(db, async (tx) => {
    const lease = await holdLease(tx, leaseId);
    const schedule = await tx.getForUpdate(BillingSchedule, id, "Billing schedule", { deletedAt: null });
    if (await isLinked(tx, id)) throw conflict("A parking right is linked to the billing schedule. Unlink it first.", "resource_in_use");
    tx.changeTracker?.recordChange(leaseId, "billingSchedule", view(await findBillingSchedule(tx, id)), null);
    schedule.deletedAt = now();
    await announceUpdate(tx, lease);
    return { billingSchedule: view(await findBillingSchedule(tx, id)) };
  });
}

/** Gives a schedule of a locked lease these steps, or leaves it those it has; base rent must be alone on its days. */
async function replaceSteps(tx: OrgTx, { id, leaseId, chargeType }: BillingSchedule, steps: Steps | undefined): Promise<void> {
  const earlier = await tx.find(BillingStep, { scheduleId: id });
  const kept = steps ?? earlier.map(({ startDate, endDate = null }) => ({ startDate, endDate }));
  if (chargeType === "base_rent") refuseSecondBaseRent(kept, await otherBaseRents(tx, leaseId, id), steps !== undefined);
  if (!steps) return;
  for (const step of earlier) tx.remove(step);
  await tx.flush();
  for (const step of steps) tx.create(BillingStep, { ...step, scheduleId: id });
}
