/** Closing a period against concurrent postings. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import pg from "pg";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { aPayment, aTenancy, type Tenancy } from "../../../../test/support/tenancy.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { accountIdsByCode, entryBody, type SignedLine } from "../journal/journal.fixtures.ts";
import { closeMonth } from "./periods.fixtures.ts";

let office: Office;
let tenancy: Tenancy;
const clients: pg.Client[] = [];

/** Connects as the owner of the ledger's tables, in the scope of the office. */
async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: running().databaseUrls.ledger.owner });
  clients.push(client);
  await client.connect();
  await client.query("select set_config('app.organization_id', $1, false)", [office.organizationId]);
  return client;
}

beforeAll(async () => {
  office = await anOffice();
  tenancy = await aTenancy(office);
});
afterAll(() => Promise.all(clients.map((client) => client.end())));

const insertEntry = (client: pg.Client, date: string) =>
  client.query(
    `with entry as (insert into journal_entry (organization_id, id, created_at, updated_at, memo, occurred_at, entry_date, status, source, debit_total_cents, credit_total_cents)
        values ($1, gen_random_uuid(), now(), now(), 'Slow', now(), $2, 'posted', 'manual', 5, 5) returning id)
      insert into journal_line (organization_id, id, entry_id, account_id, entry_date, debit_cents, credit_cents)
        select $1, gen_random_uuid(), entry.id, (select id from category where code = '1000' and organization_id = $1), $2, debit, credit
        from entry, (values (5, 0), (0, 5)) as side (debit, credit)`,
    [office.organizationId, date],
  );

/** Waits until a transaction waits for the lock of the office's periods. */
const waitForWaiter = (client: pg.Client) =>
  eventually("transaction that waits for the lock of the periods", async () => {
    const { rowCount } = await client.query(
      "select from pg_locks where locktype = 'advisory' and not granted and (classid::bigint << 32 | objid::bigint) = period_lock_key($1)",
      [office.organizationId],
    );
    return rowCount! > 0;
  });

/** Returns the number of entries in a month. */
async function countEntries(month: string): Promise<number> {
  const client = await connect();
  const { rows } = await client.query<{ count: string }>("select count(*) from journal_entry where date_trunc('month', entry_date) = $1", [`${month}-01`]);
  return Number(rows[0]!.count);
}

describe("a close", () => {
  test("waits for open postings and includes them", async () => {
    const posting = await connect();
    await posting.query("begin");
    await insertEntry(posting, "2026-01-31");
    let isClosed = false;
    const close = closeMonth(office, "2026-01").then(() => (isClosed = true));
    await waitForWaiter(await connect());
    expect(isClosed).toBe(false);
    await posting.query("commit");
    await close;
    expect(await countEntries("2026-01")).toBe(1);
    await expect(insertEntry(posting, "2026-01-31")).rejects.toMatchObject({ constraint: "accounting_period_open" });
  });

  test("control: without the lock an open posting commits into the period after its close", async () => {
    const schema = `unlocked_${randomUUID().replaceAll("-", "")}`;
    const [posting, closing] = [await connect(), await connect()];
    await closing.query(`create schema ${schema}; create table ${schema}.book (closed_through date); insert into ${schema}.book values (null);
      create table ${schema}.line (entry_date date)`);
    try {
      await posting.query("begin");
      const inserted = await posting.query(
        `insert into ${schema}.line select '2026-01-31' where not exists (select from ${schema}.book where closed_through >= '2026-01-31')`,
      );
      await closing.query(`update ${schema}.book set closed_through = '2026-01-31'`);
      const before = await closing.query(`select from ${schema}.line`);
      await posting.query("commit");
      const after = await closing.query(`select from ${schema}.line`);
      expect([inserted.rowCount, before.rowCount, after.rowCount]).toEqual([1, 0, 1]);
    } finally {
      await closing.query(`drop schema ${schema} cascade`);
    }
  });
});

describe("a posting that loses the race against a close", () => {
  /** Starts a request while a close is about to commit, and returns its response after the commit. */
  async function duringClose<T>(month: string, endDate: string, request: () => Promise<T>): Promise<T> {
    const closing = await connect();
    await closing.query("begin");
    await closing.query("select pg_advisory_xact_lock(period_lock_key($1))", [office.organizationId]);
    await closing.query("update book set closed_through = $1, soft_closed_through = $1", [endDate]);
    const response = request();
    await waitForWaiter(await connect());
    await closing.query("commit");
    const result = await response;
    expect(await countEntries(month)).toBe(0);
    return result;
  }

  test("of an operation is repeated with the new first open day", async () => {
    const body = { ...aPayment(tenancy, 100), receivedAt: "2026-02-10T15:00:00.000Z" };
    const { status } = await duringClose("2026-02", "2026-02-28", () => office.attempt("recordPayment", { body }));
    expect([status, await countEntries("2026-03")]).toEqual([200, 1]);
  });

  test("of an operation that writes through the ORM is repeated, too", async () => {
    const lines: SignedLine[] = [
      ["1000", 1],
      ["3100", -1],
    ];
    const { journalEntry } = await office.call("createJournalEntry", {
      body: entryBody(await accountIdsByCode(office), lines, { occurredAt: "2026-04-01T15:00:00Z" }),
    });
    const { body } = await duringClose("2026-05", "2026-05-31", () =>
      office.attempt("reverseJournalEntry", { params: { id: journalEntry.id }, body: { occurredAt: "2026-05-02T15:00:00Z" } }),
    );
    expect(body.reversal).toMatchObject({ movedFromDate: "2026-05-02", occurredAt: "2026-06-01T04:00:00.000Z" });
  });

  test("by hand is refused and names the new first open day", async () => {
    const lines: SignedLine[] = [
      ["1000", 1],
      ["3100", -1],
    ];
    const body = entryBody(await accountIdsByCode(office), lines, { occurredAt: "2026-07-10T15:00:00Z" });
    const entry = await duringClose("2026-07", "2026-07-31", () => office.attempt("createJournalEntry", { body }));
    const charge = await duringClose("2026-08", "2026-08-31", () =>
      office.attempt("createCharge", { body: { leaseId: tenancy.leaseId, amountCents: 100, dueDate: "2026-08-01", chargeType: "rent" } }),
    );
    expect([entry.status, entry.body.code, charge.status, charge.body.code]).toEqual([409, "period_closed", 409, "period_closed"]);
    expect([entry.body.message, charge.body.message]).toEqual([
      expect.stringContaining("2026-08-01, the first"),
      expect.stringContaining("2026-09-01, the first"),
    ]);
  });
});

test("none of many concurrent payments is posted into a month after its close", async () => {
  const own = await anOffice();
  const tenancies = await Promise.all(Array.from({ length: 4 }, () => aTenancy(own)));
  const balances = async () => (await own.call("getTrialBalance", { query: { from: "2026-01-01", to: "2026-01-31" } })).trialBalance.rows;
  const payments = Array.from({ length: 40 }, (_, index) => () => own.attempt("recordPayment", { body: aPayment(tenancies[index % 4]!, 100) }));
  const early = payments.slice(0, 20).map((pay) => pay());
  const close = closeMonth(own, "2026-01").then(balances);
  const late = payments.slice(20).map((pay) => pay());
  const atClose = await close;
  const responses = await Promise.all([...early, ...late]);
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await balances()).toEqual(atClose);
});
