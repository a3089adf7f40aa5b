/** Batches of payments in the test process, so that a test decides what happens between their read and their write. */
import { openDatabase } from "@freehold/kit/db/database";
import { fingerprint } from "@freehold/kit/db/idempotency";
import { OrgDb, type RequestContext } from "@freehold/kit/db/org-db";
import type { Compiled } from "@freehold/kit/db/statement";
import { randomUUID } from "node:crypto";
import pg from "pg";
import type { Office } from "../../../test/support/office.ts";
import { running } from "../../../test/support/running.ts";
import { aPayment, type Tenancy } from "../../../test/support/tenancy.ts";
import { getChart } from "../src/chart/categories.ts";
import type { Clients } from "../src/clients.ts";
import { database } from "../src/database.ts";
import { prepareBatch } from "../src/receivables/payments/payment-batch.ts";
import { recordBatch, type BatchedPayment } from "../src/receivables/payments/payment-batch.queries.ts";
import type { PaymentBody } from "../src/receivables/payments/prepare-payment.ts";
import { recordPayment } from "../src/receivables/payments/record-payment.ts";

/** Payment of an office. */
export interface OfficePayment {
  office: Office;
  body: PaymentBody;
}

/** Returns the body of a payment, which settles the charge if one is given. */
export const paymentOf = (payer: Pick<Tenancy, "tenantId"> & { leaseId?: string }, cents: number, chargeId?: string): PaymentBody => ({
  ...(aPayment({ ...payer, leaseId: payer.leaseId! }, cents) as PaymentBody),
  autoAllocate: false,
  allocations: chargeId ? [{ chargeId, amountCents: cents as PaymentBody["amountCents"] }] : [],
});

/** Opens the ledger's database with the role of the service. */
export async function openLedger() {
  const ledger = await openDatabase(database, running().databaseUrls.ledger.service, 4);
  const dbOf = ({ organizationId, userId }: Office, waiter?: RequestContext["waiter"]) =>
    new OrgDb(ledger, { organizationId, userId, role: "admin", subjectId: null, timezone: "America/New_York" }, { requestId: null, waiter });
  const batched = async ({ office, body }: OfficePayment): Promise<BatchedPayment> => {
    const db = dbOf(office);
    const { idempotencyKey: _, ...content } = body;
    const request = { organizationId: office.organizationId, body, requestHash: fingerprint(content), chart: await getChart(db), allocationOrder: [] };
    return { db, request, traceParent: undefined };
  };
  return {
    pool: ledger.pool,
    /** Records a payment as the service does, for a caller if one is given. */
    record: (office: Office, body: PaymentBody, caller?: RequestContext["waiter"]) => recordPayment(dbOf(office, caller), {} as Clients, body),
    /** Reads a batch and returns the statement that writes it. Throws when a payment is not in the batch. */
    prepare: async (...payments: readonly OfficePayment[]): Promise<Compiled> => {
      const prepared = await prepareBatch(ledger.pool, await Promise.all(payments.map(batched)));
      const writes = prepared.filter((payment) => payment !== undefined);
      if (writes.length < payments.length) throw new Error("A payment is left out of the batch.");
      return recordBatch(writes, new Date().toISOString());
    },
    close: () => ledger.close(),
  };
}
export type TestLedger = Awaited<ReturnType<typeof openLedger>>;

/**
 * Writes batches by a copy of `record_payments` without its guards against changes since the read, in a transaction that is
 * rolled back. Returns what `inspect` reads in the transaction.
 */
export async function recordWithoutGuards<T>(batches: readonly Compiled[], inspect: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: running().databaseUrls.ledger.owner });
  await client.connect();
  try {
    const { rows } = await client.query<{ definition: string }>("select pg_get_functiondef('record_payments'::regproc) as definition");
    const guards = [
      " and charge.version = input.version",
      " and b.timezone = input.timezone",
      " and t.version = input.tenant_version",
      "where l.version is not distinct from input.lease_version",
    ];
    const definition = guards.reduce((text, guard) => {
      if (!text.includes(guard)) throw new Error(`record_payments has no guard "${guard}".`);
      return text.replace(guard, "");
    }, rows[0]!.definition);
    const schema = `unguarded_${randomUUID().replaceAll("-", "")}`;
    await client.query(`begin; create schema ${schema}; ${definition.replace("public.record_payments", `${schema}.record_payments`)}`);
    for (const { text, values } of batches) await client.query(text.replace("record_payments", `${schema}.record_payments`), values);
    return await inspect(client);
  } finally {
    await client.query("rollback");
    await client.end();
  }
}
