/** Concurrent deposits and reversals of the same payments, and a control without locks. */
import { describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import pg from "pg";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";

const PAYMENT_COUNT = 20;

/** Records payments, and returns their ids with functions that deposit and reverse them. */
async function recordPayments(office: Office) {
  const [tenancy, accounts] = [await aTenancy(office), await accountIdsByCode(office)];
  const ids = await Promise.all(
    Array.from({ length: PAYMENT_COUNT }, async () => (await office.call("recordPayment", { body: aPayment(tenancy, 100) })).payment.id),
  );
  const deposit = (...paymentIds: string[]) =>
    office.attempt("createDeposit", { body: { bankAccountId: accounts["1000"]!, depositedOn: "2026-01-07", paymentIds } });
  const reverse = (id: string) => office.attempt("reversePayment", { params: { id }, body: { reason: "nsf" } });
  return { ids, deposit, reverse };
}

/** Runs two writers that both read a payment without a lock before either of them writes. Returns how many wrote. */
async function writeWithoutLocks(): Promise<number> {
  const schema = `unlocked_${randomUUID().replaceAll("-", "")}`;
  const office = await anOffice();
  return withOwnerConnection(office, async (owner) => {
    await owner.query(`create schema ${schema}; create table ${schema}.payment (status text not null); insert into ${schema}.payment values ('received')`);
    const clients = [0, 1].map(() => new pg.Client({ connectionString: running().databaseUrls.ledger.owner }));
    try {
      await Promise.all(clients.map((client) => client.connect()));
      const read = await Promise.all(clients.map((client) => client.query<{ status: string }>(`select status from ${schema}.payment`)));
      const writers = clients.filter((_, index) => read[index]!.rows[0]!.status === "received");
      for (const client of writers) await client.query(`update ${schema}.payment set status = 'taken'`);
      return writers.length;
    } finally {
      await Promise.all(clients.map((client) => client.end()));
      await owner.query(`drop schema ${schema} cascade`);
    }
  });
}

describe("concurrent requests", () => {
  test("deposit each payment once, unlike code without locks", async () => {
    const office = await anOffice();
    const { ids, deposit } = await recordPayments(office);
    const responses = await Promise.all(ids.flatMap((id) => [deposit(id), deposit(id)]));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(PAYMENT_COUNT);
    expect(responses.filter(({ status, body }) => status === 409 && body.code === "resource_in_use")).toHaveLength(PAYMENT_COUNT);
    expect(await withOwnerConnection(office, findViolations)).toEqual([]);
    // Control: both writers see the payment as free, otherwise the test would prove nothing.
    expect(await writeWithoutLocks()).toBe(2);
  });

  test("deposit payments in opposite orders without a deadlock", async () => {
    const office = await anOffice();
    const { ids, deposit } = await recordPayments(office);
    const responses = await Promise.all([deposit(...ids), deposit(...ids.toReversed())]);
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect(await withOwnerConnection(office, findViolations)).toEqual([]);
  });

  test("deposit and reverse a payment in either order, which leaves every account at zero", async () => {
    const office = await anOffice();
    const { ids, deposit, reverse } = await recordPayments(office);
    const responses = await Promise.all(ids.map(async (id) => Promise.all([deposit(id), reverse(id)])));
    for (const [deposited, reversed] of responses) {
      expect([200, 409]).toContain(deposited.status);
      expect(reversed.status).toBe(200);
    }
    const { trialBalance } = await office.call("getTrialBalance", { query: { asOf: "2199-12-31" } });
    expect(trialBalance.rows.filter(({ closingCents }) => closingCents !== 0)).toEqual([]);
    expect(await withOwnerConnection(office, findViolations)).toEqual([]);
  });
});
