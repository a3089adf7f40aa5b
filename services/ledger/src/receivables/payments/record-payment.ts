/**
 * Recording of payments, the hot path. Payments that arrive together are recorded as a batch. A payment that a batch does not
 * record is recorded alone, in two round trips to the database: the first locks the lease and the charges and reads the input of
 * the rules; the second writes everything and commits, so that locks are held for one round trip only.
 */
import { isUniqueViolation, translateDatabaseError } from "@freehold/kit/db/database-error";
import { pipeline, type Pipeline } from "@freehold/kit/db/pipeline";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { unavailable, unknownReference, type ApiError } from "@freehold/kit/errors";
import { fingerprint, keyReused, IdempotentReplay } from "@freehold/kit/db/idempotency";
import { eventPublisher, insertEvents } from "@freehold/kit/db/outbox";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { getChart, type Chart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { lockLeasesShared } from "../../projections/lock-leases.ts";
import { replicateLeases, replicateTenants } from "../../projections/projections.ts";
import { postingStatements } from "../../journal/posting.ts";
import { allocationWrites, insertPayment, lockCharges, lockOpenCharges, selectPaymentByKey, selectPaymentContext } from "./payment.queries.ts";
import { recordInBatch } from "./payment-batch.ts";
import { preparePayment, requirePayer, type PaymentBody, type PaymentRequest, type PaymentResponse } from "./prepare-payment.ts";

const publish = eventPublisher("ledger");
const MAX_ATTEMPTS = 3;
const LOCK_TIMEOUT = "55P03";

/** Records a payment and allocates it to charges. A request repeated with its idempotency key, which never expires, replays the first response. */
export async function recordPayment(db: OrgDb, clients: Clients, body: PaymentBody): Promise<PaymentResponse> {
  const { idempotencyKey: _, ...content } = body;
  const requestHash = fingerprint({ ...content, receivedAt: new Date(body.receivedAt).toISOString() });
  const chart = await getChart(db);
  const allocationOrder = body.autoAllocate ? (await getLedgerSettings(db)).policies.allocationOrder : [];
  const request = { organizationId: db.organizationId, body, requestHash, chart, allocationOrder };
  return (await recordInBatch(db, request)) ?? recordAlone(db, clients, request);
}

/** Records a payment in a transaction of its own. */
async function recordAlone(db: OrgDb, clients: Clients, request: PaymentRequest): Promise<PaymentResponse> {
  let isReplicated = false;
  for (let attempt = 1; ; attempt++) {
    let response: PaymentResponse | undefined;
    try {
      const mayBeOutdated = !isReplicated;
      response = await pipeline(db, (tx) => recordUnlessMissing(tx, request, mayBeOutdated));
    } catch (error) {
      // Another request with the same key committed first; the next attempt finds its payment and replays the response.
      if (isUniqueViolation(error, "payment_idempotency_key_once") && attempt < MAX_ATTEMPTS) continue;
      if ((error as { code?: string }).code === LOCK_TIMEOUT) throw unavailable(error, "idempotency_in_progress");
      throw translateDatabaseError(error, db.database.constraints);
    }
    if (response) return response;
    if (isReplicated) throw await unknownTenantOrLease(db, request.body);
    await replicateMissing(db, clients, request.body);
    isReplicated = true;
  }
}

/**
 * Records a payment in the transaction of another operation, which has a new idempotency key for it. The tenant and the lease are
 * projected. `allocationOrder` is that of the automatic allocation. Throws a 400 for an unknown tenant.
 */
export async function recordPaymentWithin(tx: OrgTx, chart: Chart, body: PaymentBody, allocationOrder: readonly string[] = []): Promise<PaymentResponse> {
  const payer = { leaseId: body.leaseId ?? null, tenantId: body.tenantId };
  if (payer.leaseId) await tx.all(lockLeasesShared([payer.leaseId]));
  const chargeIds = body.allocations.map(({ chargeId }) => chargeId);
  const charges = await tx.all(body.autoAllocate ? lockOpenCharges(tx, payer) : lockCharges(tx, chargeIds, payer));
  const context = await tx.first(selectPaymentContext(tx, payer, body.receivedAt));
  if (!context) throw unknownReference("tenantId", "tenant");
  requirePayer(context);
  const { idempotencyKey: _, ...content } = body;
  const request = { organizationId: tx.organizationId, body, requestHash: fingerprint(content), chart, allocationOrder };
  const { response, payment, timezone, entries, allocations, event } = preparePayment(request, context, charges);
  const writes = [...postingStatements(tx, timezone, entries), insertPayment(tx, payment)];
  if (allocations.length > 0) writes.push(...allocationWrites(tx, payment.id, payment.createdAt, allocations));
  for (const write of writes) await tx.all(write);
  await publish(tx, "payment.received", event);
  return response;
}

/** Replicates the tenant and the lease of a payment, which are not projected yet. */
async function replicateMissing(db: OrgDb, { portfolio }: Clients, { tenantId, leaseId }: PaymentBody): Promise<void> {
  await Promise.all([replicateTenants(db, portfolio, [tenantId]), leaseId ? replicateLeases(db, portfolio, [leaseId]) : undefined]);
}

/** Returns the error for a tenant or lease that portfolio does not know. */
async function unknownTenantOrLease(db: OrgDb, { tenantId, leaseId, receivedAt }: PaymentBody): Promise<ApiError> {
  const context = await db.first(selectPaymentContext(db, { tenantId, leaseId: leaseId ?? null }, receivedAt));
  return context ? unknownReference("leaseId", "lease") : unknownReference("tenantId", "tenant");
}

/**
 * Records the payment and returns the response, or undefined, without an effect, when its tenant or lease is not projected yet, or the lease,
 * which may be outdated, does not have the tenant.
 */
async function recordUnlessMissing(tx: Pipeline, request: PaymentRequest, mayBeOutdated: boolean): Promise<PaymentResponse | undefined> {
  const { body, requestHash } = request;
  const payer = { leaseId: body.leaseId ?? null, tenantId: body.tenantId };
  const chargeIds = body.allocations.map(({ chargeId }) => chargeId);
  const [, charges, [earlier], [context]] = await tx.send(
    // A renewal that takes over the lease either waits for this lock and then finds the payment's credit, or is in the payment's context.
    lockLeasesShared(payer.leaseId ? [payer.leaseId] : []),
    body.autoAllocate ? lockOpenCharges(tx, payer) : lockCharges(tx, chargeIds, payer),
    selectPaymentByKey(tx, body.idempotencyKey),
    selectPaymentContext(tx, payer, body.receivedAt),
  );
  if (earlier && earlier.requestHash !== requestHash) throw keyReused();
  if (earlier) throw new IdempotentReplay(earlier.answer);
  if (!context || (payer.leaseId && !context.mergedIntoId && (!context.leaseId || (mayBeOutdated && !context.isPayer)))) return undefined;
  requirePayer(context);
  const { response, payment, timezone, entries, allocations, event } = preparePayment(request, context, charges);
  await tx.commit(
    ...postingStatements(tx, timezone, entries),
    insertPayment(tx, payment),
    ...(allocations.length > 0 ? allocationWrites(tx, payment.id, payment.createdAt, allocations) : []),
    insertEvents(tx, "payment.received", event),
  );
  return response;
}
