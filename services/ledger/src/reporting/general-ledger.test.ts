import { beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { aPayment, aTenancy, type Tenancy } from "../../../../test/support/tenancy.ts";
import { accountIdsByCode, createEntry, type SignedLine } from "../journal/journal.fixtures.ts";

let office: Office;
let tenancy: Tenancy;
let accountIds: Record<string, string>;

/** Deposits to and withdrawals from the bank by day, in the order in which they are posted. */
const movements: [day: string, cents: number][] = [
  ["2026-01-31", 1_000],
  ["2026-03-15", 40],
  ["2026-01-15", 200],
  ["2026-02-01", -30],
  ["2026-02-28", 5],
  ["2026-02-01", 7],
  ["2026-04-01", -100],
  ["2026-02-01", -2],
];
const byDay = movements.map(([day, cents], index) => ({ day, cents, index })).sort((a, b) => (a.day === b.day ? a.index - b.index : a.day < b.day ? -1 : 1));

beforeAll(async () => {
  office = await anOffice();
  accountIds = await accountIdsByCode(office);
  tenancy = await aTenancy(office);
  for (const [day, cents] of movements) {
    const lines: SignedLine[] = [
      ["1000", cents],
      ["3100", -cents],
    ];
    await createEntry(office, accountIds, lines, { memo: `Of ${day}`, occurredAt: `${day}T12:00:00Z`, ...(cents > 100 && { propertyId: tenancy.propertyId }) });
  }
  const { charge } = await office.call("createCharge", { body: { leaseId: tenancy.leaseId, amountCents: 900, dueDate: "2026-02-10", chargeType: "rent" } });
  const allocations = [{ chargeId: charge.id, amountCents: 600 }];
  await office.call("recordPayment", { body: { ...aPayment(tenancy, 700), allocations, receivedAt: "2026-03-05T15:00:00.000Z" } });
});

const all = { from: "2026-01-01", to: "2026-12-31" };
const read = (query: Record<string, string | number>) => office.call("listGeneralLedger", { query: { ...all, ...query } });
type Ledger = Awaited<ReturnType<typeof read>>;
const rows = ({ entries }: Ledger) => entries.map(({ date, debitCents, creditCents, balanceCents }) => [date, debitCents - creditCents, balanceCents]);

/** Returns the expected rows of the bank account between two days. */
function expectedRows(from: string, to: string) {
  let balanceCents = 0;
  return byDay
    .map(({ day, cents }) => [day, cents, (balanceCents += cents)] as const)
    .filter(([day]) => day >= from && day <= to)
    .map((row) => [...row]);
}

describe("listGeneralLedger", () => {
  test.each([
    ["2026-01-01", "2026-12-31", 0, 1_120],
    ["2026-01-16", "2026-02-01", 200, 1_175],
    ["2026-02-01", "2026-02-28", 1_200, 1_180],
    ["2026-02-02", "2026-03-31", 1_175, 1_220],
    ["2026-02-01", "2026-02-01", 1_200, 1_175],
    ["2026-05-10", "2026-06-20", 1_120, 1_120],
    ["2025-01-01", "2025-12-31", 0, 0],
  ])("from %s to %s has the lines by date, the balance after each, and the balances before and after", async (from, to, opening, closing) => {
    for (const basis of ["accrual", "cash"]) {
      const ledger = await read({ accountId: accountIds["1000"]!, from, to, basis });
      expect(rows(ledger)).toEqual(expectedRows(from, to));
      expect([ledger.total, ledger.openingBalanceCents, ledger.closingBalanceCents]).toEqual([expectedRows(from, to).length, opening, closing]);
    }
  });

  test.each([1, 2, 3, 7])("in pages of %i repeats and skips no line, and the balance continues", async (pageSize) => {
    for (const from of ["2026-01-01", "2026-01-16"]) {
      const expected = expectedRows(from, "2026-12-31");
      const pages = [];
      for (let page = 1; page <= Math.ceil(expected.length / pageSize); page++)
        pages.push(await read({ accountId: accountIds["1000"]!, from, page, pageSize }));
      expect(pages.flatMap(rows)).toEqual(expected);
      expect(new Set(pages.map(({ total, totalPages }) => `${total} ${totalPages}`))).toEqual(
        new Set([`${expected.length} ${Math.ceil(expected.length / pageSize)}`]),
      );
    }
    const past = await read({ accountId: accountIds["1000"]!, page: 99, pageSize });
    expect([past.entries, past.total, past.closingBalanceCents]).toEqual([[], byDay.length, 1_120]);
  });

  test("without an account lists the lines of all accounts, each with the running balance of its account", async () => {
    const { entries, total, openingBalanceCents, closingBalanceCents } = await read({ pageSize: 100 });
    expect([entries.length, total, openingBalanceCents, closingBalanceCents]).toEqual([2 * movements.length + 5, 2 * movements.length + 5, 0, 0]);
    expect(entries.map(({ date, id }) => `${date} ${id}`)).toEqual(entries.map(({ date, id }) => `${date} ${id}`).sort());
    const lastBalances = Object.fromEntries(entries.map(({ accountCode, balanceCents }) => [accountCode, balanceCents]));
    expect(lastBalances).toEqual({ "1000": 1_120, "1050": 700, "1100": 300, "2150": -100, "3100": -1_120, "4000": -900 });
    const paged = await Promise.all([1, 2, 3].map((page) => read({ page, pageSize: 8 })));
    expect(paged.flatMap((page) => page.entries)).toEqual(entries);
  });

  test("has the entry, the account and the dimensions of a line", async () => {
    const { entries } = await read({ accountId: accountIds["1100"]! });
    const { propertyId, unitId, leaseId, tenantId } = tenancy;
    const dimensions = { propertyId, unitId, leaseId, tenantId, ownerId: null };
    expect(entries).toMatchObject([
      { date: "2026-02-10", accountCode: "1100", accountName: "Accounts receivable", debitCents: 900, creditCents: 0, balanceCents: 900, ...dimensions },
      { date: "2026-03-05", description: "Payment", debitCents: 0, creditCents: 600, balanceCents: 300, ...dimensions },
    ]);
    const { journalEntry } = await office.call("getJournalEntry", { params: { id: entries[0]!.journalEntryId } });
    expect([journalEntry.source, journalEntry.memo]).toEqual(["charge", entries[0]!.memo]);
  });

  test("on the cash basis has income when it is received, under the account that was settled", async () => {
    const income = async (basis: string) => rows(await read({ accountId: accountIds["4000"]!, basis }));
    expect([await income("accrual"), await income("cash")]).toEqual([[["2026-02-10", -900, -900]], [["2026-03-05", -600, -600]]]);
    expect((await read({ accountId: accountIds["1100"]!, basis: "cash" })).total).toBe(0);
  });

  test("filters by property, with the balance of these lines alone", async () => {
    const ledger = await read({ accountId: accountIds["1000"]!, propertyId: tenancy.propertyId });
    expect(rows(ledger)).toEqual([
      ["2026-01-15", 200, 200],
      ["2026-01-31", 1_000, 1_200],
    ]);
    const later = await read({ accountId: accountIds["1000"]!, propertyId: tenancy.propertyId, from: "2026-01-20", pageSize: 1 });
    expect([rows(later), later.openingBalanceCents, later.closingBalanceCents]).toEqual([[["2026-01-31", 1_000, 1_200]], 200, 1_200]);
    const pages = await Promise.all([1, 2, 3, 4].map((page) => read({ propertyId: tenancy.propertyId, pageSize: 3, page })));
    expect(pages.flatMap((page) => page.entries)).toEqual((await read({ propertyId: tenancy.propertyId })).entries);
    expect((await read({ propertyId: randomUUID() })).total).toBe(0);
    expect((await read({ ownerId: randomUUID() })).total).toBe(0);
  });

  test("requires a period that does not end before it starts", async () => {
    const errorFor = async (query: Record<string, string>) => {
      const { status, body } = await office.attempt("listGeneralLedger", { query });
      return [status, body.errors?.map(({ path }) => path)];
    };
    expect(await errorFor({ from: "2026-02-02", to: "2026-02-01" })).toEqual([400, ["to"]]);
    expect(await errorFor({})).toEqual([400, ["from", "to"]]);
    expect(await errorFor({ ...all, pageSize: "101" })).toEqual([400, ["pageSize"]]);
  });
});
