/** Attacks on the documents of posted entries and on the chart of accounts, with the role of the service. All statements are rolled back. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import pg from "pg";
import { anOffice } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { aCharge, aTenancy } from "../../../../test/support/tenancy.ts";

let service: pg.Client;
beforeAll(async () => {
  const office = await anOffice();
  const { leaseId } = await aTenancy(office);
  await aCharge(office, leaseId, 100);
  service = new pg.Client({ connectionString: running().databaseUrls.ledger.service });
  await service.connect();
  await service.query("select set_config('app.organization_id', $1, false)", [office.organizationId]);
});
afterAll(() => service.end());

const INSUFFICIENT_PRIVILEGE = "42501";

async function isRefused(statement: string): Promise<boolean> {
  await service.query("begin");
  try {
    await service.query(statement);
    return false;
  } catch (error) {
    return (error as { code?: string }).code === INSUFFICIENT_PRIVILEGE;
  } finally {
    await service.query("rollback");
  }
}

test("control: the service's role can change the status of a charge", async () => {
  expect(await isRefused("update charge set status = status")).toBe(false);
});

test.each([
  ["a refund is deleted while its entry stays", "delete from payment_refund"],
  ["a reversal is deleted while its entry stays", "delete from payment_reversal"],
  ["a payment is taken out of its deposit while the entry stays", "delete from bank_deposit_payment"],
  ["a refund gets another amount than its entry", "update payment_refund set amount_cents = 1"],
  ["a deposit gets another amount than its entry", "update bank_deposit set amount_cents = 1"],
  [
    "a payment gets another amount than its entry",
    "update payment set amount_cents = amount_cents + 900, unallocated_cents = unallocated_cents + 900 where status = 'received'",
  ],
  ["a charge gets another amount than its entry", "update charge set amount_cents = amount_cents + 900, balance_cents = balance_cents + 900"],
  ["a payment is deleted while its entry stays", "delete from payment"],
  ["a charge is deleted while its entry stays", "delete from charge"],
  ["a deposit is deleted while its entry stays", "delete from bank_deposit"],
  ["the bank account becomes an income account, together with its posted lines", "update category set account_type = 'income' where code = '1000'"],
  ["the bank account gets another code", "update category set code = '9999' where code = '1000'"],
])("the service's role is refused when %s", async (_name, statement) => {
  expect(await isRefused(statement)).toBe(true);
});
