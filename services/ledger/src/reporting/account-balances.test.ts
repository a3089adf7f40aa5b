import { beforeAll, describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { aPayment, aTenancy, type Tenancy, postControlEntry } from "../../../../test/support/tenancy.ts";
import { accountIdsByCode, createEntry } from "../journal/journal.fixtures.ts";

let office: Office;
let a: Tenancy;
let b: Tenancy;
let ownerId: string;

beforeAll(async () => {
  office = await anOffice();
  [a, b] = [await aTenancy(office), await aTenancy(office)];
  ownerId = (await office.call("createOwner", { body: { fullName: "Olga Owner", email: "olga@example.com" } })).owner.id;
  const charge = async ({ leaseId }: Tenancy, amountCents: number) =>
    (await office.call("createCharge", { body: { leaseId, amountCents, dueDate: "2026-02-10", chargeType: "rent" } })).charge.id;
  const chargeId = await charge(a, 900);
  await charge(b, 400);
  await office.call("recordPayment", {
    body: { ...aPayment(a, 600), allocations: [{ chargeId, amountCents: 600 }], receivedAt: "2026-03-05T15:00:00.000Z" },
  });
  await createEntry(office, await accountIdsByCode(office), [
    ["1000", 50],
    ["3100", -50],
  ]);
  await postControlEntry(office, { debit: "1000", credit: "2200", amountCents: 70, ownerId, date: "2026-02-01" });
});

const list = async (query: Record<string, string>) => (await office.call("listAccountBalances", { query })).balances;
const byCode = async (query: Record<string, string>) =>
  Object.fromEntries((await list(query)).map(({ accountCode, balanceCents }) => [accountCode, balanceCents]));

describe("listAccountBalances", () => {
  test.each([
    ["2026-01-31", "accrual", {}],
    ["2026-02-01", "accrual", { "1000": 120, "2200": -70, "3100": -50 }],
    ["2026-02-10", "accrual", { "1000": 120, "1100": 1_300, "2200": -70, "3100": -50, "4000": -1_300 }],
    ["2026-02-10", "cash", { "1000": 120, "2200": -70, "3100": -50 }],
    ["2026-03-05", "accrual", { "1000": 120, "1050": 600, "1100": 700, "2200": -70, "3100": -50, "4000": -1_300 }],
    ["2026-03-05", "cash", { "1000": 120, "1050": 600, "2200": -70, "3100": -50, "4000": -600 }],
  ])("as of %s on the %s basis are the nonzero balances, as in the trial balance", async (asOf, basis, expected) => {
    expect(await byCode({ asOf, basis })).toEqual(expected);
    const { trialBalance } = await office.call("getTrialBalance", { query: { asOf, basis } });
    const nonzero = trialBalance.rows.filter(({ closingCents }) => closingCents !== 0);
    expect(Object.fromEntries(nonzero.map(({ accountCode, closingCents }) => [accountCode, closingCents]))).toEqual(expected);
  });

  test("by property, unit or owner are the balances of each group, with lines without a group last", async () => {
    const grouped = async (groupBy: "property" | "unit" | "owner", query = {}) =>
      (await list({ asOf: "2026-03-05", groupBy, ...query })).map((row) => [row.accountCode, row[`${groupBy}Id`], row.balanceCents]);
    const receivables = { "1100": [] as unknown[], "4000": [] as unknown[] };
    for (const [code, group, cents] of await grouped("property")) if (code === "1100" || code === "4000") receivables[code].push([group, cents]);
    expect(receivables["1100"]).toEqual(
      expect.arrayContaining([
        [a.propertyId, 300],
        [b.propertyId, 400],
      ]),
    );
    expect(receivables["4000"]).toEqual(
      expect.arrayContaining([
        [a.propertyId, -900],
        [b.propertyId, -400],
      ]),
    );
    const unitsOfIncome = (await grouped("unit", { basis: "cash" })).filter(([code]) => code === "4000");
    expect(unitsOfIncome).toEqual([["4000", a.unitId, -600]]);
    expect((await grouped("owner")).filter(([code]) => code === "1000" || code === "2200")).toEqual([
      ["1000", ownerId, 70],
      ["1000", null, 50],
      ["2200", ownerId, -70],
    ]);
  });

  test("of one account, in pages", async () => {
    const [receivable] = (await list({ asOf: "2026-03-05" })).filter(({ accountCode }) => accountCode === "1100");
    const query = { asOf: "2026-03-05", groupBy: "property", accountId: receivable!.accountId };
    const pages = await Promise.all([1, 2, 3].map((page) => office.call("listAccountBalances", { query: { ...query, page, pageSize: 1 } })));
    expect(pages.map(({ balances, total, totalPages }) => [balances.length, total, totalPages])).toEqual([
      [1, 2, 2],
      [1, 2, 2],
      [0, 2, 2],
    ]);
    expect(pages.flatMap(({ balances }) => balances)).toEqual(await list(query));
    expect((await office.call("listAccountBalances", { query })).total).toBeUndefined();
  });

  test("default to today on the accrual basis", async () => {
    expect(await list({})).toEqual(await list({ asOf: "2199-12-31", basis: "accrual", groupBy: "account" }));
  });
});
