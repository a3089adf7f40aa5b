import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import type { rentChanges } from "@freehold/contract/rent-changes";
import { now, today } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { completeAfterCommit } from "@freehold/kit/db/idempotency";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { withVersion } from "@freehold/kit/http/etag";
import type { Clients } from "../../clients.ts";
import { holdLease } from "../hold-lease.ts";
import { followRentsInLedger } from "../billing/lease-billing.ts";
import { announceUpdate } from "../lease-events.ts";
import { Lease } from "../lease.entity.ts";
import { requireStatus } from "../lease.rules.ts";
import { findLease } from "../leases.queries.ts";
import { RentChange } from "./rent-change.entity.ts";
import { firstRent, refuseCharged, refuseOutside, refuseTakenEffect, rentOn } from "./rent-change.rules.ts";
import { findRentChange, leaseOfRentChange, pageOfRentChanges, type RentChangeRow } from "./rent-changes.queries.ts";

type Operations = (typeof rentChanges)["operations"];
type Answer = Output<Operations["createRentChange"]>;

const view = ({ version, ...change }: RentChangeRow) => withVersion(change, version);

/** The rent changes of a lease; those that were taken back only with `includeDeleted`. */
export async function listRentChanges(
  db: OrgDb,
  leaseId: string,
  query: QueryOf<Operations["listRentChanges"]>,
): Promise<Output<Operations["listRentChanges"]>> {
  await findLease(db, leaseId);
  const { rows, paging } = await pageOfRentChanges(db, leaseId, query);
  return { rentChanges: rows.map(view), ...paging };
}

/** Agrees another rent for a running lease from a day on that is not charged yet. */
export async function createRentChange(db: OrgDb, ask: Clients, leaseId: string, terms: BodyOf<Operations["createRentChange"]>): Promise<Answer> {
  const { through } = await ask.ledger.getRentChargedThrough(db, { leaseId });
  const work = transaction(db, async (tx): Promise<Answer> => {
    const lease = await tx.getForUpdate(Lease, leaseId, "Lease", { deletedAt: null });
    requireStatus(lease, "have its rent changed");
    refuseOutside(lease, terms.effectiveDate);
    const first = await rentAtStart(tx, lease);
    const noticeSentOn = terms.noticeSentOn ?? null;
    const change = tx.create(RentChange, { ...terms, noticeSentOn, leaseId, previousRentCents: first });
    // A day that has another rent already is refused for that, whether it is charged or not.
    await tx.flush();
    refuseCharged(terms.effectiveDate, through);
    await followRentChanges(tx, lease, first);
    return { rentChange: view(await findRentChange(tx, change.id)), recurringChargeRules: [] };
  });
  return completeAfterCommit(work, (answer) => withRules(db, ask, leaseId, "The rent change is recorded", answer));
}

/** Takes back a rent change whose day has not come. */
export async function deleteRentChange(db: OrgDb, ask: Clients, id: string): Promise<Answer> {
  const leaseId = await leaseOfRentChange(db, id);
  const { through } = await ask.ledger.getRentChargedThrough(db, { leaseId });
  const answer = await transaction(db, async (tx): Promise<Answer> => {
    const lease = await holdLease(tx, leaseId);
    const change = await tx.getForUpdate(RentChange, id, "Rent change", { deletedAt: null });
    requireStatus(lease, "have its rent changed");
    refuseTakenEffect(change.effectiveDate, today(tx.principal.timezone), through);
    const first = await rentAtStart(tx, lease);
    change.deletedAt = now();
    await tx.flush();
    await followRentChanges(tx, lease, first);
    return { rentChange: view(await findRentChange(tx, id)), recurringChargeRules: [] };
  });
  return withRules(db, ask, leaseId, "The rent change is taken back", answer);
}

const changesOf = (tx: OrgTx, leaseId: string): Promise<RentChange[]> =>
  tx.find(RentChange, { leaseId, deletedAt: null }, { orderBy: { effectiveDate: "asc" } });

const rentAtStart = async (tx: OrgTx, { id, rentCents }: Lease): Promise<Lease["rentCents"]> => firstRent(await changesOf(tx, id), rentCents);

/** Each change of a locked lease knows the rent before it, and the lease has the rent of today. */
export async function followRentChanges(tx: OrgTx, lease: Lease, first?: Lease["rentCents"]): Promise<void> {
  const changes = await changesOf(tx, lease.id);
  const atStart = first ?? firstRent(changes, lease.rentCents);
  const day = today(tx.principal.timezone);
  let rentBefore = atStart;
  for (const change of changes) {
    change.previousRentCents = rentBefore;
    rentBefore = change.rentCents;
    if (change.effectiveDate <= day) change.appliedAt ??= now();
  }
  tx.assign(lease, { rentCents: rentOn(atStart, changes, day), updatedAt: now() });
  await tx.flush();
  await announceUpdate(tx, lease);
  await scheduleNow(tx, "applyRentChanges");
}

const withRules = async (db: OrgDb, ask: Clients, leaseId: string, done: string, { rentChange }: Answer): Promise<Answer> => ({
  rentChange,
  recurringChargeRules: await followRentsInLedger(
    db,
    ask,
    leaseId,
    `${done}; the recurring charges will follow as soon as the ledger answers. Read the lease again in a moment.`,
  ),
});
