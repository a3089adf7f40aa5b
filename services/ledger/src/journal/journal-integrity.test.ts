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
/** Returns the insert of lines with debit, credit, and whether the line has an account on the cash basis. */
const insertLines = (...amounts: [debitCents: number, creditCents: number, isCash?: boolean][]) => insertLinesOn("current_date", ...amounts);
const insertLinesOn = (date: string, ...amounts: [debitCents: number, creditCents: number, isCash?: boolean][]) => `
  insert into journal_line (organization_id, id, entry_id, account_id, cash_account_id, entry_date, debit_cents, credit_cents)
  select '${office.organizationId}', gen_random_uuid(), '${entryId}', '${accountId}', case when is_cash then '${accountId}'::uuid end, ${date}, debit, credit
  from (values ${amounts.map(([debitCents, creditCents, isCash = false]) => `(${debitCents}, ${creditCents}, ${isCash})`).join()}) as amount (debit, credit, is_cash)`;
/** Runs the checks of the commit, since the attempts are rolled back. */
const CHECK_COMMIT = "set constraints all immediate";

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
    "update account_day set debit_cents = debit_cents + 1",
    "delete from account_day",
    "truncate account_day",
    "update list_total set rows = rows + 1",
    "delete from list_total",
    "truncate list_total",
    "insert into list_total select organization_id, list, 99, 1, 1 from list_total limit 1",
    "insert into account_month select organization_id, account_id, month, 99, 1, 1 from account_month limit 1",
    "insert into account_day select organization_id, account_id, day, 99, 1, 1 from account_day limit 1",
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
    "update account_day set debit_cents = debit_cents + 1",
    "delete from account_day",
    "update list_total set rows = rows + 1",
    "delete from list_total",
  ])("the owner of the tables cannot: %s", async (statement) => {
    expect(await failureOf("owner", statement)).toBe(INSUFFICIENT_PRIVILEGE);
  });

  test("a posted entry can be linked to its reversal once, without any other change", async () => {
    const reversal = randomUUID();
    const posted = "(select * from journal_entry where status = 'posted' and source = 'payment' order by id limit 1) e";
    const reverse = [
      `insert into journal_entry (organization_id, id, created_at, updated_at, memo, occurred_at, entry_date, status, source, debit_total_cents, credit_total_cents, reverses_id)
        select organization_id, '${reversal}', now(), now(), 'r', occurred_at, entry_date, 'posted', 'reversal', debit_total_cents, credit_total_cents, id from ${posted}`,
      `insert into journal_line (organization_id, id, entry_id, account_id, cash_account_id, entry_date, debit_cents, credit_cents, property_id, lease_id, tenant_id)
        select l.organization_id, gen_random_uuid(), '${reversal}', l.account_id, l.cash_account_id, l.entry_date, l.credit_cents, l.debit_cents, l.property_id, l.lease_id, l.tenant_id
        from journal_line l join ${posted} on e.id = l.entry_id`,
    ];
    const markReversed = `update journal_entry set status = 'reversed', reversed_by_id = '${reversal}'`;
    const ofReversal = `where id = (select reverses_id from journal_entry where id = '${reversal}')`;
    expect(await failureOf("service", ...reverse, `${markReversed} ${ofReversal}`, CHECK_COMMIT)).toBe(SUCCESS);
    expect(await failureOf("service", ...reverse, `${markReversed}, memo = 'other' ${ofReversal}`)).toBe(INSUFFICIENT_PRIVILEGE);
    expect(await failureOf("service", ...reverse, `${markReversed} ${ofReversal}`, `${markReversed} ${ofReversal}`)).toBe(INSUFFICIENT_PRIVILEGE);
    expect(await failureOf("service", `${markReversed} where status = 'posted' and source = 'payment'`)).toBe(INSUFFICIENT_PRIVILEGE);
  });

  test("an entry and its lines must balance", async () => {
    expect(await failureOf("service", insertEntry(100, 99))).toBe("23514 journal_entry_balances");
    expect(await failureOf("service", insertEntry(0, 0))).toBe("23514 journal_entry_balances");
    expect(await failureOf("service", insertEntry(100, 100), insertLines([100, 0], [0, 99]))).toBe("23514 journal_entry_balances");
    expect(await failureOf("service", insertEntry(100, 100), insertLines([100, 0]))).toBe("23514 journal_entry_balances");
    expect(await failureOf("service", insertEntry(100, 100), insertLines([100, 0], [0, 60], [0, 40]))).toBe(SUCCESS);
  });

  test("an entry balances on the cash basis, too", async () => {
    expect(await failureOf("service", insertEntry(100, 100), insertLines([100, 0, true], [0, 100]))).toBe("23514 journal_entry_balances");
    expect(await failureOf("service", insertEntry(100, 100), insertLines([100, 0, true], [0, 60, true], [0, 40]))).toBe("23514 journal_entry_balances");
    expect(await failureOf("service", insertEntry(100, 100), insertLines([60, 0, true], [40, 0], [0, 60, true], [0, 40]), CHECK_COMMIT)).toBe(SUCCESS);
  });

  test("a posted entry accepts no further line, not even a balanced pair", async () => {
    const posting = [insertEntry(100, 100), insertLines([100, 0], [0, 100])];
    for (const pair of [insertLines([100, 0], [0, 100]), insertLines([1, 0], [0, 1])])
      for (const role of ["service", "owner"] as const) expect(await failureOf(role, ...posting, pair)).toBe("23514 journal_entry_posted_with_lines");
    for (const status of ["posted", "reversed"]) {
      const addPair = `insert into journal_line (organization_id, id, entry_id, account_id, entry_date, debit_cents, credit_cents)
        select e.organization_id, gen_random_uuid(), e.id, '${accountId}', e.entry_date, side.debit * e.debit_total_cents, side.credit * e.debit_total_cents
        from (select * from journal_entry where status = '${status}' order by id limit 1) e cross join (values (1, 0), (0, 1)) as side (debit, credit)`;
      expect(await failureOf("service", addPair)).toBe("23514 journal_entry_posted_with_lines");
    }
  });

  test("an entry gets all of its lines in one statement, on its own date and with its totals", async () => {
    const refusal = "23514 journal_entry_posted_with_lines";
    expect(await failureOf("service", insertEntry(100, 100), insertLines([50, 0], [0, 50]), insertLines([50, 0], [0, 50]))).toBe(refusal);
    expect(await failureOf("service", insertEntry(100, 100), insertLinesOn("current_date - 1", [100, 0], [0, 100]))).toBe(refusal);
    expect(await failureOf("service", insertEntry(100, 100), insertLines([200, 0], [0, 200]))).toBe(refusal);
  });

  test("no entry is posted without lines, and a draft has none", async () => {
    const post = `update journal_entry set status = 'posted', draft_lines = null where id = '${entryId}'`;
    const draft = insertEntry(100, 100, "draft", "'[]'");
    expect(await failureOf("service", insertEntry(100, 100), CHECK_COMMIT)).toBe("23514 journal_entry_posted_with_lines");
    expect(await failureOf("service", draft, post, CHECK_COMMIT)).toBe("23514 journal_entry_posted_with_lines");
    expect(await failureOf("service", draft, insertLines([100, 0], [0, 100]))).toBe("23514 journal_entry_posted_with_lines");
    expect(await failureOf("service", draft, post, insertLines([100, 0], [0, 100]), CHECK_COMMIT)).toBe(SUCCESS);
  });

  test("unknown statuses and sources are refused, and only a draft can be deleted", async () => {
    expect(await failureOf("service", insertEntry(100, 100, "open"))).toBe("23514 journal_entry_status_known");
    expect(await failureOf("service", insertEntry(100, 100).replaceAll("'manual'", "'magic'"))).toBe("23514 journal_entry_source_known");
    const remove = "update journal_entry set deleted_at = now()";
    expect(await failureOf("service", `${remove} where status = 'posted'`)).toBe(INSUFFICIENT_PRIVILEGE);
    const posted = [insertEntry(100, 100, "draft", "'[]'"), remove, `update journal_entry set status = 'posted', draft_lines = null where id = '${entryId}'`];
    expect(await failureOf("service", ...posted.map((statement) => statement.replace(remove, `${remove} where id = '${entryId}'`)))).toBe(
      "23514 journal_entry_deleted_as_draft",
    );
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

  test.each([
    ["monthly", "account_month", "month", "date_trunc('month', entry_date)::date"],
    ["daily", "account_day", "day", "entry_date"],
  ])("the %s totals equal the sums of the lines, also of lines inserted in the same transaction", async (_, table, period, periodOfLine) => {
    const lines = (basis: string, account: string, columns: string) =>
      `select '${basis}' as basis, ${account} as account_id, ${periodOfLine} as period, ${columns} from journal_line where ${account} is not null`;
    const difference = `select basis, account_id, period, sum(debit) as debit, sum(credit) as credit, sum(lines) as lines from (
        select 'accrual' as basis, account_id, ${period} as period, debit_cents as debit, credit_cents as credit, lines from ${table}
        union all select 'cash', account_id, ${period}, cash_debit_cents, cash_credit_cents, cash_lines from ${table}
        union all ${lines("accrual", "account_id", "-debit_cents, -credit_cents, -1")}
        union all ${lines("cash", "cash_account_id", "-debit_cents, -credit_cents, -1")}) as combined
      group by 1, 2, 3 having sum(debit) <> 0 or sum(credit) <> 0 or sum(lines) <> 0`;
    const [totals] = await attempt("service", `select count(*)::int as count from ${table}`);
    expect(totals!["count"]).toBeGreaterThan(0);
    expect(await attempt("service", difference)).toEqual([]);
    expect(await attempt("service", insertEntry(100, 100), insertLines([60, 0, true], [40, 0], [0, 60, true], [0, 40]), difference)).toEqual([]);
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
