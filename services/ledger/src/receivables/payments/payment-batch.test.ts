/**
 * Batches of payments whose rows are changed between the read and the write. Each change has a control without the guards.
 * `PROOF=full` runs 2 000 rounds of concurrent changes.
 */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { IdempotentReplay } from "@freehold/kit/db/idempotency";
import { newId } from "@freehold/kit/db/entity";
import type { ApiError } from "@freehold/kit/errors";
import type { Client } from "pg";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { sized } from "../../../../../test/support/proof.ts";
import { aCharge, aTenancy, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { openLedger, paymentOf, recordWithoutGuards, type TestLedger } from "../../../test/payment-batch.fixtures.ts";
import { closeMonth } from "../../periods/periods.fixtures.ts";
import type { Compiled } from "@freehold/kit/db/statement";
import type { PaymentBody } from "./prepare-payment.ts";

const ROUNDS = sized(20, 2_000);

let ledger: TestLedger;
let office: Office;
let other: Office;
let tenancy: Tenancy;

beforeAll(async () => {
  ledger = await openLedger();
  [office, other] = await Promise.all([anOffice(), anOffice()]);
  tenancy = await aTenancyOf(office);
});
afterAll(() => ledger.close());

const write = ({ text, values }: Compiled) => ledger.pool.query(text, values);

const countRecorded = (of: Office, ...payments: readonly PaymentBody[]) =>
  withOwnerConnection(of, async (owner) => {
    const keys = payments.map(({ idempotencyKey }) => idempotencyKey);
    const { rows } = await owner.query<{ count: number }>(
      "select count(*)::int as count from payment where organization_id = $1 and idempotency_key = any($2)",
      [of.organizationId, keys],
    );
    return rows[0]!.count;
  });
async function sumAllocated(client: Client, chargeId: string): Promise<number> {
  const { rows } = await client.query<{ cents: number }>(
    "select sum(amount_cents)::int as cents from payment_allocation where organization_id = $1 and charge_id = $2 and released_at is null",
    [office.organizationId, chargeId],
  );
  return rows[0]!.cents;
}

/** Sets up a payment, a change by another transaction before the batch is written, and the error code of the payment recorded alone, if any. */
type Change = () => Promise<{ body: PaymentBody; change: () => Promise<unknown>; refusal?: string }>;

const changes: Record<string, Change> = {
  "another payment settled the charge": async () => {
    const chargeId = await aCharge(office, tenancy.leaseId, 100);
    return {
      body: paymentOf(tenancy, 100, chargeId),
      change: () => office.call("recordPayment", { body: paymentOf(tenancy, 100, chargeId) }),
      refusal: "sum_exceeded",
    };
  },
  "the payment of a part of the charge was reversed": async () => {
    const chargeId = await aCharge(office, tenancy.leaseId, 100);
    const { payment } = await office.call("recordPayment", { body: paymentOf(tenancy, 40, chargeId) });
    return {
      body: paymentOf(tenancy, 60, chargeId),
      change: () => office.call("reversePayment", { params: { id: payment.id }, body: { reason: "entry_error" } }),
    };
  },
  "the tenant was merged": async () => {
    const duplicate = await aTenancy(office);
    const { tenant } = await office.call("createTenant", { body: { fullName: "Sue Survivor" } });
    const body = paymentOf({ tenantId: duplicate.tenantId }, 100);
    await office.call("recordPayment", { body: paymentOf(duplicate, 1) });
    return {
      body,
      change: async () => {
        await office.call("mergeTenants", { params: { id: tenant.id }, body: { duplicateTenantId: duplicate.tenantId } });
        await eventually("merge in the projection", () => isProjected(duplicate.tenantId, "merged_into_id is not null"));
      },
      refusal: "not_found",
    };
  },
  "the tenant was deleted": async () => {
    const { tenant } = await office.call("createTenant", { body: { fullName: "Dan Deleted" } });
    await eventually("tenant in the projection", () => isProjected(tenant.id, "true"));
    return {
      body: paymentOf({ tenantId: tenant.id }, 100),
      change: async () => {
        await office.call("deleteTenant", { params: { id: tenant.id } });
        await eventually("deletion in the projection", () =>
          isProjected(tenant.id, "is_deleted and not exists (select from posting_hold where record_id = tenant_copy.id)"),
        );
      },
      refusal: "not_found",
    };
  },
  "the organization changed its time zone": () => {
    const timezone = timezones.shift()!;
    return Promise.resolve({
      body: paymentOf(tenancy, 100),
      change: async () => {
        await office.call("updateOrganization", { body: { timezone } });
        await eventually("time zone of the ledger", () =>
          withOwnerConnection(
            office,
            async (owner) =>
              (await owner.query("select from book where organization_id = $1 and timezone = $2", [office.organizationId, timezone])).rowCount! > 0,
          ),
        );
      },
    });
  },
  "the lease was cancelled": async () => {
    const { tenantId, leaseId } = await aTenancy(office);
    await office.call("recordPayment", { body: paymentOf({ tenantId, leaseId }, 1) });
    return {
      body: paymentOf({ tenantId, leaseId }, 100),
      change: () =>
        withOwnerConnection(office, (owner) =>
          owner.query("update lease_copy set status = 'cancelled', version = version + 1 where organization_id = $1 and id = $2", [
            office.organizationId,
            leaseId,
          ]),
        ),
      refusal: "not_allowed",
    };
  },
};

/** Time zones for the two tests of the change, so that each test changes the time zone. */
const timezones = ["Pacific/Auckland", "America/New_York"];

const isProjected = (tenantId: string, condition: string) =>
  withOwnerConnection(office, async (owner) => {
    const { rowCount } = await owner.query(`select from tenant_copy where organization_id = $1 and id = $2 and ${condition}`, [
      office.organizationId,
      tenantId,
    ]);
    return rowCount! > 0;
  });

describe.each(Object.keys(changes))("when %s after a batch was read", (name) => {
  test("the batch records none of its payments, and the payment is recorded or refused alone", async () => {
    const { body, change, refusal } = await changes[name]!();
    const neighbour = paymentOf(await aTenancyOf(other), 100);
    const batch = await ledger.prepare({ office, body }, { office: other, body: neighbour });
    await change();
    await expect(write(batch)).rejects.toMatchObject({ code: "40001" });
    expect([await countRecorded(office, body), await countRecorded(other, neighbour)]).toEqual([0, 0]);
    const response = await office.attempt("recordPayment", { body });
    expect([response.status, response.body.errors?.[0]?.code]).toEqual(refusal ? [400, refusal] : [200, undefined]);
  });

  test("control: without the guards the batch records the payment", async () => {
    const { body, change } = await changes[name]!();
    const batch = await ledger.prepare({ office, body });
    await change();
    const recorded = await recordWithoutGuards([batch], (client) =>
      client.query("select from payment where organization_id = $1 and idempotency_key = $2", [office.organizationId, body.idempotencyKey]),
    );
    expect(recorded.rowCount).toBe(1);
  });
});

test("a batch that loses the race against a close of its period records nothing, and each payment is moved to the first open day", async () => {
  const own = await anOffice();
  const payer = await aTenancyOf(own);
  const body = paymentOf(payer, 100);
  const batch = await ledger.prepare({ office: own, body });
  await closeMonth(own, "2026-01");
  await expect(write(batch)).rejects.toMatchObject({ code: "40001", constraint: "accounting_period_open" });
  await own.call("recordPayment", { body });
  const { rows } = await withOwnerConnection(own, (owner) =>
    owner.query("select entry_date::text from journal_entry join payment on entry_id = journal_entry.id where idempotency_key = $1", [body.idempotencyKey]),
  );
  expect(rows).toEqual([{ entry_date: "2026-02-01" }]);
});

test("a charge locked by another transaction delays the other payments of its batch by at most the lock timeout of 100 ms", async () => {
  const { rows } = await withOwnerConnection(office, (owner) => owner.query("select proconfig from pg_proc where proname = 'record_payments'"));
  expect(rows).toEqual([{ proconfig: expect.arrayContaining(["lock_timeout=100ms"]) }]);
  const chargeId = await aCharge(office, tenancy.leaseId, 100);
  const [body, neighbour] = [paymentOf(tenancy, 100, chargeId), paymentOf(await aTenancyOf(other), 100)];
  await withOwnerConnection(office, async (owner) => {
    await owner.query("begin");
    await owner.query("select from charge where organization_id = $1 and id = $2 for update", [office.organizationId, chargeId]);
    const waiting = ledger.record(office, body);
    const { payment } = await ledger.record(other, neighbour);
    expect(payment.amountCents).toBe(100);
    await owner.query("commit");
    expect((await waiting).payment.unallocatedCents).toBe(0);
  });
});

test("a payment whose caller leaves while its batch waits for a connection is not recorded, and the other payments of the batch are", async () => {
  const [body, neighbour] = [paymentOf(tenancy, 100), paymentOf(await aTenancyOf(other), 100)];
  const connections = await Promise.all(Array.from({ length: ledger.pool.options.max }, () => ledger.pool.connect()));
  let hasLeft = false;
  const abandoned = expect(ledger.record(office, body, { hasLeft: () => hasLeft })).rejects.toMatchObject({ status: 499 });
  const recorded = ledger.record(other, neighbour);
  await eventually("a wait for a connection", () => Promise.resolve(ledger.pool.waitingCount > 0));
  hasLeft = true;
  for (const connection of connections) connection.release();
  await Promise.all([abandoned, recorded]);
  expect([await countRecorded(office, body), await countRecorded(other, neighbour)]).toEqual([0, 1]);
});

test("a repeated key is recorded once, also when both requests are in one batch or in two at the same time", async () => {
  const bodies = Array.from({ length: 4 }, () => paymentOf(tenancy, 100));
  const [first, second] = [await ledger.prepare({ office, body: bodies[0]! }), await ledger.prepare({ office, body: bodies[0]! })];
  await write(first);
  await expect(write(second)).rejects.toMatchObject({ constraint: "payment_idempotency_key_once" });
  const responses = await Promise.allSettled([...bodies, ...bodies].map((body) => ledger.record(office, body)));
  const ids = responses.map((result) => (result.status === "fulfilled" ? result.value.payment.id : idOfReplay(result.reason)));
  expect(ids.slice(0, 4)).toEqual(ids.slice(4));
  expect(new Set(ids).size).toBe(4);
  expect(await countRecorded(office, ...bodies)).toBe(4);
});

const idOfReplay = (error: unknown): string => (JSON.parse((error as IdempotentReplay).body) as { payment: { id: string } }).payment.id;

test("control: without the guards two batches allocate more to a charge than its amount", async () => {
  const chargeId = await aCharge(office, tenancy.leaseId, 100);
  const batches = [
    await ledger.prepare({ office, body: paymentOf(tenancy, 100, chargeId) }),
    await ledger.prepare({ office, body: paymentOf(tenancy, 100, chargeId) }),
  ];
  expect(await recordWithoutGuards(batches, (client) => sumAllocated(client, chargeId))).toBe(200);
});

const errorCodeOf = (error: unknown) => (error as ApiError).errors?.[0]?.code;

/** Records three payments of a whole charge while the payment that settled the charge is reversed. After the reversal, only one can settle it. */
async function raceForCharge(own: Office, payer: Tenancy, isReversedBefore: boolean): Promise<void> {
  const chargeId = await aCharge(own, payer.leaseId, 100);
  const { payment: earlier } = await ledger.record(own, paymentOf(payer, 100, chargeId));
  const reversal = own.attempt("reversePayment", { params: { id: earlier.id }, body: { reason: "entry_error" } });
  if (isReversedBefore) await reversal;
  const settled = await Promise.allSettled(Array.from({ length: 3 }, () => ledger.record(own, paymentOf(payer, 100, chargeId))));
  expect((await reversal).status).toBe(200);
  const refusals = settled.flatMap((result) => (result.status === "rejected" ? [errorCodeOf(result.reason)] : []));
  expect(new Set(refusals)).toEqual(new Set(["sum_exceeded"]));
  expect(refusals.length).toBeGreaterThanOrEqual(2);
  if (isReversedBefore) expect(refusals).toHaveLength(2);
}

/** Sends two requests with one idempotency key at the same time as a payment of another organization. */
async function raceForKey(own: Office, payer: Tenancy, theirs: Office, neighbour: Tenancy): Promise<void> {
  const repeated = paymentOf(payer, 5);
  const [theirPayment] = await Promise.allSettled([
    ledger.record(theirs, paymentOf(neighbour, 7)),
    ...[repeated, repeated].map((body) => ledger.record(own, body)),
  ]);
  expect([theirPayment.status, await countRecorded(own, repeated)]).toEqual(["fulfilled", 1]);
}

/** Records two payments of a tenant who is merged at the same time. Payments after the merge are refused. */
async function raceForTenant(own: Office, payer: Tenancy): Promise<void> {
  const tenantId = newId();
  await withOwnerConnection(own, async (owner) => {
    await owner.query("insert into tenant_copy (organization_id, id, created_at, updated_at, full_name) values ($1, $2, now(), now(), 'Mia Merged')", [
      own.organizationId,
      tenantId,
    ]);
    const merge = owner.query("update tenant_copy set merged_into_id = $3, version = version + 1 where organization_id = $1 and id = $2", [
      own.organizationId,
      tenantId,
      payer.tenantId,
    ]);
    const results = await Promise.allSettled([1, 2].map(() => ledger.record(own, paymentOf({ tenantId }, 3))));
    await merge;
    for (const result of results) if (result.status === "rejected") expect(errorCodeOf(result.reason)).toBe("not_found");
    const late = await Promise.allSettled([1, 2].map(() => ledger.record(own, paymentOf({ tenantId }, 3))));
    expect(late.map((result) => result.status === "rejected" && errorCodeOf(result.reason))).toEqual(["not_found", "not_found"]);
  });
}

test(`payments, reversals, repeated keys and merges in ${ROUNDS} concurrent rounds violate no invariant`, async () => {
  const [own, theirs] = [await anOffice(), await anOffice()];
  const neighbour = await aTenancyOf(theirs);
  const payers = await Promise.all(Array.from({ length: 4 }, () => aTenancyOf(own)));
  let round = 0;
  await Promise.all(
    payers.map(async (payer) => {
      while (round < ROUNDS) {
        const isReversedBefore = round++ % 2 === 0;
        await Promise.all([raceForCharge(own, payer, isReversedBefore), raceForKey(own, payer, theirs, neighbour), raceForTenant(own, payer)]);
      }
    }),
  );
  const violations = (await Promise.all([own, theirs].map((each) => withOwnerConnection(each, findViolations)))).flat();
  process.stdout.write(`rounds=${ROUNDS} clients=${payers.length} violations=${violations.length}\n`);
  expect(violations).toEqual([]);
  const batched = await withOwnerConnection(own, (owner) => owner.query("select from list_total where list = 'payment' and shard >= 32"));
  // Otherwise no payment was recorded in a batch, and the test would prove nothing.
  expect(batched.rowCount).toBeGreaterThan(0);
});

/** Creates a tenancy and records a payment, so that the ledger has projected the tenancy. */
async function aTenancyOf(of: Office): Promise<Tenancy> {
  const created = await aTenancy(of);
  await of.call("recordPayment", { body: paymentOf(created, 1) });
  return created;
}
