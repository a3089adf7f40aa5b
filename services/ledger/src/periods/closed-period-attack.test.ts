/** Statements with the service's role that would post into a closed period. */
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { closeMonth } from "./periods.fixtures.ts";

let office: Office;
let service: pg.Client;
beforeEach(async () => {
  office = await anOffice();
  service = new pg.Client({ connectionString: running().databaseUrls.ledger.service });
  await service.connect();
  await service.query("select set_config('app.organization_id', $1, false)", [office.organizationId]);
});
afterEach(() => service.end());

async function postInJanuary(): Promise<void> {
  const { rows } = await service.query<{ id: string }>(
    `insert into journal_entry (organization_id, id, created_at, updated_at, memo, occurred_at, entry_date, status, source, debit_total_cents, credit_total_cents)
      values ($1, gen_random_uuid(), now(), now(), 'Late', now(), '2026-01-31', 'posted', 'manual', 5, 5) returning id`,
    [office.organizationId],
  );
  await service.query(
    `insert into journal_line (organization_id, id, entry_id, account_id, entry_date, debit_cents, credit_cents)
      select $1, gen_random_uuid(), $2, (select id from category where code = '1000'), '2026-01-31', debit, credit from (values (5, 0), (0, 5)) as side (debit, credit)`,
    [office.organizationId, rows[0]!.id],
  );
}
const entriesOfJanuary = async () => (await service.query("select from journal_entry where entry_date = '2026-01-31'")).rowCount;

describe("the service's role cannot post into a period that was closed", () => {
  test.each(["read committed", "repeatable read", "serializable"])("after its transaction began, %s", async (level) => {
    await service.query(`begin isolation level ${level}`);
    await service.query("select from book");
    await closeMonth(office, "2026-01");
    await expect(postInJanuary().then(() => service.query("commit"))).rejects.toMatchObject({ code: "40001" });
    await service.query("rollback");
    expect(await entriesOfJanuary()).toBe(0);
  });
});
