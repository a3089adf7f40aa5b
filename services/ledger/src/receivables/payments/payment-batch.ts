/**
 * Batches of payments that arrive together, of one or several organizations. A batch reads without locks, applies the rules to each
 * payment, and writes all of them in one statement that fails when something it depends on has changed. A payment that a batch does
 * not record has had no effect and is to be recorded alone.
 */
import { createBatcher } from "@freehold/kit/batcher";
import type { Database, OrgDb } from "@freehold/kit/db/org-db";
import { send, sendCompiled, withConnection } from "@freehold/kit/db/statement";
import { ApiError } from "@freehold/kit/errors";
import { createLogger } from "@freehold/kit/observability/log";
import { traceParent } from "@freehold/kit/observability/tracing";
import { localDateOf, now } from "@freehold/kit/time/clock";
import {
  recordBatch,
  selectBatchCharges,
  selectBatchContexts,
  type BatchCharge,
  type BatchContext,
  type BatchedPayment,
  type PaymentToWrite,
} from "./payment-batch.queries.ts";
import type { PaymentContext } from "./payment.queries.ts";
import { preparePayment, requirePayer, type PaymentRequest, type PaymentResponse, type PreparedPayment } from "./prepare-payment.ts";

const log = createLogger("ledger", "warn");
/** Serialization failure, deadlock and lock timeout. */
const CONFLICTS = ["40001", "40P01", "55P03"];
const LIMITS = { maxSize: 32, undividedSize: 4, lanes: 2 };

type Recorder = (payment: BatchedPayment) => Promise<PaymentResponse | undefined>;
const recorders = new WeakMap<Database, Recorder>();

/** Records a payment together with those that arrive at the same time. Returns undefined, without an effect, when it is to be recorded alone. */
export function recordInBatch(db: OrgDb, request: PaymentRequest): Promise<PaymentResponse | undefined> {
  if (request.body.autoAllocate) return Promise.resolve(undefined);
  const { database } = db;
  let record = recorders.get(database);
  if (!record) recorders.set(database, (record = createBatcher(LIMITS, (batch) => recordTogether(database, batch))));
  return record({ db, request, traceParent: traceParent() });
}

/** Records those payments of a batch that need no lock. A failed batch has had no effect: each of its payments is to be recorded alone. */
async function recordTogether({ pool, wakeRelay }: Database, batch: readonly BatchedPayment[]): Promise<(PaymentResponse | undefined)[]> {
  // Alone, a payment is recorded by fewer statements.
  if (batch.length === 1) return [undefined];
  try {
    const prepared = await prepareBatch(pool, batch);
    const recorded = new Set(await writeBatch(pool, prepared));
    if (recorded.size > 0) wakeRelay();
    return prepared.map((payment) => (payment && recorded.has(payment) ? payment.prepared.response : undefined));
  } catch (error) {
    // A payment that caused the error fails again alone. After a lost connection, the idempotency keys show which payments were recorded.
    if (!isExpected(error)) log.warn({ err: error, payments: batch.length }, "a batch of payments failed and is recorded one by one");
    return batch.map(() => undefined);
  }
}

/** Writes those payments of a batch whose callers have not left once a connection is free, and returns them. */
async function writeBatch(pool: Database["pool"], prepared: readonly (PaymentToWrite | undefined)[]): Promise<PaymentToWrite[]> {
  if (prepared.every((payment) => payment === undefined)) return [];
  return withConnection(pool, async (client) => {
    const writes = prepared.filter((payment) => payment !== undefined && !payment.db.request.waiter?.hasLeft()) as PaymentToWrite[];
    if (writes.length > 0) await send(client, recordBatch(writes, now().toISOString()));
    return writes;
  });
}

/** Tells whether a batch failed because of another transaction or of one of its payments: a conflict, a lock, or a violated constraint. */
function isExpected(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code !== undefined && (CONFLICTS.includes(code) || code.startsWith("23"));
}

/** Reads what the rules need and returns what the batch writes for each payment, or undefined for one that is to be recorded alone. */
export async function prepareBatch(pool: Database["pool"], batch: readonly BatchedPayment[]): Promise<(PaymentToWrite | undefined)[]> {
  const [contexts, charges] = await sendCompiled(pool, selectBatchContexts(batch), selectBatchCharges(batch));
  return applyRules(batch, contexts as BatchContext[], charges as Omit<BatchCharge, "isOfPayer">[]);
}

function applyRules(
  batch: readonly BatchedPayment[],
  contexts: readonly BatchContext[],
  charges: readonly Omit<BatchCharge, "isOfPayer">[],
): (PaymentToWrite | undefined)[] {
  const contextByPlace = new Map(contexts.map((context) => [context.place, context]));
  const chargeByKey = new Map(charges.map((charge) => [keyOf(charge.organizationId, charge.id), charge]));
  const taken = new Set<string>();
  return batch.map(({ db, request, traceParent: trace }, index) => {
    const read = contextByPlace.get(index);
    if (!read) return undefined;
    const { place: _, isKeyUsed, firstOpenDay, tenantVersion, leaseVersion, isTakenOver, ...context } = read;
    const { organizationId, body } = request;
    const keys = [`key ${keyOf(organizationId, body.idempotencyKey)}`, ...body.allocations.map(({ chargeId }) => keyOf(organizationId, chargeId))];
    const isLeaseUnknown = Boolean(body.leaseId) && !context.leaseId;
    const hasTakenKeys = new Set(keys).size < keys.length || keys.some((key) => taken.has(key));
    if (isKeyUsed || isLeaseUnknown || isTakenOver || hasTakenKeys) return undefined;
    const named = body.allocations.map(({ chargeId }) => chargeByKey.get(keyOf(organizationId, chargeId)));
    const own = named.filter((charge) => charge !== undefined && isOwnCharge(request, charge)).map((charge) => ({ ...charge!, isOfPayer: true }));
    if (own.length < named.length) return undefined;
    const prepared = prepareUnlessRefused(request, { ...context, takeovers: [] }, own);
    if (!prepared || prepared.entries.some((entry) => dateOf(entry, prepared.timezone) < firstOpenDay)) return undefined;
    for (const key of keys) taken.add(key);
    return { db, traceParent: trace, prepared, tenantVersion, leaseVersion };
  });
}

const keyOf = (organizationId: string, id: string): string => `${organizationId} ${id}`;

/**
 * Tells whether a charge is of the payment's own lease or, without a lease, of its tenant. A payment of charges of renewals or
 * co-tenants is recorded alone, and so is one of deposits, which a renewal may hold.
 */
const isOwnCharge = ({ body }: PaymentRequest, { leaseId, tenantId, chargeType }: Pick<BatchCharge, "leaseId" | "tenantId" | "chargeType">): boolean =>
  chargeType !== "deposit" && (body.leaseId ? leaseId === body.leaseId : tenantId === body.tenantId);

const dateOf = ({ entryDate, occurredAt }: PreparedPayment["entries"][number], timezone: string): string => entryDate ?? localDateOf(occurredAt, timezone);

function prepareUnlessRefused(request: PaymentRequest, context: PaymentContext, charges: readonly BatchCharge[]): PreparedPayment<BatchCharge> | undefined {
  try {
    requirePayer(context);
    return preparePayment(request, context, charges);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
