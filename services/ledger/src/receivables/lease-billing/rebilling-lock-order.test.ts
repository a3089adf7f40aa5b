/** Lock order of a rebilling: payments before charges, also payments that are allocated while the rebilling waits for the charges. */
import { addDays } from "@freehold/kit/time/plain-date";
import { expect, test } from "@jest/globals";
import pg from "pg";
import { setTimeout as sleep } from "node:timers/promises";
import { anOffice } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { todayInOffice } from "../../../test/ledger.fixtures.ts";
import { withLockedRow } from "../../../test/lock-waiters.fixtures.ts";

/** Returns the number of the given transactions that are in a deadlock of two, which PostgreSQL breaks after `deadlock_timeout`. */
async function countCycles(client: pg.Client, pids: readonly number[]): Promise<number> {
  const text = `select from unnest($1::int[]) as waiting (pid), unnest(pg_blocking_pids(waiting.pid)) as blocking (pid)
    where waiting.pid = any(pg_blocking_pids(blocking.pid))`;
  const { rowCount } = await client.query(text, [pids]);
  return rowCount!;
}

test.each([
  ["control: a rebilling waits for its charge ahead of an allocation that holds a payment", false],
  ["a rebilling that waited for its charge does not then wait for a payment that was allocated to the charge meanwhile", true],
])("%s, so they do not deadlock", async (_name, isAllocatedMeanwhile) => {
  const office = await anOffice();
  const today = todayInOffice();
  const tenancy = await aTenancy(office, { createRecurringRent: true, startDate: addDays(today, -40) });
  await office.call("postDueCharges", { body: { throughDate: addDays(today, 70), propertyId: tenancy.propertyId } });
  const { charges } = await office.call("listCharges", { query: { leaseId: tenancy.leaseId, sortBy: "dueDate", sortDirection: "desc" } });
  const rent = charges[0]!;
  const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 100) });
  const allocate = () => office.attempt("allocatePayment", { params: { id: payment.id }, body: { allocations: [{ chargeId: rent.id, amountCents: 1 }] } });
  const observer = new pg.Client({ connectionString: running().databaseUrls.ledger.owner });
  await observer.connect();
  try {
    let isOver = false;
    const { requests, cycles } = await withLockedRow(office, "charge", rent.id, async ({ waitForWaiters, findWaiters, release }) => {
      const sent: Promise<{ status: number }>[] = [];
      const send = async (request: Promise<{ status: number }>) => waitForWaiters(sent.push(request));
      if (isAllocatedMeanwhile) await send(allocate());
      await send(office.attempt("updateLease", { params: { id: tenancy.leaseId }, body: { endDate: addDays(rent.periodStart!, 9) } }));
      await send(allocate());
      const waiters = await findWaiters();
      await release();
      const all = Promise.all(sent).finally(() => (isOver = true));
      let found = 0;
      while (!isOver) {
        found = Math.max(found, await countCycles(observer, waiters));
        await sleep(20);
      }
      return { requests: await all, cycles: found };
    });
    expect(requests.map(({ status }) => status < 500)).toEqual(requests.map(() => true));
    expect(cycles).toBe(0);
  } finally {
    await observer.end();
  }
});
