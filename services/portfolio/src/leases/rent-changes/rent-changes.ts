import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import type { rentChanges } from "@freehold/contract/leases/rent-changes";
import { now, today } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { completeAfterCommit } from "@freehold/kit/db/idempotency";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { withVersion } from "@freehold/kit/http/etag";
import type { Clients } from "../../clients.ts";
import { getRulesInPlaceOfRent, syncRentCharges } from "../lease-billing.ts";
import { publishLeaseUpdated } from "../lease-events.ts";
import { Lease } from "../lease.entity.ts";
import { requireLeaseStatus } from "../lease.rules.ts";
import { getLeaseRow, lockParentLease } from "../leases.queries.ts";
import { RentChange } from "./rent-change.entity.ts";
import { initialRent, rentOn, requireDuringLease, requireNotCharged, requireDeletable, requireRentOfParts } from "./rent-change.rules.ts";
import { getRentChangeLeaseId, getRentChangeRow, listRentChangeRows, type RentChangeRow } from "./rent-changes.queries.ts";

type Operations = (typeof rentChanges)["operations"];
type Result = Output<Operations["createRentChange"]>;

const rentChangeView = ({ version, ...change }: RentChangeRow) => withVersion(change, version);

/** Returns a page of the rent changes of a lease. Deleted rent changes are listed only with `includeDeleted`. */
export async function listRentChanges(
  db: OrgDb,
  leaseId: string,
  query: QueryOf<Operations["listRentChanges"]>,
): Promise<Output<Operations["listRentChanges"]>> {
  await getLeaseRow(db, leaseId);
  const { rows, paging } = await listRentChangeRows(db, leaseId, query);
  return { rentChanges: rows.map(rentChangeView), ...paging };
}

/**
 * Records a new rent of an active lease from `effectiveDate` on, recalculates the lease's rents and revises its recurring
 * charges in the ledger. A change that has begun on the same date, and cannot be deleted any more, is replaced. Throws 409 when
 * the ledger has charged rent for that date, or charges the rent in parts with another sum. Throws 503 when the ledger is unavailable: before the transaction with nothing
 * written, or after the commit with the rent change recorded.
 */
export async function createRentChange(db: OrgDb, clients: Clients, leaseId: string, input: BodyOf<Operations["createRentChange"]>): Promise<Result> {
  const [{ through: chargedThrough }, rules] = await Promise.all([
    clients.ledger.getRentChargedThrough(db, { leaseId }),
    getRulesInPlaceOfRent(db, clients, leaseId),
  ]);
  const committed = transaction(db, async (tx): Promise<Result> => {
    const lease = await tx.getForUpdate(Lease, leaseId, "Lease", { deletedAt: null });
    requireLeaseStatus(lease, "have its rent changed");
    requireDuringLease(lease, input.effectiveDate);
    requireRentOfParts(lease, rules, input);
    await withdrawBegunChange(tx, lease, input.effectiveDate, chargedThrough);
    const change = await changeRent(tx, lease, input, chargedThrough);
    return { rentChange: rentChangeView(await getRentChangeRow(tx, change.id)), recurringChargeRules: [] };
  });
  return completeAfterCommit(committed, (response) => syncChargeRules(db, clients, leaseId, "The rent change is recorded", response));
}

/** Soft-deletes the rent change of a locked active lease that has begun on a date. Throws 409 when rent is charged for the date. */
async function withdrawBegunChange(tx: OrgTx, lease: Lease, effectiveDate: string, chargedThrough: string | undefined): Promise<void> {
  if (effectiveDate > today(tx.principal.timezone)) return;
  const begun = (await findRentChanges(tx, lease.id)).find((change) => change.effectiveDate === effectiveDate);
  if (!begun) return;
  requireNotCharged(effectiveDate, chargedThrough);
  await deleteChange(tx, lease, begun);
}

/** Records a new rent of a locked active lease and recalculates its rents. Throws 409 when rent is charged for the effective date. */
export async function changeRent(
  tx: OrgTx,
  lease: Lease,
  input: BodyOf<Operations["createRentChange"]>,
  chargedThrough: string | undefined,
): Promise<RentChange> {
  requireLeaseStatus(lease, "have its rent changed");
  requireDuringLease(lease, input.effectiveDate);
  const initialRentCents = await findInitialRent(tx, lease);
  const noticeSentOn = input.noticeSentOn ?? null;
  // `previousRentCents` is required; `recalculateRents` replaces it by the rent before this change.
  const change = tx.create(RentChange, { ...input, noticeSentOn, leaseId: lease.id, previousRentCents: initialRentCents });
  // Flushes before the check of charged rent, so that a duplicate effective date is reported as such.
  await tx.flush();
  requireNotCharged(input.effectiveDate, chargedThrough);
  await recalculateRents(tx, lease, initialRentCents);
  return change;
}

/**
 * Soft-deletes a rent change that has neither taken effect nor been charged. Recalculates the lease's rents and revises its
 * recurring charges in the ledger. Throws 503 when the ledger is unavailable: before the transaction with nothing written, or
 * after the commit with the rent change deleted.
 */
export async function deleteRentChange(db: OrgDb, clients: Clients, id: string): Promise<Result> {
  const leaseId = await getRentChangeLeaseId(db, id);
  const { through: chargedThrough } = await clients.ledger.getRentChargedThrough(db, { leaseId });
  const response = await transaction(db, async (tx): Promise<Result> => {
    const lease = await lockParentLease(tx, leaseId);
    const change = await tx.getForUpdate(RentChange, id, "Rent change", { deletedAt: null });
    await removeRentChange(tx, lease, change, chargedThrough);
    return { rentChange: rentChangeView(await getRentChangeRow(tx, id)), recurringChargeRules: [] };
  });
  return syncChargeRules(db, clients, leaseId, "The rent change is deleted", response);
}

/** Soft-deletes a rent change of a locked active lease and recalculates its rents. Throws 409 when the change has taken effect or was charged. */
async function removeRentChange(tx: OrgTx, lease: Lease, change: RentChange, chargedThrough: string | undefined): Promise<void> {
  requireLeaseStatus(lease, "have its rent changed");
  requireDeletable(change.effectiveDate, today(tx.principal.timezone), chargedThrough);
  await deleteChange(tx, lease, change);
}

async function deleteChange(tx: OrgTx, lease: Lease, change: RentChange): Promise<void> {
  const initialRentCents = await findInitialRent(tx, lease);
  change.deletedAt = now();
  await tx.flush();
  await recalculateRents(tx, lease, initialRentCents);
}

/**
 * Soft-deletes the changes of a locked active lease to a rent that take effect after today and not before its effective date. Throws 409 when one of
 * them was charged.
 */
export async function withdrawRentChanges(
  tx: OrgTx,
  lease: Lease,
  { effectiveDate, rentCents }: BodyOf<Operations["createRentChange"]>,
  chargedThrough: string | undefined,
): Promise<void> {
  const day = today(tx.principal.timezone);
  for (const change of await findRentChanges(tx, lease.id))
    if (change.rentCents === rentCents && change.effectiveDate >= effectiveDate && change.effectiveDate > day)
      await removeRentChange(tx, lease, change, chargedThrough);
}

/**
 * Records a new rent of a locked active lease like `changeRent`, in the place of a rent change with the same effective date. The rent that the
 * lease has on this date without that change needs none.
 */
export async function replaceRentChange(
  tx: OrgTx,
  lease: Lease,
  input: BodyOf<Operations["createRentChange"]>,
  chargedThrough: string | undefined,
): Promise<void> {
  const { effectiveDate, rentCents } = input;
  const replaced = (await findRentChanges(tx, lease.id)).find((change) => change.effectiveDate === effectiveDate);
  if (replaced?.rentCents === rentCents) return;
  if (replaced) await removeRentChange(tx, lease, replaced, chargedThrough);
  const others = await findRentChanges(tx, lease.id);
  if (rentOn(initialRent(others, lease.rentCents), others, effectiveDate) === rentCents) return;
  await changeRent(tx, lease, input, chargedThrough);
}

const findRentChanges = (tx: OrgTx, leaseId: string): Promise<RentChange[]> =>
  tx.find(RentChange, { leaseId, deletedAt: null }, { orderBy: { effectiveDate: "asc" } });

const findInitialRent = async (tx: OrgTx, { id, rentCents }: Lease): Promise<Lease["rentCents"]> => initialRent(await findRentChanges(tx, id), rentCents);

/**
 * Recalculates the previous rent of each rent change of a locked lease, marks due rent changes as applied and sets the
 * lease's rent to today's. Publishes `lease.updated` and schedules the job that applies later rent changes.
 * `knownInitialRentCents` is the rent with which the lease started. It is required after a rent change was added or deleted,
 * since the initial rent is otherwise derived from the first rent change.
 */
export async function recalculateRents(tx: OrgTx, lease: Lease, knownInitialRentCents?: Lease["rentCents"]): Promise<void> {
  const changes = await findRentChanges(tx, lease.id);
  const initialRentCents = knownInitialRentCents ?? initialRent(changes, lease.rentCents);
  const day = today(tx.principal.timezone);
  let previousRentCents = initialRentCents;
  for (const change of changes) {
    change.previousRentCents = previousRentCents;
    previousRentCents = change.rentCents;
    if (change.effectiveDate <= day) change.appliedAt ??= now();
  }
  tx.assign(lease, { rentCents: rentOn(initialRentCents, changes, day), updatedAt: now() });
  await tx.flush();
  await publishLeaseUpdated(tx, lease);
  await scheduleNow(tx, "applyRentChanges");
}

const syncChargeRules = async (db: OrgDb, clients: Clients, leaseId: string, committedClause: string, { rentChange }: Result): Promise<Result> => ({
  rentChange,
  recurringChargeRules: await syncRentCharges(
    db,
    clients,
    leaseId,
    `${committedClause}; the recurring charges will follow as soon as the ledger is available again. Read the lease again in a moment.`,
  ),
});
