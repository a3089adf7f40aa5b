import { beforeAll, describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../test/office.ts";
import { aCharge, aTenancy, type Tenancy } from "../../../../test/tenancy.ts";
import { chartBy, writeEntry } from "./journal.fixtures.ts";

let office: Office;
let tenancy: Tenancy;
let chart: Record<string, string>;

beforeAll(async () => {
  office = await anOffice();
  chart = await chartBy(office);
  tenancy = await aTenancy(office);
  await writeEntry(
    office,
    chart,
    [
      ["5010", 300],
      ["1000", -300],
    ],
    { memo: "Water", occurredAt: "2026-02-01T04:30:00Z" },
  );
  await writeEntry(
    office,
    chart,
    [
      ["5020", 100],
      ["1000", -100],
    ],
    { memo: "Taxes 50%", occurredAt: "2026-02-01T05:00:00Z", propertyId: tenancy.propertyId },
  );
  await writeEntry(
    office,
    chart,
    [
      ["5010", 200],
      ["2000", -200],
    ],
    { memo: "Power", occurredAt: "2026-02-02T12:00:00Z", status: "draft", propertyId: tenancy.propertyId },
  );
  await aCharge(office, tenancy.leaseId, 900);
});

const memos = async (query: Record<string, string | number> = {}) =>
  (await office.call("listJournalEntries", { query })).journalEntries.map(({ memo }) => memo);
const byHand = { source: "manual", sortDirection: "asc" };

describe("listJournalEntries", () => {
  test("answers all of them when no page is asked for, latest first", async () => {
    const answer = await office.call("listJournalEntries");
    expect(answer.journalEntries.map(({ memo }) => memo)).toEqual(["Rent", "Power", "Taxes 50%", "Water"]);
    expect(answer).not.toHaveProperty("total");
    expect(answer).not.toHaveProperty("page");
  });

  test("answers a page, and where in the whole it stands, when one is asked for", async () => {
    const answer = await office.call("listJournalEntries", { query: { page: 2, pageSize: 3 } });
    expect(answer).toMatchObject({ page: 2, pageSize: 3, total: 4, totalPages: 2 });
    expect(answer.journalEntries.map(({ memo }) => memo)).toEqual(["Water"]);
    expect(await office.call("listJournalEntries", { query: { page: 1 } })).toMatchObject({ pageSize: 20, total: 4 });
  });

  test("filters by what stands in an entry", async () => {
    expect(await memos({ status: "draft" })).toEqual(["Power"]);
    expect(await memos({ status: "posted,draft", source: "manual" })).toHaveLength(3);
    expect(await memos({ source: "charge" })).toEqual(["Rent"]);
    expect(await memos({ search: "WAT" })).toEqual(["Water"]);
    expect(await memos({ search: "50%" })).toEqual(["Taxes 50%"]);
    expect(await memos({ search: "%" })).toEqual(["Taxes 50%"]);
    expect(await memos({ ...byHand, minCents: 200 })).toEqual(["Water", "Power"]);
    expect(await memos({ ...byHand, maxCents: 100 })).toEqual(["Taxes 50%"]);
  });

  test("filters by what stands in one of its lines, a draft's too", async () => {
    expect(await memos({ ...byHand, accountId: chart["5010"]! })).toEqual(["Water", "Power"]);
    expect(await memos({ ...byHand, propertyId: tenancy.propertyId })).toEqual(["Taxes 50%", "Power"]);
    expect(await memos({ accountId: chart["5010"]!, propertyId: tenancy.propertyId })).toEqual(["Power"]);
    expect(await memos({ unitId: tenancy.unitId })).toEqual(["Rent"]);
    expect(await memos({ ownerId: tenancy.unitId })).toEqual([]);
  });

  test("takes the organization's days, both included", async () => {
    expect(await memos({ ...byHand, occurredBefore: "2026-01-31" })).toEqual(["Water"]);
    expect(await memos({ ...byHand, occurredAfter: "2026-02-01", occurredBefore: "2026-02-01" })).toEqual(["Taxes 50%"]);
    expect(await memos({ ...byHand, occurredAfter: "2026-02-02" })).toEqual(["Power"]);
  });

  test("sorts by amount and by the moment of writing", async () => {
    expect(await memos({ ...byHand, sortBy: "debitTotalCents" })).toEqual(["Taxes 50%", "Power", "Water"]);
    expect(await memos({ ...byHand, sortBy: "createdAt" })).toEqual(["Water", "Taxes 50%", "Power"]);
  });

  test("answers only what changed after a moment", async () => {
    const entry = await writeEntry(
      office,
      chart,
      [
        ["5010", 1],
        ["1000", -1],
      ],
      { memo: "Later" },
    );
    const all = await office.call("listJournalEntries", { query: { source: "manual" } });
    expect(all.journalEntries).toContainEqual(entry);
    const before = new Date(Date.parse(entry.createdAt) - 1).toISOString();
    expect(await memos({ updatedAfter: before })).toEqual(["Later"]);
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
