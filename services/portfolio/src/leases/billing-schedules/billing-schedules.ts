import type { billingSchedules } from "@freehold/contract/ledger/billing-schedules";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { conflict } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { withVersion } from "@freehold/kit/http/etag";
import type { Clients } from "../../clients.ts";
import { requireCategory } from "../../rpc/lookups.ts";
import { publishLeaseUpdated } from "../lease-events.ts";
import { getLeaseRow, lockParentLease } from "../leases.queries.ts";
import { BillingSchedule, BillingStep } from "./billing-schedule.entity.ts";
import { requireSingleBaseRent, requireValidSteps } from "./billing-schedule.rules.ts";
import {
  findOtherBaseRentSchedules,
  getBillingScheduleLeaseId,
  getBillingScheduleRow,
  isLinkedToParkingRight,
  listBillingScheduleRows,
  type BillingScheduleRow,
} from "./billing-schedules.queries.ts";

type Operations = (typeof billingSchedules)["operations"];
type Result = Output<Operations["createBillingSchedule"]>;
type Steps = BodyOf<Operations["createBillingSchedule"]>["steps"];

const billingScheduleView = ({ version, ...schedule }: BillingScheduleRow) => withVersion(schedule, version);

/** Returns a page of the billing schedules of a lease. Throws 404 for an unknown lease. */
export async function listBillingSchedules(
  db: OrgDb,
  leaseId: string,
  query: QueryOf<Operations["listBillingSchedules"]>,
): Promise<Output<Operations["listBillingSchedules"]>> {
  await getLeaseRow(db, leaseId);
  const { rows, paging } = await listBillingScheduleRows(db, leaseId, query);
  return { billingSchedules: rows.map(billingScheduleView), ...paging };
}

/** Adds a billing schedule to a lease. */
export async function createBillingSchedule(
  db: OrgDb,
  clients: Clients,
  leaseId: string,
  { steps, ...terms }: BodyOf<Operations["createBillingSchedule"]>,
): Promise<Result> {
  requireValidSteps(steps);
  await requireCategory(db, clients, terms);
  return transaction(db, async (tx) => {
    const lease = await lockParentLease(tx, leaseId);
    const schedule = tx.create(BillingSchedule, { ...terms, leaseId });
    await tx.flush();
    await replaceSteps(tx, schedule, steps);
    await publishLeaseUpdated(tx, lease);
    const billingSchedule = billingScheduleView(await getBillingScheduleRow(tx, schedule.id));
    tx.changeTracker?.recordChange(leaseId, "billingSchedule", null, billingSchedule);
    return { billingSchedule };
  });
}

/** Updates the given fields of a billing schedule. Given steps replace all former ones. */
export async function updateBillingSchedule(
  db: OrgDb,
  clients: Clients,
  id: string,
  { steps, ...changes }: BodyOf<Operations["updateBillingSchedule"]>,
): Promise<Result> {
  if (steps) requireValidSteps(steps);
  await requireCategory(db, clients, changes);
  const leaseId = await getBillingScheduleLeaseId(db, id);
  return transaction(db, async (tx) => {
    const lease = await lockParentLease(tx, leaseId);
    const schedule = await tx.getForUpdate(BillingSchedule, id, "Billing schedule", { deletedAt: null });
    const before = billingScheduleView(await getBillingScheduleRow(tx, id));
    tx.assign(schedule, { ...omitUndefined(changes), updatedAt: now() });
    await replaceSteps(tx, schedule, steps);
    await publishLeaseUpdated(tx, lease);
    const billingSchedule = billingScheduleView(await getBillingScheduleRow(tx, id));
    tx.changeTracker?.recordChange(leaseId, "billingSchedule", before, billingSchedule);
    return { billingSchedule };
  });
}

/** Soft-deletes a billing schedule that no parking right is linked to. */
export async function deleteBillingSchedule(db: OrgDb, id: string): Promise<Result> {
  const leaseId = await getBillingScheduleLeaseId(db, id);
  return transaction(db, async (tx) => {
    const lease = await lockParentLease(tx, leaseId);
    const schedule = await tx.getForUpdate(BillingSchedule, id, "Billing schedule", { deletedAt: null });
    if (await isLinkedToParkingRight(tx, id)) throw conflict("A parking right is linked to the billing schedule. Unlink it first.", "resource_in_use");
    tx.changeTracker?.recordChange(leaseId, "billingSchedule", billingScheduleView(await getBillingScheduleRow(tx, id)), null);
    schedule.deletedAt = now();
    await publishLeaseUpdated(tx, lease);
    return { billingSchedule: billingScheduleView(await getBillingScheduleRow(tx, id)) };
  });
}

/** Replaces the steps of a schedule if `steps` is given. Throws 409 when the resulting base rent overlaps that of another schedule of the locked lease. */
async function replaceSteps(tx: OrgTx, { id, leaseId, chargeType }: BillingSchedule, steps: Steps | undefined): Promise<void> {
  const formerSteps = await tx.find(BillingStep, { scheduleId: id });
  const resultingSteps = steps ?? formerSteps.map(({ startDate, endDate = null }) => ({ startDate, endDate }));
  if (chargeType === "base_rent")
    requireSingleBaseRent(resultingSteps, await findOtherBaseRentSchedules(tx, leaseId, id), { areStepsInRequest: steps !== undefined });
  if (!steps) return;
  for (const step of formerSteps) tx.remove(step);
  await tx.flush();
  for (const step of steps) tx.create(BillingStep, { ...step, scheduleId: id });
}
