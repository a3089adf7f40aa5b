/** Concurrent runs for overlapping periods of a property, and a control without the lock of its fees. */
import { describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import pg from "pg";
import { running } from "../../../../../../test/support/running.ts";
import { withOwnerConnection } from "../../../../test/ledger.fixtures.ts";
import { aManagedProperty, expectNoViolations } from "../management-fees.fixtures.ts";
import type { Office } from "../../../../../../test/support/office.ts";

/** Runs two writers that both find no charged period before either of them records its own, without the lock. Returns the number of records. */
async function chargeWithoutLock(office: Office): Promise<number> {
  const schema = `unlocked_${randomUUID().replaceAll("-", "")}`;
  return withOwnerConnection(office, async (owner) => {
    await owner.query(`create schema ${schema}; create table ${schema}.run (id int)`);
    const clients = [0, 1].map(() => new pg.Client({ connectionString: running().databaseUrls.ledger.owner }));
    const count = async (client: pg.Client) => (await client.query(`select from ${schema}.run`)).rowCount!;
    try {
      await Promise.all(clients.map((client) => client.connect()));
      const found = await Promise.all(clients.map(count));
      for (const [id, client] of clients.entries()) if (found[id] === 0) await client.query(`insert into ${schema}.run values (${id})`);
      return await count(owner);
    } finally {
      await Promise.all(clients.map((client) => client.end()));
      await owner.query(`drop schema ${schema} cascade`);
    }
  });
}

describe("concurrent runs", () => {
  test("charge each payment once, unlike code without the lock", async () => {
    const { office } = await aManagedProperty();
    const periods = Array.from({ length: 8 }, (_, index) => ({ periodStart: "2026-01-01", periodEnd: `2026-01-${10 + index}` }));
    const responses = await Promise.all(periods.map((body) => office.attempt("createManagementFeeRun", { body })));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array(7).fill(409)]);
    expect((await office.call("listManagementFees")).managementFees.map(({ amountCents }) => amountCents)).toEqual([10_000]);
    await expectNoViolations(office);
    // Control: both writers find nothing charged, otherwise the test would prove nothing.
    expect(await chargeWithoutLock(office)).toBe(2);
  });
});
