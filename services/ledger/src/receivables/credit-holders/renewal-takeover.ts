/**
 * Takeover by a renewal: the unallocated credit and the deposits of the lease before it go with the tenant. Payments and deposits keep
 * the lease that they name. Allocations, refunds and releases are posted at the lease that holds the credit on their day.
 */
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { maxDate } from "@freehold/kit/time/plain-date";
import type { Chart } from "../../chart/categories.ts";
import { lockLeases } from "../../projections/lock-leases.ts";
import { leasesOfTenancies } from "../../projections/tenancy.queries.ts";
import { Charge } from "../charges/charge.entity.ts";
import type { TransferPart } from "./credit-holder.rules.ts";
import { creditTransfers, postTransferParts } from "./credit-holders.ts";
import { creditHeldFor, depositsHeldFor } from "../balances/held-money.queries.ts";
import { takeOverDeposits } from "../../trust/security-deposits/deposit-holders.ts";
import { Payment } from "../payments/payment.entity.ts";
import { depositTransferLines } from "../payments/settlement.rules.ts";

/** Renewal that takes over a lease on its start date. */
export interface Takeover {
  id: string;
  startDate: string;
  renewedFromLeaseId: string;
}

/**
 * Moves the credit and the paid deposits of a lease to its renewal, dated the start of the renewal or the later day on which the money
 * was received or released. Idempotent.
 */
export const takeOverMoney = (db: OrgDb, timezone: string, chart: Chart, { id, startDate, renewedFromLeaseId }: Takeover): Promise<void> =>
  transaction(db, async (tx) => {
    // Locked before the money is selected, so that a concurrent repetition finds nothing left to move. All leases of the tenancy are
    // locked, because a payment of an earlier one may leave its credit at the lease that is taken over.
    const tenancy = await tx.all(sql<{ id: string }>`select unnest(${leasesOfTenancies(tx, [id])}) as id`);
    await lockLeases(tx, [id, renewedFromLeaseId, ...tenancy.map((lease) => lease.id)]);
    await markTakenOver(tx, id);
    const payments = await lockPaymentsWithCredit(tx, renewedFromLeaseId);
    const deposits = await lockDeposits(tx, renewedFromLeaseId);
    for (const payment of payments) tx.assign(payment, { creditLeaseId: id });
    const parts = [...(await creditTransfers(tx, chart, payments)), ...(await depositParts(tx, chart, deposits, id, startDate))];
    await postTransferParts(tx, timezone, parts);
    for (const deposit of deposits) tx.assign(deposit, { depositLeaseId: id });
    await takeOverDeposits(tx, renewedFromLeaseId, id);
  });

/**
 * Stores the time of the first takeover by a renewal, for payments and deposits that are recorded later. Raises the versions of the
 * renewal and the leases before it, so that batches of payments that have read these leases are not recorded.
 */
const markTakenOver = (tx: OrgTx, renewalId: string) =>
  tx.all(sql`update lease_copy lease set version = lease.version + 1, took_over_at = case when lease.id = renewal.id then now() else lease.took_over_at end
    from lease_copy renewal where renewal.organization_id = ${tx.organizationId} and renewal.id = ${renewalId} and renewal.took_over_at is null
      and lease.organization_id = renewal.organization_id and lease.id = any(array(select other.id from lease_copy other
        where other.organization_id = renewal.organization_id and other.tenancy_id = renewal.tenancy_id and (other.id = renewal.id or other.start_date < renewal.start_date)
        order by other.id for no key update))`);

/** Locks the payments whose credit, now or after a release, is held for a lease. */
async function lockPaymentsWithCredit(tx: OrgTx, leaseId: string): Promise<Payment[]> {
  const rows = await tx.all(sql<{ id: string }>`select p.id from payment p where p.organization_id = ${tx.organizationId} and ${creditHeldFor(sql`${leaseId}`)}
    and p.status in ('pending', 'received', 'refunded')`);
  return tx.findAllForUpdate(
    Payment,
    rows.map(({ id }) => id),
  );
}

/** Locks the deposit charges whose paid part is held for a lease. */
async function lockDeposits(tx: OrgTx, leaseId: string): Promise<Charge[]> {
  const rows = await tx.all(sql<{ id: string }>`select c.id from charge c where c.organization_id = ${tx.organizationId} and ${depositsHeldFor(sql`${leaseId}`)}
    and c.status <> 'voided'`);
  return tx.findAllForUpdate(
    Charge,
    rows.map(({ id }) => id),
  );
}

/** Returns a transfer for each allocation that pays one of the deposits. */
async function depositParts(tx: OrgTx, chart: Chart, deposits: readonly Charge[], renewalId: string, startDate: string): Promise<TransferPart[]> {
  const depositById = new Map(deposits.map((deposit) => [deposit.id, deposit]));
  const paid = await tx.all(sql<{ paymentId: string; chargeId: string; amountCents: number; settledOn: string }>`
    select a.payment_id, a.charge_id, a.amount_cents, e.entry_date as settled_on from payment_allocation a
      join journal_entry e on e.organization_id = a.organization_id and e.id = a.entry_id
    where a.organization_id = ${tx.organizationId} and a.charge_id = any(${[...depositById.keys()]}::uuid[]) and a.released_at is null order by a.id`);
  return paid.map(({ paymentId, chargeId, amountCents, settledOn }) => ({
    paymentId,
    date: maxDate(startDate, settledOn),
    lines: depositTransferLines({ charge: depositById.get(chargeId)!, amountCents }, paymentId, renewalId, chart),
  }));
}
