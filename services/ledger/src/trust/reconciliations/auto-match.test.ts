import { describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { aFundedProperty } from "../../payables/payables.fixtures.ts";
import { approvePayouts, aPayingOffice, draftPayouts } from "../../owners/owners.fixtures.ts";
import { aLetter, aReceivedDeposit, aRefund } from "../security-deposits/security-deposits.fixtures.ts";
import { aBankAccount } from "../trust.fixtures.ts";
import { aDraft, adjust, payByCheck } from "./reconciliations.fixtures.ts";

const upload = (office: Office, id: string, rows: readonly string[]) =>
  office.call("uploadStatementLines", {
    params: { id },
    body: { file: new File([`Date,Amount,Description,Check number\n${rows.join("\n")}\n`], "january.csv") },
  });
const match = async (office: Office, id: string, body: object = {}) => (await office.call("autoMatchReconciliation", { params: { id }, body })).autoMatch;

/** Returns the cleared items of a reconciliation as `[date, cents, reason, description of the line]`. */
async function matchesOf(office: Office, bankAccountId: string, id: string) {
  const [{ items }, { statementLines }] = await Promise.all([
    office.call("listReconciliationItems", { params: { id }, query: { cleared: "true", pageSize: "100" } }),
    office.call("listStatementLines", { params: { id: bankAccountId }, query: { pageSize: "100" } }),
  ]);
  const lines = new Map(statementLines.map((line) => [line.id, line.description]));
  return items.map((item) => [item.date, item.amountCents, item.matchReason, lines.get(item.statementLineId!)]);
}

describe("autoMatchReconciliation", () => {
  test("matches by reference, by day, within the window, and one line with all transactions of a day", async () => {
    const office = await anOffice();
    const bankAccountId = await aBankAccount(office);
    const tenancy = await aFundedProperty(office, 100_000, bankAccountId);
    await payByCheck(office, tenancy, 500, { day: 7, number: "1001" });
    await payByCheck(office, tenancy, 500, { day: 7, number: "1002" });
    await adjust(office, bankAccountId, "interest", 70, "2026-01-15");
    await adjust(office, bankAccountId, "interest", 71, "2026-01-20");
    for (const cents of [10, 20, 30]) await adjust(office, bankAccountId, "interest", cents, "2026-01-25");
    await upload(office, bankAccountId, [
      "2026-01-06,1000.00,Deposit of rent,",
      "2026-01-30,-5.00,Second check, 001002",
      "2026-01-28,-5.00,First check,1001",
      "2026-01-15,0.70,Interest on the day,",
      "2026-01-24,0.71,Interest four days later,",
      "2026-01-26,0.60,Interest of a day,",
      "2026-01-27,12.34,Not in the books,",
    ]);
    const id = await aDraft(office, bankAccountId, 99_201);
    expect(await match(office, id)).toEqual({
      matchedLines: 6,
      matchedTransactions: 8,
      unmatchedLines: 1,
      byReason: [
        { reason: "reference", matchedLines: 2 },
        { reason: "same_day", matchedLines: 2 },
        { reason: "date_window", matchedLines: 1 },
        { reason: "day_total", matchedLines: 1 },
      ],
    });
    expect(await matchesOf(office, bankAccountId, id)).toEqual([
      ["2026-01-06", 100_000, "same_day", "Deposit of rent"],
      ["2026-01-07", -500, "reference", "First check"],
      ["2026-01-07", -500, "reference", "Second check"],
      ["2026-01-15", 70, "same_day", "Interest on the day"],
      ["2026-01-20", 71, "date_window", "Interest four days later"],
      ["2026-01-25", 10, "day_total", "Interest of a day"],
      ["2026-01-25", 20, "day_total", "Interest of a day"],
      ["2026-01-25", 30, "day_total", "Interest of a day"],
    ]);
    expect(await match(office, id)).toMatchObject({ matchedLines: 0, unmatchedLines: 1 });
    const { statementLines } = await office.call("listStatementLines", { params: { id: bankAccountId }, query: { isMatched: "false" } });
    expect(statementLines.map(({ description }) => description)).toEqual(["Not in the books"]);
    expect((await office.call("finalizeReconciliation", { params: { id }, body: {} })).reconciliation.differenceCents).toBe(0);
  });

  test("tells payouts to owners of one amount and day apart by the numbers of their checks, and refunds of security deposits too", async () => {
    const { office, propertyId, bankAccountId } = await aPayingOffice();
    const payouts = await draftPayouts(office, { propertyIds: [propertyId] });
    await approvePayouts(office, payouts);
    for (const [index, { id }] of payouts.entries())
      await office.call("payOwnerPayable", { params: { id }, body: { paidAt: "2026-02-03T17:00:00.000Z", referenceNumber: `200${index + 1}` } });
    const tenancy = await aTenancy(office);
    const depositId = await aReceivedDeposit(office, tenancy, bankAccountId);
    await office.call("updateSecurityDeposit", { params: { id: depositId }, body: { moveOutDate: "2026-01-31" } });
    await office.call("finalizeSecurityDeposit", { params: { id: depositId }, body: { ...aLetter, sentAt: "2026-02-03T17:00:00.000Z" } });
    for (const number of ["3001", "3002"])
      await office.call("refundSecurityDeposit", {
        params: { id: depositId },
        body: { ...aRefund(40_000, bankAccountId), paidAt: "2026-02-03T17:00:00.000Z", referenceNumber: number },
      });
    await upload(office, bankAccountId, [
      "2026-02-20,-500.00,Second owner,2002",
      "2026-02-21,-500.00,First owner,2001",
      "2026-02-20,-400.00,Second refund,3002",
      "2026-02-21,-400.00,First refund,3001",
    ]);
    const id = await aDraft(office, bankAccountId, 0, "2026-02-28");
    expect(await match(office, id)).toMatchObject({ matchedLines: 4, unmatchedLines: 0, byReason: [{ reason: "reference", matchedLines: 4 }] });
    const matches = (await matchesOf(office, bankAccountId, id)).map(([, cents, , line]) => `${line}: ${cents}`);
    expect(matches.toSorted()).toEqual(["First owner: -50000", "First refund: -40000", "Second owner: -50000", "Second refund: -40000"]);
  });

  test("leaves what is ambiguous: two lines for a transaction, two transactions for a line, and what is outside of the window", async () => {
    const office = await anOffice();
    const bankAccountId = await aBankAccount(office, "business");
    await adjust(office, bankAccountId, "interest", 100, "2026-01-05");
    for (const day of ["2026-01-05", "2026-01-08"]) await adjust(office, bankAccountId, "interest", 200, day);
    await adjust(office, bankAccountId, "interest", 300, "2026-01-05");
    await upload(office, bankAccountId, ["2026-01-06,1.00,One,", "2026-01-07,1.00,Other,", "2026-01-07,2.00,Either,", "2026-01-11,3.00,Late,"]);
    const id = await aDraft(office, bankAccountId, 0);
    expect(await match(office, id)).toEqual({ matchedLines: 0, matchedTransactions: 0, unmatchedLines: 4, byReason: [] });
    expect((await match(office, id, { dateWindowDays: 6 })).byReason).toEqual([{ reason: "date_window", matchedLines: 1 }]);
    expect(await matchesOf(office, bankAccountId, id)).toEqual([["2026-01-05", 300, "date_window", "Late"]]);
    const { reconciliation } = await office.call("voidReconciliation", { params: { id }, body: { reason: "again" } });
    expect(reconciliation.status).toBe("voided");
    expect((await office.call("listStatementLines", { params: { id: bankAccountId }, query: { isMatched: "true" } })).statementLines).toEqual([]);
  });

  test("matches ten thousand lines, and leaves ten thousand of one amount and day", async () => {
    const LINES = 10_000;
    const office = await anOffice();
    const bankAccountId = await aBankAccount(office, "business");
    const dayOf = (index: number) => `2026-01-${String(1 + (index % 28)).padStart(2, "0")}`;
    await insertInterest(office, bankAccountId, LINES);
    const rows = Array.from({ length: LINES }, (_, index) => `${dayOf(index)},${((1_000 + index) / 100).toFixed(2)},Interest ${index},`);
    const equal = Array.from({ length: LINES }, () => "2026-01-31,0.01,Equal,");
    const { statementUpload } = await upload(office, bankAccountId, [...rows, ...equal]);
    expect(statementUpload).toMatchObject({ lineCount: 2 * LINES, addedCount: 2 * LINES, repeatedCount: 0 });
    const id = await aDraft(office, bankAccountId, 0);
    expect(await match(office, id)).toEqual({
      matchedLines: LINES,
      matchedTransactions: LINES,
      unmatchedLines: LINES,
      byReason: [{ reason: "same_day", matchedLines: LINES }],
    });
  });
});

/**
 * Inserts entries of interest with amounts of 1,000 cents and more, one after the other on the days 1 to 28 of January, and as many of one
 * cent on the last day, for which the API would take a request each.
 */
const insertInterest = (office: Office, bankAccountId: string, count: number): Promise<unknown> =>
  withOwnerConnection(office, (client) =>
    client.query(
      `with entry as (select gen_random_uuid() as id, case when n < $3 then 1000 + n else 1 end as cents, case when n < $3 then date '2026-01-01' + n % 28 else date '2026-01-31' end as day
          from generate_series(0, 2 * $3::int - 1) n),
        posted as (insert into journal_entry (organization_id, id, created_at, updated_at, memo, occurred_at, entry_date, status, source, debit_total_cents, credit_total_cents)
          select $1, id, now(), now(), 'Interest', day, day, 'posted', 'manual', cents, cents from entry)
        insert into journal_line (organization_id, id, entry_id, account_id, cash_account_id, entry_date, debit_cents, credit_cents, bank_account_id)
          select $1, gen_random_uuid(), entry.id, c.id, c.id, entry.day, case when c.is_bank then cents else 0 end, case when c.is_bank then 0 else cents end,
            case when c.is_bank then $2::uuid end
          from entry, category c where c.organization_id = $1 and c.code in ('1090', '4090')`,
      [office.organizationId, bankAccountId, count],
    ),
  );
