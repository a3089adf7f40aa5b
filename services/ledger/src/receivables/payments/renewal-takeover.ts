/**
 * Takeover by a renewal: the unallocated credit and the deposits of the lease before it go with the tenant. Payments and deposits keep
 * the lease that they name; what is allocated, refunded or released later moves at the lease that holds the credit.
 */
import { startOfDay } from "@freehold/kit/time/clock";
import { newId } from "@freehold/kit/db/entity";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { maxDate } from "@freehold/kit/time/plain-date";
import type { Chart } from "../../chart/categories.ts";
import type { EntryLine } from "../../journal/journal.rules.ts";
import { postEntries } from "../../journal/posting.ts";
import { lockLeases } from "../../projections/lock-leases.ts";
import { Charge } from "../charges/charge.entity.ts";
import { creditHeldFor, depositsHeldFor } from "./held-money.queries.ts";
import { Payment } from "./payment.entity.ts";
import { readPaymentDays } from "./payments.ts";
import { creditTransferLines, depositTransferLines, payerOf } from "./settlement.rules.ts";

/** Renewal that takes over a lease on its start date. */
export interface Takeover {
  id: string;
  startDate: string;
  renewedFromLeaseId: string;
}

/** Part of a takeover: lines about one payment that are dated one day. */
interface TransferPart {
  paymentId: string;
  date: string;
  lines: EntryLine[];
}

/**
 * Moves the credit and the paid deposits of a lease to its renewal, dated the takeover or, for money that was received or released
 * later, that day. The entries belong to the payments, so that the reversal of a payment takes its part back. Idempotent.
 */
export const takeOverMoney = (db: OrgDb, timezone: string, chart: Chart, { id, startDate, renewedFromLeaseId }: Takeover): Promise<void> =>
  transaction(db, async (tx) => {
    // Before the money is selected: a takeover that waited finds nothing left to move.
    await lockLeases(tx, [id, renewedFromLeaseId]);
    const payments = await lockPaymentsWithCredit(tx, renewedFromLeaseId);
    const deposits = await lockDeposits(tx, renewedFromLeaseId);
    const parts = [...(await creditParts(tx, chart, payments, id, startDate)), ...(await depositParts(tx, chart, deposits, id, startDate))];
    const entries = [...Map.groupBy(parts, ({ paymentId, date }) => `${paymentId} ${date}`).values()].map((group) => ({
      id: newId(),
      memo: "Taken over by the renewal",
      occurredAt: startOfDay(group[0]!.date, timezone),
      entryDate: group[0]!.date,
      source: "allocation" as const,
      document: { type: "payment" as const, id: group[0]!.paymentId },
      lines: group.flatMap(({ lines }) => lines),
    }));
    await postEntries(tx, timezone, entries);
    for (const payment of payments) tx.assign(payment, { creditLeaseId: id });
    for (const deposit of deposits) tx.assign(deposit, { depositLeaseId: id });
  });

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

async function creditParts(tx: OrgTx, chart: Chart, payments: readonly Payment[], renewalId: string, startDate: string): Promise<TransferPart[]> {
  const parts: TransferPart[] = [];
  for (const payment of payments) {
    if (payment.unallocatedCents === 0 || payment.status !== "received") continue;
    const { postedOn } = await readPaymentDays(tx, payment.id);
    const availableOn = maxDate(postedOn, payment.creditReleasedOn ?? startDate);
    const lines = creditTransferLines(payerOf(payment), payment.unallocatedCents, renewalId, chart);
    parts.push({ paymentId: payment.id, date: maxDate(startDate, availableOn), lines });
  }
  return parts;
}

/** Returns the transfers of paid deposits, for each allocation that pays one. */
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
