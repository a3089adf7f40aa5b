import { beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import type { Colleague, Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment } from "../../../../../test/support/tenancy.ts";
import {
  aContribution,
  aPayee,
  anOwnedProperty,
  aPayingOffice,
  approvePayouts,
  draftPayouts,
  ownerLedgerOf,
  payBill,
  payPayout,
} from "../../owners/owners.fixtures.ts";
import { anExpense } from "../../payables/payables.fixtures.ts";

let office: Office;
let [ann, ben, propertyId, bankAccountId, annsExpense]: string[] = [];
let [annUser, benUser, otherUser]: Colleague[] = [];
let otherProperty = "";

beforeAll(async () => {
  ({ office, ann, ben, propertyId, bankAccountId } = await aPayingOffice({ annBps: 6_000 }));
  const other = await aPayee(office, "Otto Other");
  otherProperty = (await anOwnedProperty(office, { rentCents: 77_700, shares: { [other]: 10_000 } })).propertyId;
  const shared = await anExpense(office, propertyId, 10_000, { name: "Roof" });
  await payBill(office, bankAccountId, shared.id, 10_000);
  annsExpense = (await anExpense(office, propertyId, 2_000, { name: "Ann's own", ownerId: ann })).id;
  await payBill(office, bankAccountId, annsExpense, 2_000);
  [annUser, benUser, otherUser] = [await office.ownerUser(ann), await office.ownerUser(ben), await office.ownerUser(other)];
});

const january = { from: "2026-01-01", to: "2026-01-31" };

describe("listOwnerPortalLedger", () => {
  test("equals the office's ledger of the owner, without the accounts of the chart", async () => {
    for (const [id, user] of [
      [ann!, annUser!],
      [ben!, benUser!],
    ] as const)
      for (const query of [{}, { basis: "accrual" }, january]) {
        const ofOffice = await office.call("listOwnerLedger", { params: { id }, query });
        const portal = await user.call("listOwnerPortalLedger", { query });
        expect(portal.entries).toEqual(ofOffice.entries.map(({ accountId: _accountId, ...entry }) => entry));
        expect([portal.openingBalanceCents, portal.closingBalanceCents]).toEqual([ofOffice.openingBalanceCents, ofOffice.closingBalanceCents]);
        expect(portal.total).toBeGreaterThan(1);
      }
    expect(JSON.stringify(await benUser!.call("listOwnerPortalLedger"))).not.toContain("Ann's own");
  });

  test("returns 404 for a property of others, and nothing of it", async () => {
    const { status } = await annUser!.attempt("listOwnerPortalLedger", { query: { propertyId: otherProperty } });
    const unknown = await annUser!.attempt("listOwnerPortalLedger", { query: { propertyId: randomUUID() } });
    expect([status, unknown.status]).toEqual([404, 404]);
    expect(JSON.stringify(await otherUser!.call("listOwnerPortalLedger"))).not.toContain(propertyId!);
  });
});

test("getOwnerPortalBalance has no money of a former owner that is undeposited, and takes none of it from the buyer", async () => {
  const { office: own, ann: seller, ben: buyer, propertyId: sold, ...tenancy } = await aPayingOffice({ annBps: 10_000, rentCents: 1_000 });
  await own.call("replaceOwnership", { params: { id: sold }, body: { effectiveDate: "2026-02-01", shares: [{ ownerId: buyer, shareBps: 10_000 }] } });
  const allocations = [{ chargeId: await aCharge(own, tenancy.leaseId, 3_000, "2026-01-15"), amountCents: 3_000 }];
  await own.call("recordPayment", { body: { ...aPayment(tenancy, 3_000), receivedAt: "2026-02-03T17:00:00.000Z", allocations } });
  const cash = async (id: string) => (await (await own.ownerUser(id)).call("getOwnerPortalBalance")).balance.cashCents;
  expect([await cash(seller), await cash(buyer)]).toEqual([1_000, 0]);
});

test("getOwnerPortalBalance has the owner's part of each figure, in whole cents, and all owners together have the office's", async () => {
  const reserved = await office.call("getProperty", { params: { id: propertyId! } });
  await office.call("updateProperty", { params: { id: propertyId! }, body: { reserveCents: 10_001 } });
  const unpaid = [await anExpense(office, propertyId!, 3_000), await anExpense(office, propertyId!, 500, { ownerId: ben! })];
  const query = { asOf: "2026-01-31" };
  const ofOffice = (await office.call("getOwnerBalance", { params: { id: ann! }, query })).balance;
  const [ofAnn, ofBen] = [(await annUser!.call("getOwnerPortalBalance", { query })).balance, (await benUser!.call("getOwnerPortalBalance", { query })).balance];
  expect([ofAnn.reserveCents, ofBen.reserveCents]).toEqual([6_001, 4_000]);
  expect([ofAnn.unpaidExpensesCents, ofBen.unpaidExpensesCents]).toEqual([1_800, 1_700]);
  expect([ofAnn.cashCents, ofBen.cashCents]).toEqual([52_000, 36_000]);
  expect(ofAnn.byProperty).toMatchObject([{ propertyId, shareBps: 6_000, cashCents: ofAnn.cashCents }]);
  const figures = Object.keys(ofOffice).filter((name): name is "cashCents" => name.endsWith("Cents") && name !== "availableToPayCents");
  expect(figures.map((name) => ofAnn[name] + ofBen[name])).toEqual(figures.map((name) => ofOffice[name]));
  expect(ofAnn.availableToPayCents).toBe(ofOffice.availableToPayCents);
  await office.call("updateProperty", { params: { id: propertyId! }, body: { reserveCents: reserved.property.reserveCents } });
  for (const { id } of unpaid) await office.call("voidExpense", { params: { id }, body: { reason: "Entered twice" } });
});

test("getOwnerPortalBalance has the money of an owner alone, and what was earned before a change of owners, in the cash of that owner", async () => {
  const paying = await aPayingOffice({ annBps: 6_000 });
  const users = [await paying.office.ownerUser(paying.ann), await paying.office.ownerUser(paying.ben)];
  const cashOf = async () => Promise.all(users.map(async (user) => (await user.call("getOwnerPortalBalance")).balance.cashCents));
  const contribution = aContribution(paying.propertyId, paying.bankAccountId, 5_000);
  await paying.office.call("createOwnerContribution", { params: { id: paying.ben }, body: contribution });
  expect(await cashOf()).toEqual([60_000, 45_000]);
  const shares = [{ ownerId: paying.ben, shareBps: 10_000 }];
  await paying.office.call("replaceOwnership", { params: { id: paying.propertyId }, body: { effectiveDate: "2026-02-01", shares } });
  expect(await cashOf()).toEqual([60_000, 45_000]);
  await anExpense(paying.office, paying.propertyId, 60_000, { ownerId: paying.ann });
  const { balance } = await users[0]!.call("getOwnerPortalBalance");
  expect(balance).toMatchObject({ cashCents: 60_000, unpaidExpensesCents: 60_000, availableToPayCents: 0, byProperty: [{ shareBps: 0 }] });
});

describe("reports", () => {
  test("the income statement has the owner's parts of a period by property and account", async () => {
    const { report } = await annUser!.call("getOwnerPortalIncomeStatement", { query: january });
    expect(report).toMatchObject({ ...january, basis: "cash", incomeCents: 60_000, expenseCents: 8_000, netIncomeCents: 52_000 });
    expect(report.properties).toMatchObject([
      {
        propertyId,
        rows: [
          { accountCode: "4000", accountType: "income", amountCents: 60_000 },
          { accountCode: "5000", accountType: "expense", amountCents: 8_000 },
        ],
      },
    ]);
    const ofBen = (await benUser!.call("getOwnerPortalIncomeStatement", { query: january })).report;
    expect([ofBen.incomeCents, ofBen.expenseCents]).toEqual([40_000, 4_000]);
    const february = (await annUser!.call("getOwnerPortalIncomeStatement", { query: { from: "2026-02-01", to: "2026-02-28" } })).report;
    expect([february.netIncomeCents, february.properties]).toEqual([0, []]);
    const foreign = await annUser!.attempt("getOwnerPortalIncomeStatement", { query: { ...january, propertyId: otherProperty } });
    const reversed = await annUser!.attempt("getOwnerPortalIncomeStatement", { query: { from: "2026-02-01", to: "2026-01-01" } });
    expect([foreign.status, reversed.status]).toEqual([404, 400]);
  });

  test("the expenses are listed with the owner's parts, in pages and as CSV", async () => {
    const { expenses, total, totalAmountCents } = await annUser!.call("listOwnerPortalExpenses", { query: { ...january, pageSize: 1, page: 2 } });
    expect([expenses.length, total, totalAmountCents]).toEqual([1, 2, 8_000]);
    const all = (await annUser!.call("listOwnerPortalExpenses", { query: january })).expenses;
    expect(new Set(all.map(({ shareBps, totalCents, amountCents }) => [shareBps, totalCents, amountCents].join(" ")))).toEqual(
      new Set(["6000 10000 6000", " 2000 2000"]),
    );
    expect((await benUser!.call("listOwnerPortalExpenses", { query: january })).expenses.map(({ amountCents }) => amountCents)).toEqual([4_000]);
    const csv = await annUser!.raw("GET", "/api/portal/owner/reports/expenses?from=2026-01-01&to=2026-01-31", undefined, { Accept: "text/csv" });
    expect((await csv.text()).trim().split(/\r?\n/)).toHaveLength(3);
  });

  test("an unknown report returns 404", async () => {
    expect((await annUser!.raw("GET", "/api/portal/owner/reports/unknown")).status).toBe(404);
  });
});

describe("statements", () => {
  test("are listed and downloaded by their owner alone, as JSON, CSV and PDF", async () => {
    const { ownerStatement } = await office.call("createOwnerStatement", {
      params: { id: ann! },
      body: { periodStart: "2026-01-01", periodEnd: "2026-01-31" },
    });
    const params = { id: ownerStatement.id };
    expect((await annUser!.call("listOwnerPortalStatements")).ownerStatements.map(({ id }) => id)).toEqual([ownerStatement.id]);
    expect((await benUser!.call("listOwnerPortalStatements")).total).toBe(0);
    expect((await annUser!.call("downloadOwnerPortalStatement", { params, query: { format: "json" } })).ownerStatement).toEqual(ownerStatement);
    const path = `/api/portal/owner/statements/${ownerStatement.id}/download`;
    const [pdf, csv] = [await annUser!.raw("GET", path), await annUser!.raw("GET", `${path}?format=csv`)];
    expect([pdf, csv].map(({ headers }) => headers.get("content-type")?.split(";")[0])).toEqual(["application/pdf", "text/csv"]);
    const json = await annUser!.raw("GET", path, undefined, { Accept: "application/json" });
    expect(await json.json()).toEqual({ ownerStatement });
    expect((await benUser!.attempt("downloadOwnerPortalStatement", { params })).status).toBe(404);
  });
});

describe("listOwnerPortalDistributions", () => {
  test("returns payouts once they are paid, also after their void, and nothing of the other owner", async () => {
    const list = async (user: Colleague) => (await user.call("listOwnerPortalDistributions")).distributions;
    const [payout] = await draftPayouts(office, { ownerIds: [ann!], bankAccountId: bankAccountId! });
    await approvePayouts(office, [payout!]);
    expect(await list(annUser!)).toEqual([]);
    expect((await payPayout(office, payout!)).status).toBe(200);
    const [paid] = await list(annUser!);
    expect(paid).toMatchObject({ id: payout!.id, status: "paid", amountCents: payout!.amountCents, propertyId, propertyName: "Elm Street 1", voidedAt: null });
    for (const hidden of ["bankAccountId", "calculation", "journalEntryId", "voidReason"]) expect(paid).not.toHaveProperty(hidden);
    expect([await list(benUser!), await list(otherUser!)]).toEqual([[], []]);
    await office.call("voidOwnerPayable", { params: { id: payout!.id }, body: { reason: "Wrong account" } });
    expect((await list(annUser!)).map(({ status, voidedAt }) => [status, voidedAt !== null])).toEqual([["voided", true]]);
    expect((await annUser!.call("listOwnerPortalDistributions", { query: { status: "paid" } })).total).toBe(0);
  });
});

describe("an owner who sold the share", () => {
  test("keeps the days before the sale and sees nothing of the days after it", async () => {
    const [seller, buyer] = [await aPayee(office, "Sam Seller"), await aPayee(office, "Bea Buyer")];
    const sold = await anOwnedProperty(office, { rentCents: 30_000, shares: { [seller]: 10_000 } });
    const shares = [{ ownerId: buyer, shareBps: 10_000 }];
    await office.call("replaceOwnership", { params: { id: sold.propertyId }, body: { effectiveDate: "2026-02-01", shares } });
    await anExpense(office, sold.propertyId, 1_000, { name: "After the sale", incurredOn: "2026-02-10" });
    const [sellerUser, buyerUser] = [await office.ownerUser(seller), await office.ownerUser(buyer)];
    const rowsOf = async (user: Colleague) =>
      (await user.call("listOwnerPortalLedger", { query: { basis: "accrual" } })).entries.map((entry) => entry.description);
    expect([await rowsOf(sellerUser), await rowsOf(buyerUser)]).toEqual([["Rent"], ["After the sale"]]);
    expect((await ownerLedgerOf(office, seller)).closing).toBe((await sellerUser.call("listOwnerPortalLedger")).closingBalanceCents);
  });
});
