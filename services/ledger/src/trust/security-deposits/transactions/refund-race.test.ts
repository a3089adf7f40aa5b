import { expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import pg from "pg";
import { running } from "../../../../../../test/support/running.ts";
import { withOwnerConnection } from "../../../../test/ledger.fixtures.ts";
import { aDepositOffice, aLetter, aRefund, booksOf, depositOf, expectNoViolations, type DepositOffice } from "../security-deposits.fixtures.ts";

/** Control: two refunds of 150,000 that both read what is held without a lock before either of them writes. Returns what is held after them. */
async function refundWithoutLocks({ office }: DepositOffice): Promise<number> {
  const schema = `unlocked_${randomUUID().replaceAll("-", "")}`;
  return withOwnerConnection(office, async (owner) => {
    await owner.query(`create schema ${schema}; create table ${schema}.deposit (cents int not null); insert into ${schema}.deposit values (150000)`);
    const clients = [0, 1].map(() => new pg.Client({ connectionString: running().databaseUrls.ledger.owner }));
    try {
      await Promise.all(clients.map((client) => client.connect()));
      const read = await Promise.all(clients.map((client) => client.query<{ cents: number }>(`select cents from ${schema}.deposit`)));
      for (const [index, client] of clients.entries())
        if (read[index]!.rows[0]!.cents >= 150_000) await client.query(`update ${schema}.deposit set cents = cents - 150000`);
      return (await owner.query<{ cents: number }>(`select cents from ${schema}.deposit`)).rows[0]!.cents;
    } finally {
      await Promise.all(clients.map((client) => client.end()));
      await owner.query(`drop schema ${schema} cascade`);
    }
  });
}

test("concurrent refunds of the same deposit succeed once, unlike those that read what is held before they lock it", async () => {
  const deposit = await aDepositOffice();
  const { office, escrow, id } = deposit;
  const params = { id };
  await office.call("updateSecurityDeposit", { params, body: { moveOutDate: "2026-02-20" } });
  await office.call("finalizeSecurityDeposit", { params, body: aLetter });
  const refund = () => office.attempt("refundSecurityDeposit", { params, body: aRefund(150_000, escrow) });
  const statuses = (await Promise.all(Array.from({ length: 6 }, refund))).map(({ status }) => status);
  expect([statuses.filter((status) => status === 200).length, statuses.filter((status) => status === 409).length]).toEqual([1, 5]);
  expect(await depositOf(deposit)).toMatchObject({ status: "refunded", heldCents: 0, refundedCents: 150_000 });
  expect((await booksOf(deposit)).totals).toEqual([0, 0, 0]);
  await expectNoViolations(office);
  expect(await refundWithoutLocks(deposit)).toBe(-150_000);
});
