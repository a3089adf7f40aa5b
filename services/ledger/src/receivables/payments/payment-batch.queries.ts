/**
 * Statements of batches of payments. They call database functions that see all organizations of the batch, so each row names its
 * organization. Their texts are fixed, because compiling them for each batch would be a notable part of its cost.
 */
import { binaryArray, binaryColumns } from "@freehold/kit/db/batches/binary-array";
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
export type BatchContext = Omit<PaymentContext, "takeovers"> & {
  place: number;
  isKeyUsed: boolean;
  tenantVersion: number;
  leaseVersion: number | null;
  /** First day of the open accounting periods. */
  firstOpenDay: string;
  /** Null when the payment names no lease that is projected. */
  isTakenOver: boolean | null;
};

/** Charge as read for a batch. */
export type BatchCharge = NamedCharge & { organizationId: string; version: number };

/** Payment whose rows a batch writes, with the versions that they depend on. */
export interface PaymentToWrite extends Pick<BatchedPayment, "db" | "traceParent"> {
  prepared: PreparedPayment<BatchCharge>;
  tenantVersion: number;
  leaseVersion: number | null;
}

const organizationsOf = (batch: readonly { db: OrgDb }[]): Buffer => binaryArray("uuid", [...new Set(batch.map(({ db }) => db.organizationId))]);

/** Returns the call of a function of the database with the given arguments. */
const call = (name: string, ...values: unknown[]): Compiled => ({ text: `${name}(${values.map((_, index) => `$${index + 1}`).join()})`, values });

/** Selects the context of each payment whose tenant is projected, by its place in the batch. */
export function selectBatchContexts(batch: readonly BatchedPayment[]): Compiled {
  const requests = batch.map(({ request: { organizationId, body } }) => ({ ...body, organizationId }));
  const columns = binaryColumns({ organizationId: "uuid", tenantId: "uuid", leaseId: "uuid", idempotencyKey: "text" }, requests);
  return call("select * from read_payment_contexts", organizationsOf(batch), ...columns);
}

/** Selects the charges that the payments name, without a lock. */
export function selectBatchCharges(batch: readonly BatchedPayment[]): Compiled {
  const named = batch.flatMap(({ request: { organizationId, body } }) => body.allocations.map(({ chargeId }) => ({ organizationId, chargeId })));
  return call("select * from read_payment_charges", organizationsOf(batch), ...binaryColumns({ organizationId: "uuid", chargeId: "uuid" }, named));
}

/** Columns of the rows that a batch writes, in the order of the parameters of `record_payments`. */
export const batchColumns = {
  charges: {
    organizationId: "uuid",
    id: "uuid",
    version: "int",
    allocatedCents: "bigint",
    balanceCents: "bigint",
    status: "text",
    settledBeforeReopeningCents: "bigint",
  },
  payments: {
    organizationId: "uuid",
    id: "uuid",
    createdAt: "timestamptz",
    tenantId: "uuid",
    tenantVersion: "int",
    leaseId: "uuid",
    leaseVersion: "int",
    timezone: "text",
    propertyId: "uuid",
    unitId: "uuid",
    amountCents: "bigint",
    unallocatedCents: "bigint",
    paymentMethod: "text",
    checkNumber: "text",
    receivedAt: "timestamptz",
    idempotencyKey: "text",
    requestHash: "text",
    answer: "text",
    entryId: "uuid",
  },
  /** The event of each payment, in the order of the payments. */
  events: { id: "uuid", envelope: "json", traceParent: "text" },
  entries: {
    organizationId: "uuid",
    id: "uuid",
    memo: "text",
    occurredAt: "timestamptz",
    entryDate: "date",
    source: "text",
    sourceType: "text",
    sourceId: "uuid",
    debitTotalCents: "bigint",
    creditTotalCents: "bigint",
    createdByUserId: "uuid",
  },
  lines: {
    organizationId: "uuid",
    id: "uuid",
    entryId: "uuid",
    accountId: "uuid",
    cashAccountId: "uuid",
    entryDate: "date",
    debitCents: "bigint",
    creditCents: "bigint",
    propertyId: "uuid",
    unitId: "uuid",
    leaseId: "uuid",
    tenantId: "uuid",
    chargeId: "uuid",
    paymentId: "uuid",
    description: "text",
  },
  allocations: { organizationId: "uuid", id: "uuid", paymentId: "uuid", chargeId: "uuid", amountCents: "bigint", entryId: "uuid" },
} as const;

/** Writes the payments of a batch, or fails without an effect when a row that they depend on has changed since it was read. */
export function recordBatch(batch: readonly PaymentToWrite[], recordedAt: string): Compiled {
  const postings = batch.map(({ db, prepared }) => postingRows(db, prepared.timezone, prepared.entries));
  const allocations = batch.flatMap(({ db, prepared }) =>
    prepared.allocations.map((allocation) => ({
      organizationId: db.organizationId,
      paymentId: prepared.payment.id,
      chargeId: allocation.charge.id,
      ...allocation,
    })),
  );
  const charges = allocations.map(chargeRow).sort((a, b) => (a.id < b.id ? -1 : 1));
  return call(
    "select record_payments",
    organizationsOf(batch),
    recordedAt,
    ...binaryColumns(batchColumns.charges, charges),
    ...binaryColumns(batchColumns.payments, batch.map(paymentRow)),
    ...binaryColumns(batchColumns.events, batch.map(eventRow)),
    ...binaryColumns(
      batchColumns.entries,
      postings.flatMap(({ entries }) => entries),
    ),
    ...binaryColumns(
      batchColumns.lines,
      postings.flatMap(({ lines }) => lines),
    ),
    ...binaryColumns(batchColumns.allocations, allocations),
  );
}

function chargeRow({ organizationId, charge, chargeAfter, amountCents, settledOn }: NewAllocation<BatchCharge> & { organizationId: string }) {
  const { id, version, reopenedOn } = charge;
  const { allocatedCents, balanceCents, status } = chargeAfter;
  const settledBeforeReopeningCents = reopenedOn !== null && settledOn < reopenedOn ? amountCents : 0;
  return { organizationId, id, version, allocatedCents, balanceCents, status, settledBeforeReopeningCents };
}

const paymentRow = ({ db: { organizationId }, prepared: { payment, timezone }, tenantVersion, leaseVersion }: PaymentToWrite) => ({
  ...payment,
  organizationId,
  tenantVersion,
  leaseVersion,
  timezone,
});

function eventRow({ db, prepared: { event }, traceParent }: PaymentToWrite) {
  const envelope = envelopeOf(db, "payment.received", event);
  return { id: envelope.id, envelope: JSON.stringify(envelope), traceParent };
}
