import { beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { aCharge, aTenancy, type Tenancy } from "../../../../test/support/tenancy.ts";
import { accountIdsByCode, createEntry } from "./journal.fixtures.ts";

let office: Office;
let tenancy: Tenancy;
let accountIds: Record<string, string>;

beforeAll(async () => {
  office = await anOffice();
  accountIds = await accountIdsByCode(office);
  tenancy = await aTenancy(office);
  await createEntry(
    office,
    accountIds,
    [
      ["5010", 300],
      ["1000", -300],
    ],
    { memo: "Water", occurredAt: "2026-02-01T04:30:00Z" },
  );
  await createEntry(
    office,
    accountIds,
    [
      ["5020", 100],
      ["1000", -100],
    ],
    { memo: "Taxes 50%", occurredAt: "2026-02-01T05:00:00Z", propertyId: tenancy.propertyId },
  );
  await createEntry(
    office,
    accountIds,
    [
      ["5010", 200],
      ["3200", -200],
    ],
    { memo: "Power", occurredAt: "2026-02-02T12:00:00Z", status: "draft", propertyId: tenancy.propertyId },
  );
  await aCharge(office, tenancy.leaseId, 900);
});

const memos = async (query: Record<string, string | number> = {}) =>
  (await office.call("listJournalEntries", { query })).journalEntries.map(({ memo }) => memo);
const manualAscending = { source: "manual", sortDirection: "asc" };

describe("listJournalEntries", () => {
  test("returns all entries without paging parameters, latest first", async () => {
    const response = await office.call("listJournalEntries");
    expect(response.journalEntries.map(({ memo }) => memo)).toEqual(["Power", "Taxes 50%", "Water", "Rent"]);
    expect(response).not.toHaveProperty("total");
    expect(response).not.toHaveProperty("page");
  });

  test("returns a page with totals when paging parameters are given", async () => {
    const response = await office.call("listJournalEntries", { query: { page: 2, pageSize: 3 } });
    expect(response).toMatchObject({ page: 2, pageSize: 3, total: 4, totalPages: 2 });
    expect(response.journalEntries.map(({ memo }) => memo)).toEqual(["Rent"]);
    expect(await office.call("listJournalEntries", { query: { page: 1 } })).toMatchObject({ pageSize: 20, total: 4 });
  });

  test("filters by fields of the entry", async () => {
    expect(await memos({ status: "draft" })).toEqual(["Power"]);
    expect(await memos({ status: "posted,draft", source: "manual" })).toHaveLength(3);
    expect(await memos({ source: "charge" })).toEqual(["Rent"]);
    expect(await memos({ search: "WAT" })).toEqual(["Water"]);
    expect(await memos({ search: "50%" })).toEqual(["Taxes 50%"]);
    expect(await memos({ search: "%" })).toEqual(["Taxes 50%"]);
    expect(await memos({ ...manualAscending, minCents: 200 })).toEqual(["Water", "Power"]);
    expect(await memos({ ...manualAscending, maxCents: 100 })).toEqual(["Taxes 50%"]);
  });

  test("filters by fields of the lines of an entry, also for drafts", async () => {
    expect(await memos({ ...manualAscending, accountId: accountIds["5010"]! })).toEqual(["Water", "Power"]);
    expect(await memos({ ...manualAscending, propertyId: tenancy.propertyId })).toEqual(["Taxes 50%", "Power"]);
    expect(await memos({ accountId: accountIds["5010"]!, propertyId: tenancy.propertyId })).toEqual(["Power"]);
    expect(await memos({ unitId: tenancy.unitId })).toEqual(["Rent"]);
    expect(await memos({ ownerId: randomUUID() })).toEqual([]);
  });

  test("filters by days in the organization's time zone, including the first and the last", async () => {
    expect(await memos({ ...manualAscending, occurredBefore: "2026-01-31" })).toEqual(["Water"]);
    expect(await memos({ ...manualAscending, occurredAfter: "2026-02-01", occurredBefore: "2026-02-01" })).toEqual(["Taxes 50%"]);
    expect(await memos({ ...manualAscending, occurredAfter: "2026-02-02" })).toEqual(["Power"]);
  });

  test("sorts by amount and by creation time", async () => {
    expect(await memos({ ...manualAscending, sortBy: "debitTotalCents" })).toEqual(["Taxes 50%", "Power", "Water"]);
    expect(await memos({ ...manualAscending, sortBy: "createdAt" })).toEqual(["Water", "Taxes 50%", "Power"]);
  });

  test("filters by update time", async () => {
    const entry = await createEntry(
      office,
      accountIds,
      [
        ["5010", 1],
        ["1000", -1],
      ],
      { memo: "Later" },
    );
    const response = await office.call("listJournalEntries", { query: { source: "manual" } });
    expect(response.journalEntries).toContainEqual(entry);
    const justBefore = new Date(Date.parse(entry.createdAt) - 1).toISOString();
    expect(await memos({ updatedAfter: justBefore })).toEqual(["Later"]);
    expect(await memos({ updatedAfter: entry.createdAt })).toEqual([]);
  });

  test.each([
    ["sortBy", "memo"],
    ["status", "open"],
    ["pageSize", "101"],
    ["page", "0"],
    ["accountId", "1000"],
    ["occurredAfter", "2026-02-29"],
    ["surprise", "1"],
  ])("refuses %s = %s", async (field, value) => {
    const { status, body } = await office.attempt("listJournalEntries", { query: { [field]: value } });
    expect([status, body.errors?.[0]?.path.split(".")[0]]).toEqual([400, field]);
  });
});
