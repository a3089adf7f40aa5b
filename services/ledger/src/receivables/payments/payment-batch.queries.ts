/**
 * Statements of batches of payments. They call functions of the database that see the organizations of the batch, so each row
 * names its organization. Their texts are fixed, since compiling a statement costs as much as a part of a batch.
 */
import { envelopeOf } from "@freehold/kit/db/outbox";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { Compiled } from "@freehold/kit/db/statement";
import { postingRows } from "../../journal/posting.ts";
import type { NewAllocation, PaymentContext } from "./payment.queries.ts";
import type { NamedCharge, PaymentRequest, PreparedPayment } from "./prepare-payment.ts";

/** Payment to record in a batch. */
export interface BatchedPayment {
  db: OrgDb;
  request: PaymentRequest;
  /** Trace of the request. */
  traceParent: string | undefined;
}

/** Context of a payment as read for a batch, with the versions of the rows it was read from. */
export type BatchContext = PaymentContext & {
  place: number;
  isKeyUsed: boolean;
  tenantVersion: number;
  leaseVersion: number | null;
  /** First day of the open accounting periods. */
  firstOpenDay: string;
};

/** Charge as read for a batch. */
export type BatchCharge = NamedCharge & { organizationId: string; version: number };

/** Payment whose rows a batch writes, with the versions that they depend on. */
export interface PaymentToWrite extends Pick<BatchedPayment, "db" | "traceParent"> {
  prepared: PreparedPayment<BatchCharge>;
  tenantVersion: number;
  leaseVersion: number | null;
}

const organizationsOf = (batch: readonly { db: OrgDb }[]): string[] => [...new Set(batch.map(({ db }) => db.organizationId))];

/** Selects the context of each payment whose tenant is projected, by its place in the batch. */
export function selectBatchContexts(batch: readonly BatchedPayment[]): Compiled {
  const requests = batch.map(({ request: { organizationId, body } }, place) => ({
    place,
    organization_id: organizationId,
    tenant_id: body.tenantId,
    lease_id: body.leaseId ?? null,
    idempotency_key: body.idempotencyKey,
  }));
  return { text: "select * from read_payment_contexts($1, $2)", values: [organizationsOf(batch), JSON.stringify(requests)] };
}

/** Selects the charges that the payments name, without a lock. */
export function selectBatchCharges(batch: readonly BatchedPayment[]): Compiled {
  const named = batch.flatMap(({ request: { organizationId, body } }) => body.allocations.map(({ chargeId }) => ({ organizationId, chargeId })));
  return {
    text: "select * from read_payment_charges($1, $2, $3)",
    values: [organizationsOf(batch), named.map(({ organizationId }) => organizationId), named.map(({ chargeId }) => chargeId)],
  };
}

/** Writes the payments of a batch, or fails without an effect when a row that they depend on has changed since it was read. */
export function recordBatch(batch: readonly PaymentToWrite[], recordedAt: string): Compiled {
  const postings = batch.map(({ db, prepared }) => postingRows(db, prepared.timezone, prepared.entries));
  const allocations = batch.flatMap(({ db, prepared }) => prepared.allocations.map((allocation) => ({ db, paymentId: prepared.payment.id, allocation })));
  const charges = allocations.map(({ db, allocation }) => chargeRow(db, allocation)).sort((a, b) => (a.id < b.id ? -1 : 1));
  const events = batch.map(({ db, prepared, traceParent }) => ({
    envelope: envelopeOf(db, "payment.received", prepared.event),
    trace_parent: traceParent ?? null,
  }));
  const rows = [
    charges,
    batch.map(paymentInsert),
    postings.flatMap(({ entries }) => entries),
    postings.flatMap(({ lines }) => lines),
    allocations.map(({ db, paymentId, allocation }) => allocationRow(db, paymentId, allocation)),
    events,
  ];
  return {
    text: "select record_payments($1, $2, $3, $4, $5, $6, $7, $8)",
    values: [organizationsOf(batch), recordedAt, ...rows.map((each) => JSON.stringify(each))],
  };
}

function chargeRow({ organizationId }: OrgDb, { charge, chargeAfter, amountCents, settledOn }: NewAllocation<BatchCharge>) {
  const { id, version, reopenedOn } = charge;
  return {
    organization_id: organizationId,
    id,
    version,
    allocated_cents: chargeAfter.allocatedCents,
    balance_cents: chargeAfter.balanceCents,
    status: chargeAfter.status,
    settled_before_reopening_cents: reopenedOn !== null && settledOn < reopenedOn ? amountCents : 0,
  };
}

const paymentInsert = ({ db, prepared: { payment, timezone }, tenantVersion, leaseVersion }: PaymentToWrite) => ({
  organization_id: db.organizationId,
  id: payment.id,
  created_at: payment.createdAt,
  tenant_id: payment.tenantId,
  tenant_version: tenantVersion,
  lease_id: payment.leaseId,
  lease_version: leaseVersion,
  timezone,
  property_id: payment.propertyId,
  unit_id: payment.unitId,
  amount_cents: payment.amountCents,
  unallocated_cents: payment.unallocatedCents,
  payment_method: payment.paymentMethod,
  check_number: payment.checkNumber,
  received_at: payment.receivedAt,
  idempotency_key: payment.idempotencyKey,
  request_hash: payment.requestHash,
  answer: payment.answer,
  entry_id: payment.entryId,
});

const allocationRow = ({ organizationId }: OrgDb, paymentId: string, { id, charge, amountCents, entryId }: NewAllocation) => ({
  organization_id: organizationId,
  id,
  payment_id: paymentId,
  charge_id: charge.id,
  amount_cents: amountCents,
  entry_id: entryId,
});
