import { beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy } from "../../../../test/support/tenancy.ts";
import { accountIdsByCode, createEntry, entryBody, type SignedLine } from "../journal/journal.fixtures.ts";
import { aContribution, anOwnedProperty, anOwner } from "../owners/owners.fixtures.ts";

/** Returns the nonzero rows as [opening, debit, credit, closing] by account code, and checks the totals. */
async function trialBalanceRows(office: Office, query: Record<string, string> = {}): Promise<Record<string, number[]>> {
  const { trialBalance } = await office.call("getTrialBalance", { query });
  const { rows, debitTotalCents, creditTotalCents, isBalanced } = trialBalance;
  const sum = (pick: (row: (typeof rows)[number]) => number) => rows.reduce((total, row) => total + pick(row), 0);
  expect([isBalanced, sum((row) => row.openingCents), sum((row) => row.closingCents)]).toEqual([true, 0, 0]);
  expect([debitTotalCents, creditTotalCents]).toEqual([sum((row) => row.debitCents), sum((row) => row.creditCents)]);
  expect(debitTotalCents).toBe(creditTotalCents);
  return Object.fromEntries(
    rows
      .map((row): [string, number[]] => [row.accountCode, [row.openingCents, row.debitCents, row.creditCents, row.closingCents]])
      .filter(([, amounts]) => amounts.some((amountCents) => amountCents !== 0)),
  );
}
const closingBalances = async (office: Office, query: Record<string, string> = {}) =>
  Object.fromEntries(
    Object.entries(await trialBalanceRows(office, query))
      .map(([code, amounts]) => [code, amounts[3]!] as const)
      .filter(([, closingCents]) => closingCents !== 0),
  );

describe("getTrialBalance", () => {
  let office: Office;

  beforeAll(async () => {
    office = await anOffice();
    const accountIds = await accountIdsByCode(office);
    const post = (occurredAt: string, debit: string, credit: string, amountCents: number) =>
      createEntry(
        office,
        accountIds,
        [
          [debit, amountCents],
          [credit, -amountCents],
        ],
        { occurredAt },
      );
    await post("2026-01-15T12:00:00Z", "1000", "3100", 100);
    // The end of January and the start of February in New York.
    await post("2026-02-01T04:59:59.999Z", "5010", "1000", 7);
    await post("2026-02-01T05:00:00.000Z", "5010", "1000", 30);
    await post("2026-02-28T12:00:00Z", "5010", "1000", 5);
    await post("2026-03-01T12:00:00Z", "1000", "4090", 40);
  });

  test("has a row for every account", async () => {
    const { trialBalance } = await office.call("getTrialBalance", { query: { asOf: "2026-01-31" } });
    const { categories } = await office.call("listCategories");
    expect(trialBalance).toMatchObject({ asOf: "2026-01-31", basis: "accrual" });
    expect(trialBalance.rows.map(({ accountCode }) => accountCode)).toEqual(categories.map(({ code }) => code));
  });

  test.each([
    ["2026-01-14", {}],
    ["2026-01-15", { "1000": 100, "3100": -100 }],
    ["2026-01-31", { "1000": 93, "3100": -100, "5010": 7 }],
    ["2026-02-01", { "1000": 63, "3100": -100, "5010": 37 }],
    ["2026-02-27", { "1000": 63, "3100": -100, "5010": 37 }],
    ["2026-02-28", { "1000": 58, "3100": -100, "5010": 42 }],
    ["2026-03-01", { "1000": 98, "3100": -100, "4090": -40, "5010": 42 }],
  ])("as of %s includes entries up to that day in the organization's time zone", async (asOf, expected) => {
    expect(await closingBalances(office, { asOf })).toEqual(expected);
  });

  test.each([
    ["2026-02-01", "2026-02-28", { "1000": [93, 0, 35, 58], "3100": [-100, 0, 0, -100], "5010": [7, 35, 0, 42] }],
    ["2026-01-01", "2026-03-31", { "1000": [0, 140, 42, 98], "3100": [0, 0, 100, -100], "4090": [0, 0, 40, -40], "5010": [0, 42, 0, 42] }],
    ["2026-01-16", "2026-02-27", { "1000": [100, 0, 37, 63], "3100": [-100, 0, 0, -100], "5010": [0, 37, 0, 37] }],
    ["2026-02-28", "2026-03-01", { "1000": [63, 40, 5, 98], "3100": [-100, 0, 0, -100], "4090": [0, 0, 40, -40], "5010": [37, 5, 0, 42] }],
    ["2026-02-28", "2026-02-28", { "1000": [63, 0, 5, 58], "3100": [-100, 0, 0, -100], "5010": [37, 5, 0, 42] }],
    ["2026-04-10", "2026-05-20", { "1000": [98, 0, 0, 98], "3100": [-100, 0, 0, -100], "4090": [-40, 0, 0, -40], "5010": [42, 0, 0, 42] }],
  ])("from %s to %s returns opening balances and movements, also for partial months", async (from, to, expected) => {
    expect(await trialBalanceRows(office, { from, to })).toEqual(expected);
    // Manual entries are the same on the cash basis, which has totals of its own.
    expect(await trialBalanceRows(office, { from, to, basis: "cash" })).toEqual(expected);
  });

  test("refuses a period that ends before it starts, and invalid dates", async () => {
    const errorFor = async (query: Record<string, string>) => {
      const { status, body } = await office.attempt("getTrialBalance", { query });
      return [status, body.errors?.[0]?.path];
    };
    expect(await errorFor({ from: "2026-02-02", to: "2026-02-01" })).toEqual([400, "from"]);
    expect(await errorFor({ asOf: "2026-02-29" })).toEqual([400, "asOf"]);
    expect(await errorFor({ basis: "tax" })).toEqual([400, "basis"]);
  });

  test("has no nonzero row for an organization without entries", async () => expect(await trialBalanceRows(await anOffice())).toEqual({}));
});

describe("getTrialBalance by basis", () => {
  test("differs by amounts earned but not received; a reversal removes a payment from both bases", async () => {
    const office = await anOffice();
    const tenancy = await aTenancy(office);
    const byBasis = async (query: Record<string, string> = {}) => ({
      accrual: await closingBalances(office, query),
      cash: await closingBalances(office, { ...query, basis: "cash" }),
    });

    const rentChargeId = await aCharge(office, tenancy.leaseId, 1_000);
    expect(await byBasis()).toEqual({ accrual: { "1100": 1_000, "4000": -1_000 }, cash: {} });

    const { payment } = await office.call("recordPayment", {
      body: { ...aPayment(tenancy, 700), allocations: [{ chargeId: rentChargeId, amountCents: 600 }] },
    });
    expect(await byBasis()).toEqual({
      accrual: { "1050": 700, "1100": 400, "2150": -100, "4000": -1_000 },
      cash: { "1050": 700, "2150": -100, "4000": -600 },
    });

    await office.call("allocatePayment", { params: { id: payment.id }, body: { allocations: [{ chargeId: rentChargeId, amountCents: 100 }] } });
    expect(await byBasis()).toEqual({ accrual: { "1050": 700, "1100": 300, "4000": -1_000 }, cash: { "1050": 700, "4000": -700 } });

    const { charge: deposit } = await office.call("createCharge", {
      body: { leaseId: tenancy.leaseId, amountCents: 500, dueDate: "2026-01-01", chargeType: "deposit" },
    });
    await office.call("recordPayment", { body: { ...aPayment(tenancy, 200), allocations: [{ chargeId: deposit.id, amountCents: 200 }] } });
    const withDeposit = {
      accrual: { "1050": 900, "1100": 600, "2100": -200, "2110": -300, "4000": -1_000 },
      cash: { "1050": 900, "2100": -200, "4000": -700 },
    };
    expect(await byBasis()).toEqual(withDeposit);
    expect(await byBasis({ propertyId: tenancy.propertyId })).toEqual(withDeposit);
    expect(await byBasis({ propertyId: randomUUID() })).toEqual({ accrual: {}, cash: {} });

    await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "nsf" } });
    expect(await byBasis()).toEqual({
      accrual: { "1050": 200, "1100": 1_300, "2100": -200, "2110": -300, "4000": -1_000 },
      cash: { "1050": 200, "2100": -200 },
    });
  });
});

describe("getTrialBalance by owner", () => {
  test("has the lines that name the owner, on both bases, and neither the rent of the owner's properties nor other owners' lines", async () => {
    const office = await anOffice();
    const [ann, ben] = [await anOwner(office, "Ann"), await anOwner(office, "Ben")];
    const shares = { [ann]: 5_000, [ben]: 5_000 };
    const { propertyId, bankAccountId } = await anOwnedProperty(office, { rentCents: 1_000, shares });
    for (const [id, cents] of [
      [ann, 250],
      [ben, 70],
    ] as const)
      await office.call("createOwnerContribution", { params: { id }, body: aContribution(propertyId, bankAccountId, cents) });

    expect(await closingBalances(office)).toMatchObject({ "3100": -320, "4000": -1_000 });
    for (const basis of ["accrual", "cash"]) {
      expect(await closingBalances(office, { basis, ownerId: ann })).toEqual({ "1000": 250, "3100": -250 });
      expect(await closingBalances(office, { basis, ownerId: ann, asOf: "2026-01-07" })).toEqual({});
      expect(await closingBalances(office, { basis, ownerId: ben, propertyId })).toEqual({ "1000": 70, "3100": -70 });
    }
    expect(await closingBalances(office, { ownerId: randomUUID() })).toEqual({});
  });

  test("is not balanced when an entry names the owner in some of its lines only", async () => {
    const office = await anOffice();
    const ownerId = await anOwner(office);
    const signedLines: SignedLine[] = [
      ["5010", 30],
      ["3200", -30],
    ];
    const entry = entryBody(await accountIdsByCode(office), signedLines);
    const lines = entry.lines.map((line, index) => (index === 0 ? { ...line, ownerId } : line));
    await office.call("createJournalEntry", { body: { ...entry, lines } });
    const { trialBalance } = await office.call("getTrialBalance", { query: { ownerId } });
    const nonzero = trialBalance.rows.filter(({ closingCents }) => closingCents !== 0).map(({ accountCode, closingCents }) => [accountCode, closingCents]);
    expect([trialBalance.isBalanced, nonzero]).toEqual([false, [["5010", 30]]]);
    expect(await closingBalances(office)).toEqual({ "3200": -30, "5010": 30 });
  });
});

describe("listCategoryRollups", () => {
  test("returns the net amount of each account by its normal balance, and names the successor operation", async () => {
    const office = await anOffice();
    const accountIds = await accountIdsByCode(office);
    const { propertyId } = await aTenancy(office);
    await createEntry(
      office,
      accountIds,
      [
        ["1000", 50],
        ["5010", 20],
        ["4090", -70],
      ],
      { propertyId },
    );
    await createEntry(office, accountIds, [
      ["5010", 10],
      ["3200", -10],
    ]);
    await createEntry(
      office,
      accountIds,
      [
        ["4090", 5],
        ["1000", -5],
      ],
      { occurredAt: "2026-02-02T12:00:00Z" },
    );
    await createEntry(
      office,
      accountIds,
      [
        ["1000", 99],
        ["4090", -99],
      ],
      { status: "draft" },
    );
    const listRollups = async (query: Record<string, string>) => {
      const { body, headers } = await office.attempt("listCategoryRollups", { query });
      return {
        headers,
        rollups: Object.fromEntries(body.rollups.map(({ categoryCode, ...rollup }) => [categoryCode, [rollup.transactionCount, rollup.netAmountCents]])),
      };
    };
    const february = { startDate: "2026-02-01", endDate: "2026-02-28" };
    const { rollups, headers } = await listRollups(february);
    expect(rollups).toEqual({ "1000": [2, 45], "3200": [1, 10], "4090": [2, 65], "5010": [2, 30] });
    expect((await listRollups({ ...february, endDate: "2026-02-01" })).rollups).toEqual({ "1000": [1, 50], "3200": [1, 10], "4090": [1, 70], "5010": [2, 30] });
    expect((await listRollups({ ...february, propertyId })).rollups).toEqual({ "1000": [1, 50], "4090": [1, 70], "5010": [1, 20] });
    expect([headers.get("Deprecation"), headers.get("Sunset"), headers.get("Link")]).toEqual([
      "@1793491200",
      "Mon, 01 Nov 2027 00:00:00 GMT",
      '</api/accounting/trial-balance>; rel="successor-version"',
    ]);
  });

  test("counts income when received on the cash basis, when earned on the accrual basis", async () => {
    const office = await anOffice();
    const tenancy = await aTenancy(office);
    const chargeId = await aCharge(office, tenancy.leaseId, 1_000);
    await office.call("recordPayment", {
      body: { ...aPayment(tenancy, 400), allocations: [{ chargeId, amountCents: 400 }], receivedAt: new Date().toISOString() },
    });
    const rentIncome = async (basis: string) => {
      const { rollups } = await office.call("listCategoryRollups", { query: { startDate: "2026-01-01", endDate: "2199-12-31", basis } });
      return rollups.find(({ categoryCode }) => categoryCode === "4000")?.netAmountCents;
    };
    expect([await rentIncome("accrual"), await rentIncome("cash")]).toEqual([1_000, 400]);
  });

  test("refuses a period that ends before it starts", async () => {
    const { status, body } = await (await anOffice()).attempt("listCategoryRollups", { query: { startDate: "2026-02-02", endDate: "2026-02-01" } });
    expect([status, body.errors?.[0]?.path]).toEqual([400, "endDate"]);
  });
});
