/** Asks the database itself, past the service's code: what could a mistake in it do to the books? */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import pg from "pg";
import { anOffice, type Office } from "../../../../test/office.ts";
import { running } from "../../../../test/running.ts";
import { aCharge, aPayment, aTenancy } from "../../../../test/tenancy.ts";

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
    // Whoever truncates wants whole tables, and all others would wait behind it.
    await clients[role].query("set lock_timeout = 100");
  }
});
afterAll(() => Promise.all(Object.values(clients).map((client) => client.end())));

/** Runs statements in one transaction of the organization that is rolled back; answers the last rows. */
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
const LOCKED = "55P03";
/** The SQLSTATE that a transaction is refused with, and the constraint that refused it. */
const refusal = (role: Role, ...statements: string[]): Promise<string> =>
  attempt(role, ...statements).then(
    () => "nothing was refused",
    ({ code, constraint }: { code: string; constraint?: string }) =>
      code === LOCKED ? refusal(role, ...statements) : [code, constraint].filter(Boolean).join(" "),
  );
const forbidden = "42501";

const entryId = randomUUID();
const anEntry = (debit: number, credit: number, status = "posted") => `
  insert into journal_entry (organization_id, id, created_at, updated_at, memo, occurred_at, entry_date, status, source, debit_total_cents, credit_total_cents)
  values ('${office.organizationId}', '${entryId}', now(), now(), 'by hand', now(), current_date, '${status}', 'manual', ${debit}, ${credit})`;
const lines = (...sides: [debit: number, credit: number][]) => `
  insert into journal_line (organization_id, id, entry_id, account_id, entry_date, debit_cents, credit_cents)
  select '${office.organizationId}', gen_random_uuid(), '${entryId}', '${accountId}', current_date, debit, credit
  from (values ${sides.map(([debit, credit]) => `(${debit}, ${credit})`).join()}) as side (debit, credit)`;

describe("the journal guards itself", () => {
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
  ])("against the service's own role: %s", async (statement) => {
    expect(await refusal("service", statement)).toBe(forbidden);
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
  ])("even against the owner of its tables: %s", async (statement) => {
    expect(await refusal("owner", statement)).toBe(forbidden);
  });

  test("a posted entry can be told what reversed it, once and nothing else with it", async () => {
    const posted = "where status = 'posted' and source = 'payment'";
    const reversed = `update journal_entry set status = 'reversed', reversed_by_id = gen_random_uuid()`;
    expect(await refusal("service", `${reversed} ${posted}`)).toBe("nothing was refused");
    expect(await refusal("service", `${reversed}, memo = 'as well' ${posted}`)).toBe(forbidden);
    expect(await refusal("service", `${reversed} where status = 'reversed'`)).toBe(forbidden);
  });

  test("an entry and its lines must balance", async () => {
    expect(await refusal("service", anEntry(100, 99))).toBe("23514 journal_entry_balances");
    expect(await refusal("service", anEntry(0, 0))).toBe("23514 journal_entry_balances");
    expect(await refusal("service", anEntry(100, 100), lines([100, 0], [0, 99]))).toBe("23514 journal_entry_balances");
    expect(await refusal("service", anEntry(100, 100), lines([100, 0]))).toBe("23514 journal_entry_balances");
    expect(await refusal("service", anEntry(100, 100), lines([100, 0], [0, 60], [0, 40]))).toBe("nothing was refused");
  });

  test.each([[[1, 1]], [[0, 0]], [[-1, 0]], [[0, -1]]])("a line has one side above zero, so not %p", async (side) => {
    expect(await refusal("service", anEntry(100, 100), lines(side as [number, number]))).toBe("23514 journal_line_has_one_side");
  });

  test("a draft keeps its lines to itself", async () => {
    expect(await refusal("service", anEntry(100, 0, "draft"))).toBe("23514 journal_entry_keeps_lines_apart_until_posted");
  });

  test("nothing of another organization can be seen or written", async () => {
    const [seen] = await attempt(
      "service",
      `select set_config('app.organization_id', '${randomUUID()}', true)`,
      "select count(*)::int as rows from journal_line",
    );
    expect(seen).toEqual({ rows: 0 });
    expect(await refusal("service", `select set_config('app.organization_id', '${randomUUID()}', true)`, anEntry(1, 1))).toBe(forbidden);
    const [unscoped] = await attempt("service", "select set_config('app.organization_id', '', true)", "select count(*)::int as rows from journal_line");
    expect(unscoped).toEqual({ rows: 0 });
  });

  test("the kept months are the sums of the lines, also of lines that were just added", async () => {
    const difference = `select account_id, month, sum(debit) as debit, sum(credit) as credit from (
        select account_id, month, debit_cents as debit, credit_cents as credit from account_month
        union all select account_id, date_trunc('month', entry_date)::date, -debit_cents, -credit_cents from journal_line) as both_sides
      group by 1, 2 having sum(debit) <> 0 or sum(credit) <> 0`;
    const [months] = await attempt("service", "select count(*)::int as kept from account_month");
    expect(months!["kept"]).toBeGreaterThan(0);
    expect(await attempt("service", difference)).toEqual([]);
    expect(await attempt("service", anEntry(100, 100), lines([100, 0], [0, 60], [0, 40]), difference)).toEqual([]);
  });

  test("every entry's totals are those of its lines", async () => {
    expect(
      await attempt(
        "service",
        `select e.id from journal_entry e left join journal_line l on l.organization_id = e.organization_id and l.entry_id = e.id where e.status <> 'draft'
         group by e.organization_id, e.id, e.debit_total_cents, e.credit_total_cents having sum(l.debit_cents) is distinct from e.debit_total_cents or sum(l.credit_cents) is distinct from e.credit_total_cents`,
      ),
    ).toEqual([]);
  });
});
