/** Statements with the service's role that would corrupt the journal. All are rolled back. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import pg from "pg";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { aPayment, aTenancy } from "../../../../test/support/tenancy.ts";
import { accountIdsByCode } from "./journal.fixtures.ts";

let office: Office;
let accounts: Record<string, string>;
let foreignAccounts: Record<string, string>;
let paymentEntryId: string;
let service: pg.Client;

beforeAll(async () => {
  office = await anOffice();
  accounts = await accountIdsByCode(office);
  foreignAccounts = await accountIdsByCode(await anOffice());
  await office.call("recordPayment", { body: aPayment(await aTenancy(office), 1_200) });
  service = new pg.Client({ connectionString: running().databaseUrls.ledger.service });
  await service.connect();
  await service.query("select set_config('app.organization_id', $1, false)", [office.organizationId]);
  paymentEntryId = (await service.query<{ id: string }>("select id from journal_entry where source = 'payment'")).rows[0]!.id;
});
afterAll(() => service.end());

const id = randomUUID();
const anEntry = (status: string, columns: Record<string, string> = {}) => {
  const all = { organization_id: `'${office.organizationId}'`, id: `'${id}'`, created_at: "now()", updated_at: "now()", memo: "'x'", occurred_at: "now()" };
  const values = { ...all, entry_date: "current_date", status: `'${status}'`, source: "'manual'", debit_total_cents: "5", credit_total_cents: "5", ...columns };
  return `insert into journal_entry (${Object.keys(values).join()}) values (${Object.values(values).join()})`;
};
/** Returns the insert of a line with a debit and one with a credit of `cents`. `account` and `cashAccount` are those of the debit. */
const lines = ({ date = "current_date", account = accounts["1000"]!, cashAccount = "null", cents = 5 } = {}) =>
  `insert into journal_line (organization_id, id, entry_id, account_id, cash_account_id, entry_date, debit_cents, credit_cents)
    select '${office.organizationId}', gen_random_uuid(), '${id}', case when debit > 0 then '${account}'::uuid else '${accounts["1000"]}' end, ${cashAccount === "null" ? "null" : `case when debit > 0 then ${cashAccount} else '${accounts["1000"]}'::uuid end`}, ${date}, debit, credit
    from (values (${cents}, 0), (0, ${cents})) as side (debit, credit)`;

/** Runs statements with the checks of their commit, rolls them back, and returns whether they were refused. */
async function isRefused(...statements: string[]): Promise<boolean> {
  await service.query("begin");
  try {
    for (const statement of [...statements, "set constraints all immediate"]) await service.query(statement);
    return false;
  } catch (error) {
    if (/^(23|42501|22)/.test((error as { code: string }).code)) return true;
    throw error;
  } finally {
    await service.query("rollback");
  }
}

test("control: an ordinary entry is accepted", async () => {
  expect(await isRefused(anEntry("posted"), lines())).toBe(false);
  expect(await isRefused(anEntry("posted"), lines({ cashAccount: `'${accounts["1000"]}'::uuid` }))).toBe(false);
});

describe("no entry is in the journal without lines", () => {
  const link = () => `'${paymentEntryId}'`;

  test("inserted as reversed", async () => {
    expect(await isRefused(anEntry("reversed", { reversed_by_id: link() }))).toBe(true);
  });

  test("a draft that becomes reversed", async () => {
    const reverse = `update journal_entry set status = 'reversed', reversed_by_id = ${link()}, draft_lines = null where id = '${id}'`;
    expect(await isRefused(anEntry("draft", { draft_lines: "'[]'" }), reverse)).toBe(true);
  });
});

describe("a line is posted to an existing entry and account of its organization", () => {
  test("not to an account of another organization", async () => {
    expect(await isRefused(anEntry("posted"), lines({ account: foreignAccounts["1000"]! }))).toBe(true);
  });

  test("not without its entry", async () => {
    expect(await isRefused(lines())).toBe(true);
  });
});

describe("on the cash basis a line is posted to an account of its own organization, so that the cash view balances", () => {
  test("not to an account of another organization", async () => {
    expect(await isRefused(anEntry("posted"), lines({ cashAccount: `'${foreignAccounts["1000"]}'::uuid` }))).toBe(true);
  });

  test("not to an unknown account", async () => {
    expect(await isRefused(anEntry("posted"), lines({ cashAccount: "gen_random_uuid()" }))).toBe(true);
  });
});

test.each(["'infinity'", "'-infinity'"])("an entry cannot be dated %s", async (date) => {
  expect(await isRefused(anEntry("posted", { entry_date: date }), lines({ date }))).toBe(true);
});

test("an entry that reverses another must have the same amounts", async () => {
  expect(await isRefused(anEntry("posted", { reverses_id: `'${paymentEntryId}'` }), lines())).toBe(true);
});

test("an entry can be marked as reversed only with the entry that reverses it", async () => {
  expect(await isRefused(`update journal_entry set status = 'reversed', reversed_by_id = gen_random_uuid() where id = '${paymentEntryId}'`)).toBe(true);
});
