/**
 * Refunds and allocations of the same credit at once, and a control without locks. The test holds the payment locked until both
 * requests wait for it, so that both have started before either commits.
 */
import { beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import pg from "pg";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { aCharge, aPayment, aTenancy, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { withLockedRow } from "../../../test/lock-waiters.fixtures.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";

const CREDIT_CENTS = 100;

let office: Office;
let tenancy: Tenancy;
let bankAccountId: string;
beforeAll(async () => {
  office = await anOffice();
  tenancy = await aTenancy(office);
  bankAccountId = (await accountIdsByCode(office))["1000"]!;
});

const aCredit = async () => (await office.call("recordPayment", { body: aPayment(tenancy, CREDIT_CENTS) })).payment.id;
const requests = {
  refund: (id: string, amountCents: number) =>
    office.attempt("refundPayment", { params: { id }, body: { amountCents, method: "check", bankAccountId } }).then(outcomeOf),
  allocate: async (id: string, amountCents: number, chargeId: string) =>
    outcomeOf(await office.attempt("allocatePayment", { params: { id }, body: { allocations: [{ chargeId, amountCents }] } })),
};
const outcomeOf = ({ status, body }: { status: number; body: { code?: string | undefined; errors?: { code: string }[] | undefined } }) =>
  status === 200 ? "accepted" : `${status} ${body.errors?.[0]?.code ?? body.code}`;

/** Starts a refund and an allocation in an order, both of which wait for the payment. Returns their outcomes in that order, and what is left. */
async function meet(order: readonly (keyof typeof requests)[], cents: Record<keyof typeof requests, number>) {
  const [id, chargeId] = [await aCredit(), await aCharge(office, tenancy.leaseId, CREDIT_CENTS)];
  const outcomes = await withLockedRow(office, "payment", id, async (row) => {
    const started: Promise<string>[] = [];
    for (const name of order) {
      started.push(requests[name](id, cents[name], chargeId));
      await row.waitForWaiters(started.length);
    }
    await row.release();
    return Promise.all(started);
  });
  const { payment } = await office.call("getPayment", { params: { id } });
  const allocatedCents = payment.allocations.reduce((sum, { amountCents }) => sum + amountCents, 0);
  expect(allocatedCents + payment.refundedCents + payment.unallocatedCents).toBe(CREDIT_CENTS);
  return { outcomes, left: payment.unallocatedCents };
}

/** Spends a credit of 100 by two writers that both read it without a lock before either of them writes. Returns the amount spent. */
async function spendWithoutLocks(): Promise<number> {
  const schema = `unlocked_${randomUUID().replaceAll("-", "")}`;
  return withOwnerConnection(office, async (owner) => {
    await owner.query(
      `create schema ${schema}; create table ${schema}.payment (credit int, spent int); insert into ${schema}.payment values (${CREDIT_CENTS}, 0)`,
    );
    const clients = [0, 1].map(() => new pg.Client({ connectionString: running().databaseUrls.ledger.owner }));
    try {
      await Promise.all(clients.map((client) => client.connect()));
      const read = await Promise.all(clients.map((client) => client.query<{ credit: number }>(`select credit from ${schema}.payment`)));
      for (const [index, { rows }] of read.entries())
        await clients[index]!.query(`update ${schema}.payment set credit = $1::int - ${CREDIT_CENTS}, spent = spent + ${CREDIT_CENTS}`, [rows[0]!.credit]);
      return (await owner.query<{ spent: number }>(`select spent from ${schema}.payment`)).rows[0]!.spent;
    } finally {
      await Promise.all(clients.map((client) => client.end()));
      await owner.query(`drop schema ${schema} cascade`);
    }
  });
}

describe("a refund and an allocation of the same credit", () => {
  test.each([
    { order: ["refund", "allocate"], cents: { refund: 60, allocate: 40 }, outcomes: ["accepted", "accepted"], left: 0 },
    { order: ["allocate", "refund"], cents: { refund: 60, allocate: 40 }, outcomes: ["accepted", "accepted"], left: 0 },
    { order: ["refund", "allocate"], cents: { refund: 60, allocate: 41 }, outcomes: ["accepted", "400 sum_exceeded"], left: 40 },
    { order: ["allocate", "refund"], cents: { refund: 60, allocate: 41 }, outcomes: ["accepted", "400 sum_exceeded"], left: 59 },
    { order: ["refund", "allocate"], cents: { refund: 100, allocate: 100 }, outcomes: ["accepted", "409 invalid_transition"], left: 0 },
    { order: ["allocate", "refund"], cents: { refund: 100, allocate: 100 }, outcomes: ["accepted", "400 sum_exceeded"], left: 0 },
  ] as const)("spend it once: $order of $cents", async ({ order, cents, outcomes, left }) => {
    expect(await meet(order, cents)).toEqual({ outcomes, left });
    expect(await withOwnerConnection(office, findViolations)).toEqual([]);
  });

  test("control: without locks they spend it twice", async () => {
    expect(await spendWithoutLocks()).toBe(2 * CREDIT_CENTS);
  });
});
