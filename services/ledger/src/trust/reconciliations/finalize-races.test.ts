/** Finalization of a reconciliation beside other requests, and controls without its locks and its snapshot. */
import { describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import pg from "pg";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { withLockedRow } from "../../../test/lock-waiters.fixtures.ts";
import { aBankAccount } from "../trust.fixtures.ts";
import { aDraft, adjust, clearAmounts, itemsOf } from "./reconciliations.fixtures.ts";

/** Creates a draft that balances when the interest of 100 cents is cleared and that of 30 cents is not. */
async function aBalancedDraft(office: Office) {
  const bankAccountId = await aBankAccount(office, "business");
  for (const cents of [100, 30]) await adjust(office, bankAccountId, "interest", cents, "2026-01-10");
  const id = await aDraft(office, bankAccountId, 100);
  await clearAmounts(office, id, 100);
  const { items } = await office.call("listReconciliationItems", { params: { id }, query: { cleared: "false" } });
  return { bankAccountId, id, unclearedId: items[0]!.transactionId };
}

const finalize = (office: Office, id: string) => office.attempt("finalizeReconciliation", { params: { id }, body: {} });

/**
 * Runs two writers that both read the status of a draft before either of them writes, without a lock of its row: one finalizes it, the
 * other adds an item. Returns the status and the number of items.
 */
async function writeWithoutLock(): Promise<[status: string, items: number]> {
  const schema = `unlocked_${randomUUID().replaceAll("-", "")}`;
  return withOwnerConnection(await anOffice(), async (owner) => {
    await owner.query(`create schema ${schema}; create table ${schema}.reconciliation (status text); insert into ${schema}.reconciliation values ('draft');
      create table ${schema}.item (id int)`);
    const clients = [0, 1].map(() => new pg.Client({ connectionString: running().databaseUrls.ledger.owner }));
    const isDraft = async (client: pg.Client) => (await client.query(`select from ${schema}.reconciliation where status = 'draft'`)).rowCount === 1;
    try {
      await Promise.all(clients.map((client) => client.connect()));
      const [mayFinalize, mayClear] = await Promise.all(clients.map(isDraft));
      if (mayFinalize) await clients[0]!.query(`update ${schema}.reconciliation set status = 'finalized'`);
      if (mayClear) await clients[1]!.query(`insert into ${schema}.item values (1)`);
      const { rows } = await owner.query<{ status: string; items: string }>(
        `select status, (select count(*) from ${schema}.item) as items from ${schema}.reconciliation`,
      );
      return [rows[0]!.status, Number(rows[0]!.items)];
    } finally {
      await Promise.all(clients.map((client) => client.end()));
      await owner.query(`drop schema ${schema} cascade`);
    }
  });
}

describe("finalizeReconciliation", () => {
  test("succeeds once of several at the same time", async () => {
    const office = await anOffice();
    const { id } = await aBalancedDraft(office);
    const responses = await Promise.all(Array.from({ length: 6 }, () => finalize(office, id)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ status, body }) => status === 409 && body.code === "invalid_transition")).toHaveLength(5);
  });

  test("is not mixed with a clear at the same time, whichever comes first, unlike without the lock", async () => {
    const office = await anOffice();
    for (const isFinalizedFirst of [true, false]) {
      const { id, unclearedId } = await aBalancedDraft(office);
      const clear = () => office.attempt("clearTransactions", { params: { id }, body: { transactionIds: [unclearedId] } });
      const [finalized, cleared] = await withLockedRow(office, "reconciliation", id, async ({ waitForWaiters, release }) => {
        const start = isFinalizedFirst ? [() => finalize(office, id), clear] : [clear, () => finalize(office, id)];
        const first = start[0]!();
        await waitForWaiters(1);
        const second = start[1]!();
        await waitForWaiters(2);
        await release();
        const results = await Promise.all([first, second]);
        return isFinalizedFirst ? results : results.toReversed();
      });
      const { reconciliation } = await office.call("getReconciliation", { params: { id } });
      expect([finalized!.status, cleared!.status, reconciliation.status, reconciliation.clearedBalanceCents]).toEqual(
        isFinalizedFirst ? [200, 409, "finalized", 100] : [409, 200, "draft", 130],
      );
    }
    // Control: without the lock an item is added to what is finalized, otherwise the test would prove nothing.
    expect(await writeWithoutLock()).toEqual(["finalized", 1]);
  });

  test("has an entry that is posted into its days at the same time in all parts of the proof or in none", async () => {
    const office = await anOffice();
    for (let round = 0; round < 5; round++) {
      const { bankAccountId, id } = await aBalancedDraft(office);
      const postings = Array.from({ length: 4 }, (_, index) => adjust(office, bankAccountId, "interest", 1 + index, "2026-01-20"));
      const [{ status, body }] = await Promise.all([finalize(office, id), ...postings]);
      expect(status).toBe(200);
      const { bookCents, adjustedBankCents, liabilityCents, depositsInTransitCents, isBalanced } = body.reconciliation.threeWay!;
      const outstanding = (await itemsOf(office, id)).filter(([, , , isCleared]) => !isCleared).reduce((sum, [, , cents]) => sum + (cents as number), 0);
      expect([adjustedBankCents, liabilityCents, outstanding, isBalanced]).toEqual([bookCents, bookCents, depositsInTransitCents, true]);
      const next = await aDraft(office, bankAccountId, 0, "2026-02-28");
      expect((await office.call("getReconciliation", { params: { id: next } })).reconciliation.threeWay).toMatchObject({
        bookCents: 140,
        depositsInTransitCents: 40,
      });
    }
  });

  test("control: books and items that are read one after the other differ by an entry that commits between them", async () => {
    const office = await anOffice();
    const { bankAccountId } = await aBalancedDraft(office);
    const difference = await withOwnerConnection(office, async (owner) => {
      const sum = async () => {
        const { rows } = await owner.query<{ cents: string }>("select sum(debit_cents - credit_cents) as cents from journal_line where bank_account_id = $1", [
          bankAccountId,
        ]);
        return Number(rows[0]!.cents);
      };
      const books = await sum();
      await adjust(office, bankAccountId, "interest", 9, "2026-01-20");
      return (await sum()) - books;
    });
    expect(difference).toBe(9);
  });

  test("beside the void of a transaction that it clears leaves one of the two", async () => {
    const office = await anOffice();
    for (let round = 0; round < 4; round++) {
      const bankAccountId = await aBankAccount(office, "business");
      const adjustmentId = await adjust(office, bankAccountId, "interest", 100, "2026-01-10");
      const id = await aDraft(office, bankAccountId, 100);
      await clearAmounts(office, id, 100);
      const [finalized, voided] = await Promise.all([
        finalize(office, id),
        office.attempt("voidBankAdjustment", { params: { id: bankAccountId, adjustmentId }, body: { reason: "not paid" } }),
      ]);
      // A void that comes first leaves the cleared interest with a reversal that has not reached the bank.
      expect(finalized.status).toBe(200);
      expect([200, 409]).toContain(voided.status);
      const outstanding = (await itemsOf(office, id)).filter(([, , , isCleared]) => !isCleared);
      expect(outstanding).toEqual(voided.status === 200 ? [["2026-01-10", "reversal", -100, false]] : []);
    }
  });
});
