/** Tests that the database itself protects the journal: statements that bypass the service's code are rejected. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import pg from "pg";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { aCharge, aPayment, aTenancy } from "../../../../test/support/tenancy.ts";

type Role = "service" | "owner";
const clients = {} as Record<Role, pg.Client>;
let office: Office;
let accountId: string;

beforeAll(async () => {
  office = await anOffice();
  const tenancy = await aTenancy(office);
  const chargeId = await aCharge(office, tenancy.leaseId, 1_000);
  await office.call("recordPayment", { body: { ...aPayment(tenancy, 1_200), allocations: [{ chargeId, amountCents: 700 }] } });
  await office.call("voidCharge", { params: { id: await aCharge(office, tenancy.leaseId, 50) }, body: { reason: "a mistake" } });
  const { categories } = await office.call("listCategories");
  accountId = categories[0]!.id;
  for (const role of ["service", "owner"] as const) {
    clients[role] = new pg.Client({ connectionString: running().databaseUrls.ledger[role] });
    await clients[role].connect();
    // TRUNCATE waits for an exclusive lock, behind which all other statements would queue.
    await clients[role].query("set lock_timeout = 100");
  }
});
afterAll(() => Promise.all(Object.values(clients).map((client) => client.end())));

/** Runs statements in a transaction of the organization that is rolled back, and returns the rows of the last one. */
async function attempt(role: Role, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = clients[role];
  await client.query("begin");
  try {
    await client.query("select set_config('app.organization_id', $1, true)", [office.organizationId]);
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) rows = (await client.query<Record<string, unknown>>(statement)).rows;
    return rows;
  } finally {
    await client.query("rollback");
  }
}
const SUCCESS = "success";
const LOCK_TIMEOUT = "55P03";
/** Returns the SQLSTATE and the constraint with which the statements fail. Repeats them after a lock timeout. */
const failureOf = (role: Role, ...statements: string[]): Promise<string> =>
  attempt(role, ...statements).then(
    () => SUCCESS,
    ({ code, constraint }: { code: string; constraint?: string }) =>
      code === LOCK_TIMEOUT ? failureOf(role, ...statements) : [code, constraint].filter(Boolean).join(" "),
  );
const INSUFFICIENT_PRIVILEGE = "42501";

const entryId = randomUUID();
const insertEntry = (debitTotalCents: number, creditTotalCents: number, status = "posted", draftLines = "null") => `
  insert into journal_entry (organization_id, id, created_at, updated_at, memo, occurred_at, entry_date, status, source, debit_total_cents, credit_total_cents, draft_lines)
  values ('${office.organizationId}', '${entryId}', now(), now(), 'manual', now(), current_date, '${status}', 'manual', ${debitTotalCents}, ${creditTotalCents}, ${draftLines})`;
const insertLines = (...amounts: [debitCents: number, creditCents: number][]) => `
  insert into journal_line (organization_id, id, entry_id, account_id, entry_date, debit_cents, credit_cents)
  select '${office.organizationId}', gen_random_uuid(), '${entryId}', '${accountId}', current_date, debit, credit
  from (values ${amounts.map(([debitCents, creditCents]) => `(${debitCents}, ${creditCents})`).join()}) as amount (debit, credit)`;

describe("the database protects the journal", () => {
  test.each([
    "update journal_line set debit_cents = debit_cents + 1",
    "update journal_line set account_id = account_id",
    "delete from journal_line",
    "truncate journal_line",
    "delete from journal_entry",
    "truncate journal_entry cascade",
    "update journal_entry set memo = 'something else'",
    "update journal_entry set occurred_at = now()",
    "update journal_entry set status = 'draft', draft_lines = '[]'",
    "update journal_entry set status = 'reversed'",
    "update journal_entry set debit_total_cents = 1, credit_total_cents = 1",
    "update journal_entry set reverses_id = id",
    "update journal_entry set created_by_user_id = null",
    "update account_month set debit_cents = debit_cents + 1",
    "delete from account_month",
    "truncate account_month",
    "update list_total set rows = rows + 1",
    "delete from list_total",
    "truncate list_total",
    "insert into list_total select organization_id, list, 99, 1, 1 from list_total limit 1",
    "insert into account_month select organization_id, account_id, month, 99, 1, 1 from account_month limit 1",
  ])("the service's role cannot: %s", async (statement) => {
    expect(await failureOf("service", statement)).toBe(INSUFFICIENT_PRIVILEGE);
  });

  test.each([
    "update journal_line set debit_cents = debit_cents + 1",
    "delete from journal_line",
    "truncate journal_line",
    "update journal_entry set memo = 'something else'",
    "truncate journal_entry cascade",
    "update account_month set debit_cents = debit_cents + 1",
    "delete from account_month",
    "update list_total set rows = rows + 1",
    "delete from list_total",
  ])("the owner of the tables cannot: %s", async (statement) => {
    expect(await failureOf("owner", statement)).toBe(INSUFFICIENT_PRIVILEGE);
  });

  test("a posted entry can be linked to its reversal once, without any other change", async () => {
    const posted = "where status = 'posted' and source = 'payment'";
    const markReversed = `update journal_entry set status = 'reversed', reversed_by_id = gen_random_uuid()`;
    expect(await failureOf("service", `${markReversed} ${posted}`)).toBe(SUCCESS);
    expect(await failureOf("service", `${markReversed}, memo = 'other' ${posted}`)).toBe(INSUFFICIENT_PRIVILEGE);
    expect(await failureOf("service", `${markReversed} where status = 'reversed'`)).toBe(INSUFFICIENT_PRIVILEGE);
  });

  test("an entry and its lines must balance", async () => {
    expect(await failureOf("service", insertEntry(100, 99))).toBe("23514 journal_entry_balances");
    expect(await failureOf("service", insertEntry(0, 0))).toBe("23514 journal_entry_balances");
    expect(await failureOf("service", insertEntry(100, 100), insertLines([100, 0], [0, 99]))).toBe("23514 journal_entry_balances");
    expect(await failureOf("service", insertEntry(100, 100), insertLines([100, 0]))).toBe("23514 journal_entry_balances");
    expect(await failureOf("service", insertEntry(100, 100), insertLines([100, 0], [0, 60], [0, 40]))).toBe(SUCCESS);
  });

  test.each([[[1, 1]], [[0, 0]], [[-1, 0]], [[0, -1]]])("a line has either a debit or a credit above zero, so %p is refused", async (amount) => {
    expect(await failureOf("service", insertEntry(100, 100), insertLines(amount as [number, number]))).toBe("23514 journal_line_has_one_side");
  });

  test("an entry has draft lines exactly while it is a draft", async () => {
    expect(await failureOf("service", insertEntry(100, 0, "draft"))).toBe("23514 journal_entry_keeps_lines_apart_until_posted");
    expect(await failureOf("service", insertEntry(100, 100, "posted", "'[]'"))).toBe("23514 journal_entry_keeps_lines_apart_until_posted");
    expect(await failureOf("service", insertEntry(100, 0, "draft", "'[]'"))).toBe(SUCCESS);
  });

  test("rows of another organization can be neither read nor written", async () => {
    const [visible] = await attempt(
      "service",
      `select set_config('app.organization_id', '${randomUUID()}', true)`,
      "select count(*)::int as rows from journal_line",
    );
    expect(visible).toEqual({ rows: 0 });
    expect(await failureOf("service", `select set_config('app.organization_id', '${randomUUID()}', true)`, insertEntry(1, 1))).toBe(INSUFFICIENT_PRIVILEGE);
    const [unscoped] = await attempt("service", "select set_config('app.organization_id', '', true)", "select count(*)::int as rows from journal_line");
    expect(unscoped).toEqual({ rows: 0 });
  });

  test("the monthly totals equal the sums of the lines, also of lines inserted in the same transaction", async () => {
    const difference = `select account_id, month, sum(debit) as debit, sum(credit) as credit from (
        select account_id, month, debit_cents as debit, credit_cents as credit from account_month
        union all select account_id, date_trunc('month', entry_date)::date, -debit_cents, -credit_cents from journal_line) as combined
      group by 1, 2 having sum(debit) <> 0 or sum(credit) <> 0`;
    const [months] = await attempt("service", "select count(*)::int as count from account_month");
    expect(months!["count"]).toBeGreaterThan(0);
    expect(await attempt("service", difference)).toEqual([]);
    expect(await attempt("service", insertEntry(100, 100), insertLines([100, 0], [0, 60], [0, 40]), difference)).toEqual([]);
  });

  test("the totals of every entry equal the sums of its lines", async () => {
    expect(
      await attempt(
        "service",
        `select e.id from journal_entry e left join journal_line l on l.organization_id = e.organization_id and l.entry_id = e.id where e.status <> 'draft'
         group by e.organization_id, e.id, e.debit_total_cents, e.credit_total_cents having sum(l.debit_cents) is distinct from e.debit_total_cents or sum(l.credit_cents) is distinct from e.credit_total_cents`,
      ),
    ).toEqual([]);
  });
});
