/** Automatic allocation of unallocated credit to open charges. Callers of `applyCredit` check the policy `autoAllocatePayments`. */
import { readCredit } from "../payments/payments.ts";
import { now } from "@freehold/kit/time/clock";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { workThrough } from "@freehold/kit/jobs/work-through";
import { scheduleNow, type Job } from "@freehold/kit/jobs/scheduler";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { getLedgerSettings, type LedgerSettings } from "../../settings/ledger-settings.ts";
import { getChart, type Chart } from "../../chart/categories.ts";
import { leasesOfTenancies } from "../../projections/tenancy.queries.ts";
import { postAllocations } from "./post-allocations.ts";
import { Payment } from "../payments/payment.entity.ts";
import { lockAvailableOpenCharges, lockOpenCharges, selectOpenCharges } from "../payments/payment.queries.ts";
import { allocateOldestFirst } from "../payments/payment.rules.ts";

const JOB_INTERVAL_MS = 86_400_000;

/**
 * Allocates credit to open charges by due date: of payments recorded for each lease or another lease of its tenancy, and of payments
 * without a lease by a tenant of the lease, oldest payment first. Charges due on the same day follow the policy
 * `allocationOrder`. The caller may have locked charges, so this waits for no lock: rows that another transaction has locked are left to
 * the job `applyPostponedCredit`, which runs after the commit.
 */
export async function applyCredit(tx: OrgTx, settings: LedgerSettings, chart: Chart, leaseIds: readonly string[]): Promise<void> {
  const ids = await findCreditPayments(tx, leaseIds);
  const payments = new Map((await tx.findAvailableForUpdate(Payment, ids)).map((payment) => [payment.id, payment]));
  let isComplete = payments.size === ids.length;
  for (const payment of ids.flatMap((id) => payments.get(id) ?? [])) {
    const allOpen = await tx.all(selectOpenCharges(tx, payment));
    const available = await tx.all(lockAvailableOpenCharges(tx, payment));
    if (available.length < allOpen.length) isComplete = false;
    else await allocateCredit(tx, settings, chart, payment, available);
  }
  if (isComplete) return;
  await tx.all(sql`insert into postponed_credit (organization_id, lease_id) select ${tx.organizationId}, id from unnest(${[...leaseIds]}::uuid[]) as id`);
  await scheduleNow(tx, "applyPostponedCredit");
}

/** Applies the credit of leases that `applyCredit` postponed, each payment in its own transaction, which waits for locks. */
export const applyPostponedCredit: Job = async (db) => {
  const chart = await getChart(db);
  const postponed = await db.all(sql<{ leaseId: string; ids: string[] }>`select lease_id, array_agg(id::text) as ids from postponed_credit
    where organization_id = ${db.organizationId} group by 1 order by 1`);
  await workThrough(postponed, async ({ leaseId, ids }) => {
    for (const id of await findCreditPayments(db, [leaseId])) await applyPayment(db, chart, id);
    // Only the rows that were read: another posting may have taken a lower id and commit later.
    await db.all(sql`delete from postponed_credit where organization_id = ${db.organizationId} and id = any(${ids}::bigint[])`);
  });
  return new Date(now().getTime() + JOB_INTERVAL_MS);
};

const applyPayment = (db: OrgDb, chart: Chart, id: string): Promise<void> =>
  transaction(db, async (tx) => {
    const settings = await getLedgerSettings(tx);
    if (!settings.policies.autoAllocatePayments) return;
    const payment = await tx.getForUpdate(Payment, id, "Payment");
    await allocateCredit(tx, settings, chart, payment, await tx.all(lockOpenCharges(tx, payment)));
  });

type OpenCharges = Parameters<typeof allocateOldestFirst>[0];

/** Allocates the credit of a locked payment to locked open charges. The payment may have been used or reversed before it was locked. */
async function allocateCredit(tx: OrgTx, { timezone, policies }: LedgerSettings, chart: Chart, payment: Payment, charges: OpenCharges): Promise<void> {
  if (payment.status !== "received") return;
  const allocations = allocateOldestFirst(charges, await readCredit(tx, payment), policies.allocationOrder);
  await postAllocations(tx, timezone, chart, payment, allocations, charges);
}

/** Returns the ids of the payments with credit for the leases, oldest payment first. */
async function findCreditPayments(db: StatementRunner, leaseIds: readonly string[]): Promise<string[]> {
  const ofLeases = leasesOfTenancies(db, leaseIds);
  const payments = await db.all(sql<{ id: string }>`select id from payment
    where organization_id = ${db.organizationId} and status = 'received' and unallocated_cents > 0 and (lease_id = any(${ofLeases}) or (lease_id is null
      and tenant_id = any(array(select unnest(tenant_id || payer_ids) from lease_copy where organization_id = ${db.organizationId} and id = any(${ofLeases})))))
    order by received_at, id`);
  return payments.map(({ id }) => id);
}
