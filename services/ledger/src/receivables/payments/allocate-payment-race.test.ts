import { describe, expect, test } from "@jest/globals";
import { randomInt, randomUUID } from "node:crypto";
import pg from "pg";
import { anOffice } from "../../../../../test/support/office.ts";
import { sized } from "../../../../../test/support/proof.ts";
import { running } from "../../../../../test/support/running.ts";
import { aCharge, aPayment, aTenancy, closingBalances } from "../../../../../test/support/tenancy.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";

const [CHARGES, PAYMENTS, ALLOCATIONS] = sized([10, 40, 400], [50, 200, 2_000]);
const CONCURRENCY = 64;
const CHARGE_CENTS = 1_000;
const PAYMENT_CENTS = 500;

const repeat = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));
const pickRandom = <T>(items: readonly T[]): T => items[randomInt(items.length)]!;

/** Runs the work `count` times with the given concurrency. */
async function runConcurrently<T>(count: number, concurrency: number, work: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let started = 0;
  const worker = async () => {
    while (started++ < count) results.push(await work());
  };
  await Promise.all(repeat(concurrency, worker));
  return results;
}

interface AppliedAllocation {
  paymentId: string;
  chargeId: string;
  amountCents: number;
}
const sumBy = (allocations: readonly AppliedAllocation[], key: "paymentId" | "chargeId"): Map<string, number> => {
  const sums = new Map<string, number>();
  for (const allocation of allocations) sums.set(allocation[key], (sums.get(allocation[key]) ?? 0) + allocation.amountCents);
  return sums;
};

/** Allocates with the same concurrency by reading a balance and writing it back without a lock. Returns the amount paid on each charge. */
async function allocateWithoutLocks(): Promise<number[]> {
  const schema = `unlocked_${randomUUID().replaceAll("-", "")}`;
  const office = await anOffice();
  return withOwnerConnection(office, async (owner) => {
    await owner.query(`create schema ${schema}; create table ${schema}.charge (id int primary key, balance int not null, paid int not null);
      insert into ${schema}.charge select id, ${CHARGE_CENTS}, 0 from generate_series(1, ${CHARGES}) as id`);
    const pool = new pg.Pool({ connectionString: running().databaseUrls.ledger.owner, max: 8 });
    try {
      await runConcurrently(ALLOCATIONS, CONCURRENCY, async () => {
        const [id, amount] = [randomInt(CHARGES) + 1, randomInt(100) + 1];
        const { rows } = await pool.query<{ balance: number }>(`select balance from ${schema}.charge where id = $1`, [id]);
        const { balance } = rows[0]!;
        if (balance >= amount) await pool.query(`update ${schema}.charge set balance = $2, paid = paid + $3 where id = $1`, [id, balance - amount, amount]);
      });
      const { rows } = await owner.query<{ paid: number }>(`select paid from ${schema}.charge`);
      return rows.map(({ paid }) => paid);
    } finally {
      await pool.end();
      await owner.query(`drop schema ${schema} cascade`);
    }
  });
}

describe("allocatePayment", () => {
  test("never over-allocates in concurrent allocations, unlike code without locks", async () => {
    const office = await anOffice();
    const tenancy = await aTenancy(office);
    const [charges, payments]: [string[], string[]] = [[], []];
    await runConcurrently(CHARGES, 16, async () => void charges.push(await aCharge(office, tenancy.leaseId, CHARGE_CENTS)));
    await runConcurrently(
      PAYMENTS,
      16,
      async () => void payments.push((await office.call("recordPayment", { body: aPayment(tenancy, PAYMENT_CENTS) })).payment.id),
    );

    const responses = await runConcurrently(ALLOCATIONS, CONCURRENCY, async () => {
      const [paymentId, chargeId, amountCents] = [pickRandom(payments), pickRandom(charges), randomInt(100) + 1];
      const { status } = await office.attempt("allocatePayment", { params: { id: paymentId }, body: { allocations: [{ chargeId, amountCents }] } });
      return { status, paymentId, chargeId, amountCents };
    });
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 400]));
    const applied = responses.filter(({ status }) => status === 200);

    const [centsByCharge, centsByPayment] = [sumBy(applied, "chargeId"), sumBy(applied, "paymentId")];
    for (const sum of centsByCharge.values()) expect(sum).toBeLessThanOrEqual(CHARGE_CENTS);
    for (const sum of centsByPayment.values()) expect(sum).toBeLessThanOrEqual(PAYMENT_CENTS);
    const query = { leaseId: tenancy.leaseId, pageSize: 100 };
    const listed = (await office.call("listCharges", { query })).charges;
    expect(new Map(listed.map(({ id, allocatedCents }) => [id, allocatedCents]))).toEqual(new Map(charges.map((id) => [id, centsByCharge.get(id) ?? 0])));
    for (const id of charges) {
      const { allocations } = await office.call("getCharge", { params: { id } });
      expect(allocations.reduce((sum, { amountCents }) => sum + amountCents, 0)).toBe(centsByCharge.get(id) ?? 0);
    }
    const pages = await Promise.all([1, 2].map((page) => office.call("listPayments", { query: { ...query, page } })));
    const unallocated = pages.flatMap((page) => page.payments.map(({ id, unallocatedCents }) => [id, unallocatedCents] as const));
    expect(new Map(unallocated)).toEqual(new Map(payments.map((id) => [id, PAYMENT_CENTS - (centsByPayment.get(id) ?? 0)])));
    const total = applied.reduce((sum, { amountCents }) => sum + amountCents, 0);
    expect(await closingBalances(office)).toMatchObject({
      "1050": PAYMENTS * PAYMENT_CENTS,
      "1100": CHARGES * CHARGE_CENTS - total,
      "2150": total - PAYMENTS * PAYMENT_CENTS,
    });

    // Control: without locks the same load over-allocates, otherwise the test would prove nothing.
    expect((await allocateWithoutLocks()).some((paid) => paid > CHARGE_CENTS)).toBe(true);
  });
});
