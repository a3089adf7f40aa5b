import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import type { ParkingRight as ParkingRightView, parkingRights } from "@freehold/contract/leases/parking-rights";
import type { RecurringChargeRule } from "@freehold/contract/ledger/recurring-charges";
import { now, today } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { unknownReference } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import type { Clients } from "../../clients.ts";
import { BillingSchedule } from "../billing-schedules/billing-schedule.entity.ts";
import { findLeaseChargeRules, getLeaseChargeRules } from "../lease-billing.ts";
import { publishLeaseUpdated } from "../lease-events.ts";
import type { Lease } from "../lease.entity.ts";
import { getLeaseRow, lockParentLease } from "../leases.queries.ts";
import { ParkingRight } from "./parking-right.entity.ts";
import { requireConsistentParkingTerms, requireStallsAtProperty } from "./parking-right.rules.ts";
import { parkingRightView } from "./parking-right.view.ts";
import { findParkingRightRows, getParkingRightRow, listParkingRightRows, lockStallUnits, type ParkingRightRow } from "./parking-rights.queries.ts";

type Operations = (typeof parkingRights)["operations"];
type Result = Output<Operations["getParkingRight"]>;
type References = Pick<BodyOf<Operations["updateParkingRight"]>, "stallUnitIds" | "billingScheduleId" | "recurringChargeRuleId">;

/** Returns the views of parking rights. The ledger is called only when a right is linked to a recurring charge rule. */
async function parkingRightViews(db: OrgDb, clients: Clients, leaseId: string, rows: readonly ParkingRightRow[]): Promise<ParkingRightView[]> {
  const rules = rows.some(({ recurringChargeRuleId }) => recurringChargeRuleId !== null) ? await findLeaseChargeRules(db, clients, leaseId) : [];
  return rows.map((row) => parkingRightView(row, rules, today(db.principal.timezone)));
}

/** Returns the parking rights of a lease by start date, at most 100. */
export async function findParkingRights(db: OrgDb, leaseId: string, rules: readonly RecurringChargeRule[]): Promise<ParkingRightView[]> {
  return (await findParkingRightRows(db, leaseId)).map((row) => parkingRightView(row, rules, today(db.principal.timezone)));
}

/** Returns a page of the parking rights of a lease. Throws 404 for an unknown lease. */
export async function listParkingRights(
  db: OrgDb,
  clients: Clients,
  leaseId: string,
  query: QueryOf<Operations["listParkingRights"]>,
): Promise<Output<Operations["listParkingRights"]>> {
  await getLeaseRow(db, leaseId);
  const { rows, paging } = await listParkingRightRows(db, leaseId, query);
  return { parkingRights: await parkingRightViews(db, clients, leaseId, rows), ...paging };
}

/** Returns a parking right. Throws 404. */
export async function getParkingRight(db: OrgDb, clients: Clients, id: string): Promise<Result> {
  const row = await getParkingRightRow(db, id);
  const [parkingRight] = await parkingRightViews(db, clients, row.leaseId, [row]);
  return { parkingRight: parkingRight! };
}

/**
 * Returns the recurring charge rules that the view of a parking right needs. Throws 400 when the rule to link is not on the
 * lease, and 503 when the ledger is unavailable; for a rule already linked, the ledger is optional.
 */
async function rulesForView(
  db: OrgDb,
  clients: Clients,
  leaseId: string,
  { ruleIdToLink, isLinked }: { ruleIdToLink: string | null | undefined; isLinked: boolean },
): Promise<RecurringChargeRule[]> {
  if (!ruleIdToLink) return isLinked ? findLeaseChargeRules(db, clients, leaseId) : [];
  const rules = await getLeaseChargeRules(db, clients, leaseId);
  if (!rules.some(({ id }) => id === ruleIdToLink)) throw unknownReference("recurringChargeRuleId", "recurring charge rule on this lease");
  return rules;
}

/** Locks the stalls. Throws 400 unless they are parking spaces of the lease's property and the billing schedule belongs to the lease. */
async function requireReferences(tx: OrgTx, { id, propertyId }: Lease, { stallUnitIds = [], billingScheduleId }: References): Promise<void> {
  if (stallUnitIds.length > 0) requireStallsAtProperty(stallUnitIds, await lockStallUnits(tx, stallUnitIds), propertyId);
  if (billingScheduleId && !(await tx.findOne(BillingSchedule, { id: billingScheduleId, leaseId: id, deletedAt: null })))
    throw unknownReference("billingScheduleId", "billing schedule on this lease");
}

const readView = async (tx: OrgTx, id: string, rules: RecurringChargeRule[], { includeDeleted = false } = {}) =>
  parkingRightView(await getParkingRightRow(tx, id, { includeDeleted }), rules, today(tx.principal.timezone));

/** Adds a parking right to a lease. */
export async function createParkingRight(db: OrgDb, clients: Clients, leaseId: string, terms: BodyOf<Operations["createParkingRight"]>): Promise<Result> {
  requireConsistentParkingTerms(terms);
  await getLeaseRow(db, leaseId);
  const rules = await rulesForView(db, clients, leaseId, { ruleIdToLink: terms.recurringChargeRuleId, isLinked: false });
  return transaction(db, async (tx) => {
    const lease = await lockParentLease(tx, leaseId);
    await requireReferences(tx, lease, terms);
    const right = tx.create(ParkingRight, { stallUnitIds: [], ...omitUndefined(terms), leaseId });
    await tx.flush();
    await publishLeaseUpdated(tx, lease);
    const parkingRight = await readView(tx, right.id, rules);
    tx.changeTracker?.recordChange(leaseId, "parkingRight", null, parkingRight);
    return { parkingRight };
  });
}

/** Updates the given fields of a parking right. */
export async function updateParkingRight(db: OrgDb, clients: Clients, id: string, changes: BodyOf<Operations["updateParkingRight"]>): Promise<Result> {
  const { leaseId, recurringChargeRuleId } = await getParkingRightRow(db, id);
  const rules = await rulesForView(db, clients, leaseId, { ruleIdToLink: changes.recurringChargeRuleId, isLinked: recurringChargeRuleId !== null });
  return transaction(db, async (tx) => {
    const lease = await lockParentLease(tx, leaseId);
    const right = await tx.getForUpdate(ParkingRight, id, "Parking right", { deletedAt: null });
    await requireReferences(tx, lease, changes);
    const before = await readView(tx, id, rules);
    tx.assign(right, { ...omitUndefined(changes), updatedAt: now() });
    requireConsistentParkingTerms(right);
    await publishLeaseUpdated(tx, lease);
    const parkingRight = await readView(tx, id, rules);
    tx.changeTracker?.recordChange(leaseId, "parkingRight", before, parkingRight);
    return { parkingRight };
  });
}

/** Soft-deletes a parking right. A linked charge continues. */
export async function deleteParkingRight(db: OrgDb, clients: Clients, id: string): Promise<Result> {
  const { leaseId, recurringChargeRuleId } = await getParkingRightRow(db, id);
  const rules = await rulesForView(db, clients, leaseId, { ruleIdToLink: null, isLinked: recurringChargeRuleId !== null });
  return transaction(db, async (tx) => {
    const lease = await lockParentLease(tx, leaseId);
    const right = await tx.getForUpdate(ParkingRight, id, "Parking right", { deletedAt: null });
    tx.changeTracker?.recordChange(leaseId, "parkingRight", await readView(tx, id, rules), null);
    right.deletedAt = now();
    await publishLeaseUpdated(tx, lease);
    return { parkingRight: await readView(tx, id, rules, { includeDeleted: true }) };
  });
}
