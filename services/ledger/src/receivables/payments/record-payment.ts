/**
 * Recording of payments, the hot path: two round trips to the database. The first locks the charges and reads the input of
 * the rules; the second writes everything and commits, so that locks are held for one round trip only.
 */
import type { BodyOf } from "@freehold/contract/operation";
import type { Payment as View, payments } from "@freehold/contract/ledger/payments";
import { localDateOf, now, startOfDay } from "@freehold/kit/time/clock";
import { isUniqueViolation, translateDatabaseError } from "@freehold/kit/db/database-error";
import { pipeline, type Pipeline } from "@freehold/kit/db/pipeline";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { newId } from "@freehold/kit/db/entity";
import { unavailable, unknownReference, invalid, type ApiError } from "@freehold/kit/errors";
import { fingerprint, keyReused, IdempotentReplay } from "@freehold/kit/db/idempotency";
import { insertEvents } from "@freehold/kit/db/outbox";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { getChart, type Chart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { replicateLeases, replicateTenants } from "../../projections/projections.ts";
import { newSortedIds } from "../../ids.ts";
import { postingStatements, type NewEntry } from "../../journal/posting.ts";
import {
  allocationWrites,
  insertPayment,
  lockCharges,
  lockOpenCharges,
  selectPaymentByKey,
  selectPaymentContext,
  type NewAllocation,
  type PaymentContext,
} from "./payment.queries.ts";
import { allocateOldestFirst, applyAllocations, remainingCents, type AllocatableCharge, type AppliedAllocation } from "./payment.rules.ts";
import { groupBySettlementDate, paymentLines, postponedSettlementLines, type PayerDimensions } from "./settlement.rules.ts";
import { paymentView, type PaymentRow } from "./payment.view.ts";

type Body = BodyOf<typeof payments.operations.recordPayment>;
type PaymentResponse = { payment: View };
type NamedAllocation = AppliedAllocation<AllocatableCharge & { name: string }> & { id: string };

const MAX_ATTEMPTS = 3;
const LOCK_TIMEOUT = "55P03";

/** Records a payment and allocates it to charges. A request repeated with its idempotency key, which never expires, replays the first response. */
export async function recordPayment(db: OrgDb, clients: Clients, body: Body): Promise<PaymentResponse> {
  const { idempotencyKey: _, ...content } = body;
  const requestHash = fingerprint({ ...content, receivedAt: new Date(body.receivedAt).toISOString() });
  const chart = await getChart(db);
  const allocationOrder = body.autoAllocate ? (await getLedgerSettings(db)).policies.allocationOrder : [];
  let isReplicated = false;
  for (let attempt = 1; ; attempt++) {
    let response: PaymentResponse | undefined;
    try {
      response = await pipeline(db, (tx) => recordUnlessMissing(tx, body, requestHash, chart, allocationOrder));
    } catch (error) {
      // Another request with the same key committed first; the next attempt finds its payment and replays the response.
      if (isUniqueViolation(error, "payment_idempotency_key_once") && attempt < MAX_ATTEMPTS) continue;
      if ((error as { code?: string }).code === LOCK_TIMEOUT) throw unavailable(error, "idempotency_in_progress");
      throw translateDatabaseError(error, db.database.constraints);
    }
    if (response) return response;
    if (isReplicated) throw await unknownTenantOrLease(db, body);
    await replicateMissing(db, clients, body);
    isReplicated = true;
  }
}

/** Replicates the tenant and the lease of a payment, which are not projected yet. */
async function replicateMissing(db: OrgDb, { portfolio }: Clients, { tenantId, leaseId }: Body): Promise<void> {
  await Promise.all([replicateTenants(db, portfolio, [tenantId]), leaseId ? replicateLeases(db, portfolio, [leaseId]) : undefined]);
}

/** Returns the error for a tenant or lease that portfolio does not know. */
async function unknownTenantOrLease(db: OrgDb, { tenantId, leaseId }: Body): Promise<ApiError> {
  const context = await db.first(selectPaymentContext(db, tenantId, leaseId ?? null));
  return context ? unknownReference("leaseId", "lease") : unknownReference("tenantId", "tenant");
}

/** Records the payment and returns the response, or undefined, without an effect, when its tenant or lease is not projected yet. */
async function recordUnlessMissing(
  tx: Pipeline,
  body: Body,
  requestHash: string,
  chart: Chart,
  allocationOrder: readonly string[],
): Promise<PaymentResponse | undefined> {
  const leaseId = body.leaseId ?? null;
  const [charges, [earlier], [context]] = await tx.send(
    body.autoAllocate
      ? lockOpenCharges(tx, { leaseId, tenantId: body.tenantId })
      : lockCharges(
          tx,
          body.allocations.map(({ chargeId }) => chargeId),
          { leaseId, tenantId: body.tenantId },
        ),
    selectPaymentByKey(tx, body.idempotencyKey),
    selectPaymentContext(tx, body.tenantId, leaseId),
  );
  if (earlier && earlier.requestHash !== requestHash) throw keyReused();
  if (earlier) throw new IdempotentReplay(earlier.answer);
  if (context?.mergedIntoId) throw mergedTenant(context.mergedIntoId);
  if (!context || (leaseId && !context.leaseId)) return undefined;
  if (context.isDeleted) throw unknownReference("tenantId", "tenant");
  if (leaseId && !context.isPayer)
    throw invalid([{ path: "tenantId", code: "mismatch", message: "This tenant is not on the lease. Name a tenant of the lease, or leave leaseId out." }]);

  const allocations = body.autoAllocate ? allocateOldestFirst(charges, body.amountCents, allocationOrder) : body.allocations;
  const unallocatedCents = remainingCents(body.amountCents, allocations);
  const ids = newSortedIds(allocations.length);
  const applied = applyAllocations(allocations, charges, { leaseId, tenantId: body.tenantId }).map((allocation, index) => ({ ...allocation, id: ids[index]! }));
  const row = paymentRow(tx, body, context, applied, unallocatedCents);
  // The response is stored with the payment for replay, so it is built before the insert.
  const response = { payment: paymentView(row) };
  const payer = { paymentId: row.id, propertyId: context.propertyId, unitId: context.unitId, leaseId, tenantId: body.tenantId, description: "Payment" };
  const { timezone } = context;
  const { entries, allocations: newAllocations } = paymentEntries(payer, row, applied, chart, timezone);
  const entryId = entries[0]!.id;
  await tx.commit(
    ...postingStatements(tx, timezone, entries),
    insertPayment(tx, { ...row, propertyId: context.propertyId, unitId: context.unitId, requestHash, answer: JSON.stringify(response), entryId }),
    ...(applied.length > 0 ? allocationWrites(tx, row.id, row.createdAt, newAllocations) : []),
    insertEvents(tx, "payment.received", {
      entityId: row.id,
      data: { tenantId: body.tenantId, leaseId, receivedAt: row.receivedAt },
      audience: { tenantIds: [body.tenantId] },
    }),
  );
  return response;
}

/**
 * Returns the journal entries of a payment, that of the receipt first, and the allocations with the entry that settles each.
 * An allocation to a charge that is dated after the receipt has an entry on the date of the charge.
 */
function paymentEntries(
  payer: PayerDimensions,
  { id, tenantName, receivedAt, unallocatedCents }: PaymentRow,
  allocations: readonly NamedAllocation[],
  chart: Chart,
  timezone: string,
): { entries: NewEntry[]; allocations: NewAllocation[] } {
  const receivedOn = localDateOf(receivedAt, timezone);
  const { groups } = groupBySettlementDate(allocations, receivedOn);
  const settled = groups.flatMap(([date, group]) => (date === receivedOn ? group : []));
  const later = groups.filter(([date]) => date !== receivedOn).map(([date, group]) => ({ id: newId(), date, group }));
  const postponed = later.flatMap(({ group }) => group);
  const document = { type: "payment", id } as const;
  const receipt: NewEntry = {
    id: newId(),
    memo: `Payment from ${tenantName}`.slice(0, 500),
    occurredAt: new Date(receivedAt),
    source: "payment",
    document,
    lines: paymentLines(payer, { settled, postponed, unallocatedCents }, chart),
  };
  const settlements = later.map(({ id: entryId, date, group }): NewEntry => {
    const lines = postponedSettlementLines(payer, group, chart);
    return { id: entryId, memo: "Payment allocated", occurredAt: startOfDay(date, timezone), source: "allocation", document, entryDate: date, lines };
  });
  const settledOnReceipt = settled.map((allocation) => ({ ...allocation, entryId: receipt.id, settledOn: receivedOn }));
  const settledLater = later.flatMap(({ id: entryId, date, group }) => group.map((allocation) => ({ ...allocation, entryId, settledOn: date })));
  return { entries: [receipt, ...settlements], allocations: [...settledOnReceipt, ...settledLater] };
}

const mergedTenant = (survivorId: string) =>
  invalid([{ path: "tenantId", code: "not_found", message: `This tenant was merged into the tenant ${survivorId}. Use that id as tenantId.` }]);

/** Returns the payment's row as it will be inserted. */
function paymentRow(
  tx: Pipeline,
  body: Body,
  { leaseId: _l, isPayer: _p, mergedIntoId: _m, isDeleted: _d, timezone: _t, ...relations }: PaymentContext,
  allocations: readonly NamedAllocation[],
  unallocatedCents: number,
): PaymentRow {
  const createdAt = now().toISOString();
  return {
    id: newId(),
    organizationId: tx.organizationId,
    tenantId: body.tenantId,
    leaseId: body.leaseId ?? null,
    amountCents: body.amountCents,
    unallocatedCents: unallocatedCents as View["unallocatedCents"],
    refundedCents: 0 as View["refundedCents"],
    depositId: null,
    checkNumber: body.checkNumber ?? null,
    idempotencyKey: body.idempotencyKey,
    paymentMethod: body.paymentMethod,
    receivedAt: new Date(body.receivedAt).toISOString(),
    status: "received",
    createdAt,
    updatedAt: createdAt,
    version: 1,
    ...relations,
    refunds: [],
    allocations: allocations.map(({ id, charge, amountCents, chargeAfter }) => ({
      id,
      chargeId: charge.id,
      amountCents: amountCents as View["amountCents"],
      charge: {
        id: charge.id,
        name: charge.name,
        chargeType: charge.chargeType,
        status: chargeAfter.status,
        amountCents: charge.amountCents,
        balanceCents: chargeAfter.balanceCents,
        dueDate: charge.dueDate,
      },
    })) as PaymentRow["allocations"],
  };
}
