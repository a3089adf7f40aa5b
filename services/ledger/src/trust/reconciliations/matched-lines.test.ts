/** Statement lines that are matched with transactions by hand. */
import { expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { todayInOffice } from "../../../test/ledger.fixtures.ts";
import { withLockedRow } from "../../../test/lock-waiters.fixtures.ts";
import { aBankAccount } from "../trust.fixtures.ts";
import { aDraft, adjust } from "./reconciliations.fixtures.ts";

/** A draft of January of an account with interest on January 10, and uploaded lines of its statement. */
async function aMatchableDraft({ interest, rows }: { interest: number[]; rows: string[] }) {
  const office = await anOffice();
  const bankAccountId = await aBankAccount(office, "business");
  for (const cents of interest) await adjust(office, bankAccountId, "interest", cents, "2026-01-10");
  const file = new File([["Date,Amount,Description", ...rows, ""].join("\n")], "january.csv");
  const { statementLines: lines, statementUpload: upload } = await office.call("uploadStatementLines", { params: { id: bankAccountId }, body: { file } });
  const id = await aDraft(office, bankAccountId, 10_000);
  const items = await itemsOf(office, id);
  const idOf = (cents: number) => items.find(({ amountCents }) => amountCents === cents)!.transactionId;
  const clear = (line: string, ...amounts: number[]) =>
    office.attempt("clearTransactions", { params: { id }, body: { transactionIds: amounts.map(idOf), statementLineId: line } });
  return { office, bankAccountId, id, lines, upload, clear };
}

const itemsOf = async (office: Office, id: string) => (await office.call("listReconciliationItems", { params: { id }, query: {} })).items;

test("a statement line stays matched only with transactions that add up to it: a new match of one of them takes the match of all back", async () => {
  const { office, bankAccountId, id, lines, clear } = await aMatchableDraft({
    interest: [6_000, 4_000],
    rows: ["2026-01-10,100.00,Both", "2026-01-11,60.00,One"],
  });
  const [both, one] = lines.map((line) => line.id) as [string, string];
  expect((await clear(both, 6_000, 4_000)).status).toBe(200);
  expect((await clear(one, 6_000)).status).toBe(200);
  expect((await itemsOf(office, id)).map(({ amountCents, isCleared, statementLineId }) => [amountCents, isCleared, statementLineId])).toEqual(
    expect.arrayContaining([
      [6_000, true, one],
      [4_000, true, null],
    ]),
  );
  const { statementLines } = await office.call("listStatementLines", { params: { id: bankAccountId }, query: {} });
  expect(statementLines.filter(({ isMatched }) => isMatched).map((line) => line.id)).toEqual([one]);
});

test("a line whose upload is deleted meanwhile is unknown", async () => {
  const { office, bankAccountId, lines, upload, clear } = await aMatchableDraft({ interest: [6_000], rows: ["2026-01-10,60.00,One"] });
  const line = lines[0]!.id;
  const [deleted, cleared] = await withLockedRow(office, "bank_statement_line", line, async ({ waitForWaiters, release }) => {
    const deleting = office.attempt("deleteStatementUpload", { params: { id: bankAccountId, uploadId: upload.id } });
    await waitForWaiters(1);
    const clearing = clear(line, 6_000);
    await waitForWaiters(2);
    await release();
    return Promise.all([deleting, clearing]);
  });
  expect([deleted.status, cleared.status]).toEqual([200, 400]);
  expect(cleared.body.errors).toMatchObject([{ path: "statementLineId", code: "not_found" }]);
});

test("a line that the bank posted after the end of the statement belongs to a later one, also when the end is moved before it", async () => {
  const { office, id, lines, clear } = await aMatchableDraft({ interest: [6_000, 4_000], rows: ["2026-01-12,40.00,In time", "2026-03-15,60.00,Later"] });
  const [inTime, later] = lines.map((line) => line.id) as [string, string];
  const refused = await clear(later, 6_000);
  expect({ status: refused.status, errors: refused.body.errors }).toMatchObject({ status: 400, errors: [{ path: "statementLineId", code: "mismatch" }] });
  expect((await clear(inTime, 4_000)).status).toBe(200);
  await office.call("updateReconciliation", { params: { id }, body: { statementEndDate: "2026-01-11" } });
  expect((await itemsOf(office, id)).filter(({ isCleared }) => isCleared)).toMatchObject([{ amountCents: 4_000, statementLineId: null }]);
});

test("a statement ends today at the latest", async () => {
  const { office, bankAccountId, id } = await aMatchableDraft({ interest: [6_000], rows: [] });
  const isRefused = { status: 400, body: { errors: [{ path: "statementEndDate", code: "max" }] } };
  const statementEndDate = "2199-12-31";
  expect(await office.attempt("updateReconciliation", { params: { id }, body: { statementEndDate } })).toMatchObject(isRefused);
  await office.call("voidReconciliation", { params: { id }, body: { reason: "wrong" } });
  const body = { bankAccountId, statementEndDate, statementEndingBalanceCents: 0 };
  expect(await office.attempt("createReconciliation", { body })).toMatchObject(isRefused);
  expect((await office.attempt("createReconciliation", { body: { ...body, statementEndDate: todayInOffice() } })).status).toBe(200);
});
