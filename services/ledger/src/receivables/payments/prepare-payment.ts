/** Computes the rows, the event and the response of a new payment from the rows that were read. */
import { truncate } from "@freehold/kit/truncate";
import type { BodyOf } from "@freehold/contract/operation";
import type { Payment as View, payments } from "@freehold/contract/ledger/payments";
import { localDateOf, now, startOfDay } from "@freehold/kit/time/clock";
import { newId } from "@freehold/kit/db/entity";
import type { NewEvent } from "@freehold/kit/db/outbox";
import { invalid, unknownReference } from "@freehold/kit/errors";
import type { Chart } from "../../chart/categories.ts";
import { cancelledLeaseError } from "../lease-billing/cancelled-leases.ts";
import { takeoverEntries } from "../credit-holders/transfer-entries.ts";
import { newSortedIds } from "../../ids.ts";
import type { NewEntry } from "../../journal/posting.ts";
import type { NewAllocation, NewPayment, PaymentContext } from "./payment.queries.ts";
import { allocateOldestFirst, applyAllocations, remainingCents, type AllocatableCharge, type AppliedAllocation } from "./payment.rules.ts";
import { groupBySettlementDate, paymentLines, postponedSettlementLines, type PayerDimensions } from "./settlement.rules.ts";
import { paymentView, type PaymentRow } from "./payment.view.ts";

export type PaymentBody = BodyOf<typeof payments.operations.recordPayment>;
export type PaymentResponse = { payment: View };
export type NamedCharge = AllocatableCharge & { name: string };
type NamedAllocation<C extends NamedCharge> = AppliedAllocation<C> & { id: string };

/** Request to record a payment, with the settings that all payments of its organization share. */
export interface PaymentRequest {
  organizationId: string;
  body: PaymentBody;
  /** Digest of the body without the idempotency key. */
  requestHash: string;
  chart: Chart;
  /** Order of charge types for the automatic allocation. */
  allocationOrder: readonly string[];
}

/** Payment with its journal entries, allocations and event, to be written together. */
export interface PreparedPayment<C extends NamedCharge = NamedCharge> {
  /** Stored with the payment for replay. */
  response: PaymentResponse;
  payment: NewPayment;
  timezone: string;
  entries: NewEntry[];
  allocations: NewAllocation<C>[];
  event: NewEvent<"payment.received">;
}

type Payer = Pick<PaymentContext, "mergedIntoId" | "isDeleted" | "isPayer" | "leaseId" | "leaseStatus">;

/** Throws a 400 unless the tenant can pay: it is neither merged nor deleted, and is on the lease that the payment names, which is not cancelled. */
export function requirePayer({ mergedIntoId, isDeleted, isPayer, leaseId, leaseStatus }: Payer): void {
  if (mergedIntoId) throw mergedTenant(mergedIntoId);
  if (isDeleted) throw unknownReference("tenantId", "tenant");
  if (leaseStatus === "cancelled") throw cancelledLeaseError();
  if (leaseId && !isPayer)
    throw invalid([
      {
        path: "tenantId",
        code: "mismatch",
        message:
          "The primary occupant and the co-tenants of a lease pay on it, a released one with money received before the release. Name one of them, also for money of a guarantor, or leave leaseId out.",
      },
    ]);
}

const mergedTenant = (survivorId: string) =>
  invalid([{ path: "tenantId", code: "not_found", message: `This tenant was merged into the tenant ${survivorId}. Use that id as tenantId.` }]);

/** Applies the rules of payments to a request. Throws as `applyAllocations` and `remainingCents` do. */
export function preparePayment<C extends NamedCharge>(
  { organizationId, body, requestHash, chart, allocationOrder }: PaymentRequest,
  context: PaymentContext,
  charges: readonly C[],
): PreparedPayment<C> {
  const { leaseId = null, tenantId } = body;
  const allocations = body.autoAllocate
    ? allocateOldestFirst(charges, { amountCents: body.amountCents, receivedOn: localDateOf(body.receivedAt, context.timezone) }, allocationOrder)
    : body.allocations;
  const unallocatedCents = remainingCents(body.amountCents, allocations);
  const ids = newSortedIds(allocations.length);
  const applied = applyAllocations(allocations, charges, { leaseId, tenantId }).map((allocation, index) => ({ ...allocation, id: ids[index]! }));
  const row = paymentRow(organizationId, body, context, applied, unallocatedCents);
  // The response is stored with the payment for replay, so it is built before the insert.
  const response = { payment: paymentView(row) };
  const { timezone, propertyId, unitId, takeovers } = context;
  const payer = { paymentId: row.id, propertyId, unitId, leaseId, tenantId, description: "Payment" };
  const { entries, allocations: newAllocations } = paymentEntries(payer, row, applied, chart, timezone);
  return {
    response,
    payment: {
      ...row,
      creditLeaseId: takeovers.at(-1)?.leaseId ?? null,
      propertyId,
      unitId,
      requestHash,
      answer: JSON.stringify(response),
      entryId: entries[0]!.id,
    },
    timezone,
    entries: [...entries, ...takeoverEntries(payer, takeovers, entries, chart, timezone)],
    allocations: newAllocations,
    event: {
      entityId: row.id,
      data: { tenantId, leaseId, receivedAt: row.receivedAt },
      audience: { tenantIds: [...new Set([tenantId, ...context.payerIds])] },
    },
  };
}

/**
 * Returns the journal entries of a payment, that of the receipt first, and the allocations with the entry that settles each.
 * Allocations that settle their charges after the day of the receipt have an entry on each settlement date.
 */
function paymentEntries<C extends NamedCharge>(
  payer: PayerDimensions,
  { id, tenantName, receivedAt, unallocatedCents }: PaymentRow,
  allocations: readonly NamedAllocation<C>[],
  chart: Chart,
  timezone: string,
): { entries: NewEntry[]; allocations: NewAllocation<C>[] } {
  const receivedOn = localDateOf(receivedAt, timezone);
  const { groups } = groupBySettlementDate(allocations, receivedOn);
  const settled = groups.flatMap(([date, group]) => (date === receivedOn ? group : []));
  const later = groups.filter(([date]) => date !== receivedOn).map(([date, group]) => ({ id: newId(), date, group }));
  const postponed = later.flatMap(({ group }) => group);
  const document = { type: "payment", id } as const;
  const receipt: NewEntry = {
    id: newId(),
    memo: truncate(`${isSecurityDeposit(allocations, unallocatedCents) ? "Security deposit" : "Payment"} from ${tenantName}`, 500),
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

/** Tells whether a payment settles nothing but charges of security deposits. */
const isSecurityDeposit = (allocations: readonly NamedAllocation<NamedCharge>[], unallocatedCents: number): boolean =>
  unallocatedCents === 0 && allocations.every(({ charge }) => charge.chargeType === "deposit");

/** Returns the payment's row as it will be inserted. */
function paymentRow(
  organizationId: string,
  body: PaymentBody,
  { leaseId: _l, isPayer: _p, payerIds: _i, mergedIntoId: _m, isDeleted: _d, timezone: _t, takeovers: _h, ...relations }: PaymentContext,
  allocations: readonly NamedAllocation<NamedCharge>[],
  unallocatedCents: number,
): PaymentRow {
  const createdAt = now().toISOString();
  return {
    id: newId(),
    organizationId,
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
