/** Payments: read, list and allocate. */
import type { BodyOf, QueryOf } from "@freehold/contract/operation";
import type { Payment as View, payments } from "@freehold/contract/ledger/payments";
import { now, startOfDay } from "@freehold/kit/time/clock";
import { addDays } from "@freehold/kit/time/plain-date";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { invalid, notFound } from "@freehold/kit/errors";
import { listConditions, listPage } from "@freehold/kit/db/list";
import { containsPattern } from "@freehold/kit/like-pattern";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { getChart, type Chart } from "../../chart/categories.ts";
import { newSortedIds } from "../../ids.ts";
import { postEntries } from "../../journal/posting.ts";
import { followInDeposit } from "../deposits/deposit-transfers.ts";
import { Payment } from "./payment.entity.ts";
import { allocationWrites, lockCharges } from "./payment.queries.ts";
import { applyAllocations, remainingCents, requireReceived, type AppliedAllocation } from "./payment.rules.ts";
import { creditOf } from "../allocations/release-allocations.ts";
import { allocationLines, groupBySettlementDate } from "./settlement.rules.ts";
import { paymentColumns, paymentTables, paymentView, type PaymentRow } from "./payment.view.ts";

type Operations = typeof payments.operations;
const publish = eventPublisher("ledger");

/** Returns a payment. Throws 404 for an unknown id. */
export async function getPayment(db: StatementRunner, id: string): Promise<View> {
  const row = await db.first(sql<PaymentRow>`select ${paymentColumns} from ${paymentTables} where p.organization_id = ${db.organizationId} and p.id = ${id}`);
  if (!row) throw notFound("Payment");
  return paymentView(row);
}

/** Returns a page of payments. The dates of the filters are days in the organization's time zone, the last day included. */
export async function listPayments(db: OrgDb, query: QueryOf<Operations["listPayments"]>) {
  const {
    search,
    tenantId,
    leaseId,
    propertyId,
    paymentMethod,
    status,
    depositId,
    undepositedOnly,
    unallocatedOnly,
    receivedAfter,
    receivedBefore,
    createdAfter,
    createdBefore,
  } = query;
  const timezone = db.principal.timezone;
  const { rows, paging } = await listPage<PaymentRow>(db, query, {
    table: "p",
    select: paymentColumns,
    from: paymentTables,
    totalName: "payment",
    sorts: {
      receivedAt: sql`p.received_at`,
      amountCents: sql`p.amount_cents`,
      tenantName: sql`t.full_name`,
      status: sql`p.status`,
      createdAt: sql`p.created_at`,
    },
    where: [
      ...listConditions(db, "p", query, false),
      search !== undefined && matchesSearch(db, containsPattern(search)),
      tenantId !== undefined && sql`p.tenant_id = ${tenantId}`,
      leaseId !== undefined && sql`p.lease_id = ${leaseId}`,
      // The property of a payment is the property of its lease.
      propertyId !== undefined &&
        sql`p.lease_id = any(array(select id from lease_copy where organization_id = ${db.organizationId} and property_id = ${propertyId}))`,
      paymentMethod && sql`p.payment_method = any(${paymentMethod})`,
      status && sql`p.status = any(${status})`,
      depositId !== undefined && sql`p.bank_deposit_id = ${depositId}`,
      undepositedOnly && sql`(p.bank_deposit_id is null and p.status in ('received', 'refunded'))`,
      unallocatedOnly && sql`p.unallocated_cents > 0`,
      receivedAfter !== undefined && sql`p.received_at >= ${startOfDay(receivedAfter, timezone)}`,
      receivedBefore !== undefined && sql`p.received_at < ${startOfDay(addDays(receivedBefore, 1), timezone)}`,
      createdAfter !== undefined && sql`p.created_at >= ${startOfDay(createdAfter, timezone)}`,
      createdBefore !== undefined && sql`p.created_at < ${startOfDay(addDays(createdBefore, 1), timezone)}`,
    ],
  });
  return { payments: rows.map(paymentView), ...paging };
}

/** Matches the tenant's name and the check number. The subquery on names is evaluated once per statement. */
const matchesSearch = (
  db: OrgDb,
  pattern: string,
) => sql`(p.tenant_id = any(array(select id from tenant_copy where organization_id = ${db.organizationId} and full_name ilike ${pattern}))
  or (p.check_number is not null and p.check_number ilike ${pattern}))`;

/** Allocates credit of a payment to charges of its lease, or of its tenant when it has no lease: all allocations or none. */
export function allocatePayment(db: OrgDb, id: string, { allocations }: BodyOf<Operations["allocatePayment"]>): Promise<{ payment: View }> {
  return transaction(db, async (tx) => {
    const payment = await tx.getForUpdate(Payment, id, "Payment");
    requireReceived(payment.status);
    const payer = { leaseId: payment.leaseId ?? null, tenantId: payment.tenantId };
    const chargeIds = allocations.map(({ chargeId }) => chargeId);
    const applied = applyAllocations(allocations, await tx.all(lockCharges(tx, chargeIds, payer)), payer);
    const unallocatedCentsAfter = remainingCents(payment.unallocatedCents, allocations);
    const { timezone } = await getLedgerSettings(tx);
    await postAllocations(tx, timezone, await getChart(tx), payment, applied, unallocatedCentsAfter);
    return { payment: await getPayment(tx, id) };
  });
}

/**
 * Posts allocations of a locked payment to locked charges: updates the payment and the charges, posts a journal entry for each
 * settlement date and publishes the event. `unallocatedCentsAfter` is the credit that the payment has left.
 */
export async function postAllocations(
  tx: OrgTx,
  timezone: string,
  chart: Chart,
  payment: Payment,
  allocations: readonly AppliedAllocation[],
  unallocatedCentsAfter: number,
): Promise<void> {
  const payer = { ...payerOf(payment), description: "Allocation" };
  const { tenantId, leaseId } = payer;
  const { groups, creditBeforeReleaseCents } = groupBySettlementDate(allocations, await readReceiptDate(tx, payment), creditOf(payment));
  const entries = groups.map(([date, group]) => ({
    id: newId(),
    memo: "Payment allocated",
    occurredAt: startOfDay(date, timezone),
    entryDate: date,
    source: "allocation" as const,
    document: { type: "payment" as const, id: payment.id },
    lines: allocationLines(payer, group, chart),
  }));
  tx.assign(payment, {
    unallocatedCents: unallocatedCentsAfter as View["unallocatedCents"],
    creditBeforeReleaseCents: creditBeforeReleaseCents as View["unallocatedCents"] | null,
  });
  await postEntries(tx, timezone, entries);
  await followInDeposit(tx, timezone, chart, payment, entries);
  const ids = newSortedIds(allocations.length);
  const settled = groups.flatMap(([settledOn, group], index) => group.map((allocation) => ({ ...allocation, entryId: entries[index]!.id, settledOn })));
  const newAllocations = settled.map((allocation, index) => ({ ...allocation, id: ids[index]! }));
  for (const write of allocationWrites(tx, payment.id, now().toISOString(), newAllocations)) await tx.all(write);
  await publish(tx, "payment.allocated", { entityId: payment.id, data: { tenantId, leaseId }, audience: { tenantIds: [tenantId] } });
}

/**
 * Returns the time of a change that follows the receipt: the given one, else now, or the receipt of a payment that is dated ahead.
 * Throws a 400 for a time before the receipt.
 */
export function timeSinceReceipt(receivedAt: Date | string, time: string | undefined, path: string): Date {
  const receipt = new Date(receivedAt);
  if (time === undefined) return receipt > now() ? receipt : now();
  if (new Date(time) < receipt) throw invalid([{ path, code: "before_start", message: `${path} cannot be before receivedAt of the payment.` }]);
  return new Date(time);
}

/** Returns the dimensions of the money of a payment. */
export const payerOf = ({ id, tenantId, leaseId, propertyId, unitId }: Payment) => ({
  paymentId: id,
  tenantId,
  leaseId: leaseId ?? null,
  propertyId: propertyId ?? null,
  unitId: unitId ?? null,
});

/** Returns the date of the payment's entry, which a later change of the organization's time zone leaves as it is. */
export async function readReceiptDate(tx: OrgTx, { entryId }: Payment): Promise<string> {
  const entry = await tx.first(
    sql<{ entryDate: string }>`select entry_date from journal_entry where organization_id = ${tx.organizationId} and id = ${entryId}`,
  );
  return entry!.entryDate;
}
