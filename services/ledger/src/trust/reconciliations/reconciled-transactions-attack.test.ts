/** Attacks on finalized reconciliations with the role of the service. All statements are rolled back. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { aBankAccount } from "../trust.fixtures.ts";
import { aDraft, adjust, clearAmounts } from "./reconciliations.fixtures.ts";

let office: Office;
let service: pg.Client;
let finalized: string;
let draft: string;

/** Creates a reconciliation whose only item is matched with the line of an uploaded statement. */
async function aMatchedReconciliation(bankAccountId: string, endDate: string, cents: number): Promise<string> {
  await adjust(office, bankAccountId, "interest", cents, endDate);
  const file = new File([`Date,Amount\n${endDate},0.${cents}\n`], "statement.csv");
  await office.call("uploadStatementLines", { params: { id: bankAccountId }, body: { file } });
  const id = await aDraft(office, bankAccountId, cents, endDate);
  expect((await office.call("autoMatchReconciliation", { params: { id }, body: {} })).autoMatch.matchedLines).toBe(1);
  return id;
}

beforeAll(async () => {
  office = await anOffice();
  finalized = await aMatchedReconciliation(await aBankAccount(office, "business"), "2026-01-31", 55);
  await office.call("finalizeReconciliation", { params: { id: finalized }, body: {} });
  draft = await aMatchedReconciliation(await aBankAccount(office, "reserve"), "2026-01-31", 66);
  service = new pg.Client({ connectionString: running().databaseUrls.ledger.service });
  await service.connect();
  await service.query("select set_config('app.organization_id', $1, false)", [office.organizationId]);
});
afterAll(() => service.end());

/** Returns the SQLSTATE with which a statement is refused, or undefined. */
async function refusalOf(statement: string, level = "read committed"): Promise<string | undefined> {
  await service.query(`begin isolation level ${level}`);
  try {
    const { rowCount } = await service.query(statement);
    expect(rowCount).toBeGreaterThan(0);
    return undefined;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    return error.code;
  } finally {
    await service.query("rollback");
  }
}

const itemOf = (id: string) => `reconciliation_id = '${id}'`;
const entryOf = (id: string) => `(select entry_id from reconciliation_item where ${itemOf(id)})`;
const lineOf = (id: string) => `(select statement_line_id from reconciliation_item where ${itemOf(id)})`;
/** Reverses the entry of an item as `reverseEntries` does, all in one statement. */
const reversal = (
  id: string,
) => `with posted as (insert into journal_entry (organization_id, id, created_at, updated_at, memo, occurred_at, entry_date, status, source, debit_total_cents, credit_total_cents, reverses_id)
    select organization_id, gen_random_uuid(), now(), now(), 'Reversal', occurred_at, entry_date, 'posted', 'reversal', debit_total_cents, credit_total_cents, id from journal_entry where id = ${entryOf(id)} returning id, reverses_id)
  update journal_entry e set status = 'reversed', reversed_by_id = posted.id from posted where e.id = posted.reverses_id`;

const attacks: [name: string, statement: (id: string) => string][] = [
  ["a cleared item is taken out", (id) => `delete from reconciliation_item where ${itemOf(id)}`],
  [
    "a cleared item becomes uncleared",
    (id) => `update reconciliation_item set is_cleared = false, match_reason = null, statement_line_id = null where ${itemOf(id)}`,
  ],
  ["a cleared item gets another amount", (id) => `update reconciliation_item set amount_cents = amount_cents + 1 where ${itemOf(id)}`],
  ["a match is taken back", (id) => `update reconciliation_item set statement_line_id = null, match_reason = null where ${itemOf(id)}`],
  [
    "an item is added",
    (id) => `insert into reconciliation_item (organization_id, reconciliation_id, entry_id, bank_account_id, entry_date, amount_cents, is_cleared)
      select i.organization_id, '${id}', e.id, i.bank_account_id, i.entry_date, 1, false from reconciliation_item i, journal_entry e
      where i.${itemOf(id)} and e.id <> i.entry_id limit 1`,
  ],
  ["the statement gets another balance", (id) => `update reconciliation set statement_ending_balance_cents = 1 where id = '${id}'`],
  ["a matched statement line is deleted", (id) => `delete from bank_statement_line where id = ${lineOf(id)}`],
];

describe("the service's role is refused when", () => {
  test.each(attacks)("%s of a finalized reconciliation, unlike in a draft", async (_name, statement) => {
    expect(await refusalOf(statement(finalized))).toBe("42501");
    expect(await refusalOf(statement(draft))).toBeUndefined();
  });

  test.each([
    ["a finalized reconciliation becomes a draft", () => `update reconciliation set status = 'draft' where id = '${finalized}'`],
    [
      "its proof is replaced while it is voided",
      () => `update reconciliation set status = 'voided', voided_at = now(), three_way = '{}' where id = '${finalized}'`,
    ],
    ["it is deleted", () => `delete from reconciliation where id = '${finalized}'`],
    [
      "an item of it moves to a draft, or back",
      () => `update reconciliation_item set reconciliation_id = case when ${itemOf(draft)} then '${finalized}'::uuid else '${draft}'::uuid end
        where ${itemOf(finalized)} or ${itemOf(draft)}`,
    ],
    ["items of a finalized one lose their effect", () => `update reconciliation_item set is_live = false where ${itemOf(finalized)}`],
    ["a statement line gets another amount", () => `update bank_statement_line set amount_cents = 1 where id = ${lineOf(draft)}`],
  ])("%s", async (_name, statement) => {
    expect(await refusalOf(statement())).toBe("42501");
  });

  test("an item of a draft names no posted entry", async () => {
    const itemWith = (
      entry: string,
    ) => `insert into reconciliation_item (organization_id, reconciliation_id, entry_id, bank_account_id, entry_date, amount_cents, is_cleared)
      select organization_id, reconciliation_id, ${entry}, bank_account_id, entry_date, 1, false from reconciliation_item where ${itemOf(draft)}`;
    expect(await refusalOf(itemWith("gen_random_uuid()"))).toBe("23503");
    expect(await refusalOf(itemWith(entryOf(finalized)))).toBeUndefined();
  });

  test("a cleared entry of a finalized reconciliation is reversed, unlike one of a draft", async () => {
    expect(await refusalOf(reversal(finalized))).toBe("23514");
    expect(await refusalOf(reversal(draft))).toBeUndefined();
  });

  test.each(["read committed", "repeatable read", "serializable"])(
    "an item is taken out of a draft that was finalized after the transaction began, %s",
    async (level) => {
      const bankAccountId = await aBankAccount(office, "business");
      await adjust(office, bankAccountId, "interest", 10, "2026-01-10");
      const id = await aDraft(office, bankAccountId, 10);
      await clearAmounts(office, id, 10);
      await service.query(`begin isolation level ${level}`);
      try {
        await service.query("select from reconciliation");
        await office.call("finalizeReconciliation", { params: { id }, body: {} });
        await expect(service.query(`delete from reconciliation_item where ${itemOf(id)}`)).rejects.toMatchObject({
          code: level === "read committed" ? "42501" : "40001",
        });
      } finally {
        await service.query("rollback");
      }
    },
  );
});
