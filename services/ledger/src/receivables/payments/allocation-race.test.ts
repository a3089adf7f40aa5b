import { describe, expect, test } from "@jest/globals";
import { randomInt, randomUUID } from "node:crypto";
import pg from "pg";
import { anOffice } from "../../../../../test/office.ts";
import { running } from "../../../../../test/running.ts";
import { aCharge, aPayment, aTenancy, closing } from "../../../../../test/tenancy.ts";
import { asOwner } from "../../../test/ledger.fixtures.ts";

const CHARGES = 50;
const PAYMENTS = 200;
const ALLOCATORS = 2_000;
const IN_FLIGHT = 64;
const CHARGE_CENTS = 1_000;
const PAYMENT_CENTS = 500;

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));
const oneOf = <T>(all: readonly T[]): T => all[randomInt(all.length)]!;

/** Runs the work so many times, a fixed number of them at once. */
async function crowd<T>(count: number, inFlight: number, work: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let begun = 0;
  const worker = async () => {
    while (begun++ < count) results.push(await work());
  };
  await Promise.all(times(inFlight, worker));
  return results;
}

interface Attempted {
  paymentId: string;
  chargeId: string;
  amountCents: number;
}
const sumBy = (attempted: readonly Attempted[], key: "paymentId" | "chargeId"): Map<string, number> => {
  const sums = new Map<string, number>();
  for (const each of attempted) sums.set(each[key], (sums.get(each[key]) ?? 0) + each.amountCents);
  return sums;
};

/** The same crowd reads a balance and writes it back, as code without locks would; answers what each charge was paid. */
async function naively(): Promise<number[]> {
  const schema = `naive_${randomUUID().replaceAll("-", "")}`;
  const office = await anOffice();
  return asOwner(office, async (owner) => {
    await owner.query(`create schema ${schema}; create table ${schema}.charge (id int primary key, balance int not null, paid int not null);
      insert into ${schema}.charge select id, ${CHARGE_CENTS}, 0 from generate_series(1, ${CHARGES}) as id`);
    const pool = new pg.Pool({ connectionString: running().databaseUrls.ledger.owner, max: 8 });
    try {
      await crowd(ALLOCATORS, IN_FLIGHT, async () => {
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
  test("by two thousand at once allocates no cent twice, where reading and then writing would", async () => {
    const office = await anOffice();
    const tenancy = await aTenancy(office);
    const [charges, payments]: [string[], string[]] = [[], []];
    await crowd(CHARGES, 16, async () => void charges.push(await aCharge(office, tenancy.leaseId, CHARGE_CENTS)));
    await crowd(PAYMENTS, 16, async () => void payments.push((await office.call("recordPayment", { body: aPayment(tenancy, PAYMENT_CENTS) })).payment.id));

    const answers = await crowd(ALLOCATORS, IN_FLIGHT, async () => {
      const [paymentId, chargeId, amountCents] = [oneOf(payments), oneOf(charges), randomInt(100) + 1];
      const { status } = await office.attempt("allocatePayment", { params: { id: paymentId }, body: { allocations: [{ chargeId, amountCents }] } });
      return { status, paymentId, chargeId, amountCents };
    });
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 400]));
    const applied = answers.filter(({ status }) => status === 200);

    const [ofCharge, ofPayment] = [sumBy(applied, "chargeId"), sumBy(applied, "paymentId")];
    for (const sum of ofCharge.values()) expect(sum).toBeLessThanOrEqual(CHARGE_CENTS);
    for (const sum of ofPayment.values()) expect(sum).toBeLessThanOrEqual(PAYMENT_CENTS);
    for (const id of charges) {
      const { charge, allocations } = await office.call("getCharge", { params: { id } });
      expect(charge.allocatedCents).toBe(ofCharge.get(id) ?? 0);
      expect(allocations.reduce((sum, { amountCents }) => sum + amountCents, 0)).toBe(charge.allocatedCents);
    }
    for (const id of payments) {
      const { payment } = await office.call("getPayment", { params: { id } });
      expect(payment.unallocatedCents).toBe(PAYMENT_CENTS - (ofPayment.get(id) ?? 0));
    }
    const total = applied.reduce((sum, { amountCents }) => sum + amountCents, 0);
    expect(await closing(office)).toMatchObject({
      "1050": PAYMENTS * PAYMENT_CENTS,
      "1100": CHARGES * CHARGE_CENTS - total,
      "2150": total - PAYMENTS * PAYMENT_CENTS,
    });

    // The control: this crowd does over-allocate where nothing stops it, or the test proves nothing.
    expect((await naively()).some((paid) => paid > CHARGE_CENTS)).toBe(true);
  });
});
