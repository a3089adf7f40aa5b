import { beforeAll, describe, expect, test } from "@jest/globals";
import { anOffice, type Colleague, type Office } from "../../../../test/support/office.ts";
import { aCharge } from "../../../../test/support/tenancy.ts";
import { aFundedProperty, anExpense, aVendor } from "../payables/payables.fixtures.ts";
import { aBankAccount } from "../trust/trust.fixtures.ts";

type Query = Record<string, string>;

interface Listed {
  total: number;
  rows: { date: string; cents: number; balanceCents: number }[];
}

let office: Office;
let staff: Colleague;
beforeAll(async () => {
  office = await anOffice();
  staff = await office.colleague("staff");
});

/** Waits for the next millisecond and returns the time, so that what was posted before is not later, and what is posted after is. */
const timeBetween = async () => {
  const time = new Date();
  while (Date.now() <= time.getTime() + 1) await new Promise((resolve) => setTimeout(resolve, 1));
  return new Date(time.getTime() + 1).toISOString();
};

const signed = (entries: readonly { date: string; debitCents: number; creditCents: number; balanceCents: number }[]) =>
  entries.map(({ date, debitCents, creditCents, balanceCents }) => ({ date, cents: debitCents - creditCents, balanceCents }));

/** An account with interest of 100 on January 10 and 40 on January 20, and later posted interest of 500 on January 5. */
async function aRegister() {
  const id = await aBankAccount(office, "business");
  const adjust = async (amountCents: number, occurredOn: string) =>
    (await office.call("createBankAdjustment", { params: { id }, body: { kind: "interest", amountCents, occurredOn } })).adjustment;
  const first = await adjust(100, "2026-01-10");
  await adjust(40, "2026-01-20");
  const between = await timeBetween();
  await adjust(500, "2026-01-05");
  const list = async (query: Query, by: Colleague = office) => {
    const { status, body } = await by.attempt("listBankTransactions", { params: { id }, query });
    return { status, total: body.total, rows: body.transactions?.map(({ date, amountCents, balanceCents }) => [date, amountCents, balanceCents]) };
  };
  return { id, first, between, list };
}

describe("the register of a bank account", () => {
  test("is sorted by date or amount in both directions, each transaction with its balance by date", async () => {
    const { list } = await aRegister();
    const byDate = [
      ["2026-01-05", 500, 500],
      ["2026-01-10", 100, 600],
      ["2026-01-20", 40, 640],
    ];
    expect((await list({})).rows).toEqual(byDate);
    expect((await list({ sortBy: "date", sortDirection: "desc" })).rows).toEqual(byDate.toReversed());
    expect((await list({ sortBy: "amountCents" })).rows).toEqual(byDate.toReversed());
    expect((await list({ sortBy: "amountCents", sortDirection: "desc", pageSize: "1", page: "2" })).rows).toEqual([byDate[1]]);
  });

  test("lists what was posted or reversed after a time, with its balance among all transactions", async () => {
    const { id, first, between, list } = await aRegister();
    expect(await list({ updatedAfter: between })).toEqual({ status: 200, total: 1, rows: [["2026-01-05", 500, 500]] });
    await office.call("voidBankAdjustment", { params: { id, adjustmentId: first.id }, body: { reason: "wrong" } });
    expect((await list({ updatedAfter: between })).rows!.map(([, cents]) => cents)).toEqual(expect.arrayContaining([500, 100, -100]));
    expect((await list({ updatedAfter: between })).total).toBe(3);
  });

  test("accepts includeDeleted of admins and managers only, as every list does", async () => {
    const { list } = await aRegister();
    expect((await list({ includeDeleted: "true" })).total).toBe(3);
    expect((await list({ includeDeleted: "true" }, staff)).status).toBe(403);
  });
});

test("the items of a reconciliation are sorted, and listed after a time when they or the reconciliation have changed", async () => {
  const { id: bankAccountId, between } = await aRegister();
  const body = { bankAccountId, statementEndDate: "2026-01-31", statementEndingBalanceCents: 640 };
  const { reconciliation } = await office.call("createReconciliation", { body });
  const params = { id: reconciliation.id };
  const list = async (query: Query) => (await office.call("listReconciliationItems", { params, query })).items;
  expect((await list({ sortDirection: "desc" })).map(({ amountCents }) => amountCents)).toEqual([40, 100, 500]);
  expect((await list({ sortBy: "amountCents" })).map(({ amountCents }) => amountCents)).toEqual([40, 100, 500]);
  expect(await list({ updatedAfter: between })).toHaveLength(3);
  const unchanged = await timeBetween();
  expect(await list({ updatedAfter: unchanged })).toEqual([]);
  const [item] = await list({});
  await office.call("clearTransactions", { params, body: { transactionIds: [item!.transactionId] } });
  expect(await list({ updatedAfter: unchanged })).toHaveLength(3);
  expect(await list({ updatedAfter: unchanged, cleared: "true" })).toHaveLength(1);
  expect((await staff.attempt("listReconciliationItems", { params, query: { includeDeleted: "true" } })).status).toBe(403);
});

test("the ledgers of leases, tenants, vendors and owners list what was posted after a time, in both directions", async () => {
  const { owner } = await office.call("createOwner", { body: { fullName: "Olga Owner", email: "olga@example.com" } });
  const [vendorId, { leaseId, tenantId, propertyId }] = [await aVendor(office), await aFundedProperty(office, 5_000)];
  await office.call("replaceOwnership", {
    params: { id: propertyId },
    body: { effectiveDate: "2020-01-01", shares: [{ ownerId: owner.id, shareBps: 10_000 }] },
  });
  await anExpense(office, propertyId, 900, { vendorId, incurredOn: "2026-01-20" });
  await aCharge(office, leaseId, 700, "2026-03-01");
  const between = await timeBetween();
  await aCharge(office, leaseId, 30, "2026-02-01");
  await anExpense(office, propertyId, 60, { vendorId, incurredOn: "2026-01-15" });
  const to = "2026-12-31";
  const ledgers: Record<string, (query: Query) => Promise<Listed>> = {
    lease: async (query) => {
      const { entries, total } = await office.call("listLeaseLedger", { params: { id: leaseId }, query: { to, ...query } });
      return { total, rows: signed(entries) };
    },
    tenant: async (query) => {
      const { entries, total } = await office.call("listTenantLedger", { params: { id: tenantId }, query: { to, ...query } });
      return { total, rows: signed(entries) };
    },
    vendor: async (query) => {
      const { entries, total } = await office.call("listVendorLedger", { params: { id: vendorId }, query: { to, ...query } });
      return { total, rows: signed(entries) };
    },
    owner: async (query) => {
      const { entries, total } = await office.call("listOwnerLedger", { params: { id: owner.id }, query: { to, basis: "accrual" as const, ...query } });
      return { total, rows: signed(entries) };
    },
  };
  const later = { lease: [30], tenant: [30], vendor: [-60], owner: [60, -30] };
  for (const [name, list] of Object.entries(ledgers)) {
    const all = await list({});
    const changed = await list({ updatedAfter: between });
    expect([name, changed.total, changed.rows.map(({ cents }) => cents)]).toEqual([
      name,
      later[name as keyof typeof later].length,
      later[name as keyof typeof later],
    ]);
    expect(all.rows).toEqual(expect.arrayContaining(changed.rows));
    expect((await list({ sortBy: "date", sortDirection: "desc" })).rows).toEqual(all.rows.toReversed());
    await expect(list({ includeDeleted: "true" })).resolves.toEqual(all);
  }
});
