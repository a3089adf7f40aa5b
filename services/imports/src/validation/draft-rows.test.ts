import { describe, expect, test } from "@jest/globals";
import type { ImportProvider } from "@freehold/contract/imports/import-bundles";
import { findForm } from "../providers/forms.ts";
import type { Draft } from "./draft.ts";
import { draftCandidates } from "./draft-rows.ts";
import { dateInFileName, dateInTitle } from "./read-candidates.ts";

function draftsOf(provider: ImportProvider, formName: string, row: Record<string, string>, heading: string | null = null): Draft[] {
  const form = findForm(provider, formName)!;
  const mapping = Object.fromEntries(Object.keys(row).map((header) => [header, form.columns.find((column) => column.header === header)?.field ?? null]));
  return draftCandidates({ form, header: Object.keys(row), mapping, reportDate: "2026-06-30" }, { number: 7, cells: Object.values(row) }, heading);
}
const summarize = (drafts: Draft[]) => drafts.map(({ entityType, sourceId, data }) => ({ entityType, sourceId, data }));

const rentRoll = {
  Property: "Maple Court",
  Unit: "101",
  Tenant: "Sample, Sam & Sample, Alex",
  Status: "Notice-Unrented",
  "BD/BA": "2/1.50",
  "Market Rent": "1,550.00",
  Rent: "1,495.00",
  Deposit: "1,495.00",
  "Lease From": "01/01/2026",
  "Lease To": "12/31/2026",
  "Past Due": "120.00",
};
const appfolioDrafts = (row: Record<string, string>, heading: string | null = null) =>
  draftsOf(
    "appfolio",
    "rent_roll",
    Object.fromEntries(Object.entries(row).map(([name, text]) => [name === "Property" ? "Property Name" : name, text])),
    heading,
  );

describe("a row of a rent roll", () => {
  test("produces a unit, a lease, its tenants, an occupant, a deposit and a balance, linked to each other", () => {
    const drafts = appfolioDrafts(rentRoll);
    expect(drafts.map(({ entityType }) => entityType)).toEqual(["unit", "lease", "tenant", "tenant", "occupant", "deposit", "opening_balance"]);
    const [unit, lease, sam, alex, occupant, deposit, balance] = drafts as [Draft, Draft, Draft, Draft, Draft, Draft, Draft];
    expect(unit.data).toMatchObject({
      property_name: "Maple Court",
      unit_number: "101",
      bedrooms: "2",
      bathrooms: "1.5",
      monthly_rent: "1495.00",
      status: "occupied",
    });
    expect(lease.data).toMatchObject({
      start_date: "2026-01-01",
      end_date: "2026-12-31",
      rent: "1495.00",
      term_type: "fixed",
      status: "active",
      primary_tenant_name: "Sam Sample",
    });
    expect([sam.data["full_name"], alex.data["full_name"], occupant.data["tenant_name"]]).toEqual(["Sam Sample", "Alex Sample", "Alex Sample"]);
    expect([deposit.data["amount_held"], balance.data["balance"], balance.data["as_of"]]).toEqual(["1495.00", "120.00", "2026-06-30"]);
    const linkedId = (draft: Draft, name: string) => draft.refs.find((ref) => ref.name === name)?.id;
    expect([
      linkedId(lease, "unit"),
      linkedId(lease, "tenant"),
      linkedId(occupant, "tenant"),
      linkedId(occupant, "lease"),
      linkedId(deposit, "lease"),
      linkedId(balance, "lease"),
    ]).toEqual([unit.sourceId, sam.sourceId, alex.sourceId, lease.sourceId, lease.sourceId, lease.sourceId]);
  });

  test("of a vacant unit produces only the unit", () => {
    const drafts = appfolioDrafts({
      ...rentRoll,
      Tenant: "VACANT",
      Status: "Vacant-Unrented",
      Rent: "",
      Deposit: "",
      "Lease From": "",
      "Lease To": "",
      "Past Due": "",
    });
    expect(summarize(drafts)).toMatchObject([{ entityType: "unit", data: { status: "vacant", market_rent: "1550.00" } }]);
  });

  const futureTenant = { ...rentRoll, Status: "Vacant-Rented", "Past Due": "0.00", Tenant: "Future, Fay" };

  test("of a vacant unit that is rented produces the pending lease, the tenant and the deposit of the future tenant", () => {
    const drafts = appfolioDrafts(futureTenant);
    expect(summarize(drafts)).toMatchObject([
      { entityType: "unit", data: { status: "vacant", unit_number: "101" } },
      { entityType: "lease", data: { status: "pending", start_date: "2026-01-01", primary_tenant_name: "Fay Future" } },
      { entityType: "tenant", data: { full_name: "Fay Future" } },
      { entityType: "deposit", data: { amount_held: "1495.00", tenant_name: "Fay Future" } },
    ]);
  });

  test("of a vacant unit that is rented without a lease date begins with the move-in", () => {
    const lease = appfolioDrafts({ ...futureTenant, "Lease From": "", "Move-in": "01/05/2026" }).find(({ entityType }) => entityType === "lease");
    expect(lease!.data).toMatchObject({ status: "pending", start_date: "2026-01-05" });
  });

  test.each([
    ["names nobody", { Tenant: "" }],
    ["says that it is vacant", { Tenant: "VACANT" }],
    ["names a former tenant", { Status: "Vacant-Unrented" }],
  ])("of a vacant unit that %s produces only the unit", (_, cells) => {
    expect(appfolioDrafts({ ...futureTenant, ...cells }).map(({ entityType }) => entityType)).toEqual(["unit"]);
  });

  test("of a rented vacant unit with neither a lease nor a move-in has a lease without a first day", () => {
    const drafts = appfolioDrafts({ ...futureTenant, "Lease From": "", "Move-in": "" });
    expect(drafts.map(({ entityType }) => entityType)).toEqual(["unit", "lease", "tenant", "deposit"]);
    expect(drafts[1]!.data).not.toHaveProperty("start_date");
  });

  test("takes its property from the section heading", () => {
    const [unit] = appfolioDrafts({ ...rentRoll, Property: "" }, "Oak House");
    expect(unit!.data["property_name"]).toBe("Oak House");
  });

  test("without an end date produces a month-to-month lease, and zero amounts no deposit or balance", () => {
    const drafts = appfolioDrafts({ ...rentRoll, "Lease To": "", Deposit: "0.00", "Past Due": "0.00", Tenant: "Sample, Sam" });
    expect(drafts.map(({ entityType }) => entityType)).toEqual(["unit", "lease", "tenant"]);
    expect(drafts[1]!.data["term_type"]).toBe("month_to_month");
  });

  test.each(["#REF!", "#VALUE!", "#DIV/0!", "########", "see note", "0.0O"])(
    "with %s as an amount has a deposit and a balance with the error of the column",
    (cell) => {
      const drafts = appfolioDrafts({ ...rentRoll, Deposit: cell, "Past Due": cell }).slice(-2);
      expect(drafts.map(({ entityType, parseErrors }) => [entityType, parseErrors])).toEqual([
        ["deposit", [{ path: "amount_held", code: "format", message: expect.stringContaining(`Column Deposit: "${cell}" is not an amount`) }]],
        ["opening_balance", [{ path: "balance", code: "format", message: expect.stringContaining(`Column Past Due: "${cell}" is not an amount`) }]],
      ]);
    },
  );

  test.each(["", "-", "–", "0", "0.00", "$0.00", "$ -", "(0.00)", "n/a"])("with %j as an amount has neither a deposit nor a balance", (cell) => {
    const drafts = appfolioDrafts({ ...rentRoll, Tenant: "Sample, Sam", Deposit: cell, "Past Due": cell });
    expect(drafts.map(({ entityType }) => entityType)).toEqual(["unit", "lease", "tenant"]);
  });

  test.each([
    ["De la Cruz, María José", ["María José De la Cruz"]],
    ["Garcia Lopez, Juan Carlos", ["Juan Carlos Garcia Lopez"]],
    ["St. John, Anna Lee & Le Van, Thi Hoa", ["Anna Lee St. John", "Thi Hoa Le Van"]],
    ["Garcia Lopez, Juan Carlos, Le Van, Thi Hoa", ["Juan Carlos Garcia Lopez", "Thi Hoa Le Van"]],
    ["Garcia Lopez, Juan Carlos, Jr.", ["Juan Carlos Garcia Lopez Jr."]],
    ["Example Holdings, LLC", ["Example Holdings, LLC"]],
    ["Example Holdings LLC, Sample Homes Inc.", ["Example Holdings LLC", "Sample Homes Inc."]],
  ])("of AppFolio, which writes last names first, has %s as %j", (cell, names) => {
    const tenants = appfolioDrafts({ ...rentRoll, Tenant: cell }).filter(({ entityType }) => entityType === "tenant");
    expect(tenants.map(({ data }) => data["full_name"])).toEqual(names);
  });

  test("of another system has two full names with a comma between them", () => {
    const row = { Property: "Maple Court", Unit: "101", Tenants: "Maria Jose Cruz, Juan Carlos Lopez", "Lease Start": "01/01/2026", Rent: "1,495.00" };
    const tenants = draftsOf("buildium", "rent_roll", row).filter(({ entityType }) => entityType === "tenant");
    expect(tenants.map(({ data }) => data["full_name"])).toEqual(["Maria Jose Cruz", "Juan Carlos Lopez"]);
  });

  test("with a prepayment produces an opening balance, also without a balance due", () => {
    const row = { Property: "Maple Court", Unit: "101", Tenants: "Sam Sample", "Lease Start": "01/01/2026", Rent: "1,495.00" };
    const balanceOf = (balance: string, prepaid: string) =>
      draftsOf("buildium", "rent_roll", { ...row, "Balance Due": balance, Prepayments: prepaid }).find(({ entityType }) => entityType === "opening_balance");
    expect(balanceOf("0.00", "200.00")!.data).toMatchObject({ balance: "0.00", prepaid: "200.00" });
    expect(balanceOf("120.00", "")!.data).toMatchObject({ balance: "120.00" });
    expect(balanceOf("", "200.00")!.data).toMatchObject({ prepaid: "200.00" });
    expect([balanceOf("0.00", "0.00"), balanceOf("", "0.00")]).toEqual([undefined, undefined]);
  });

  test("derives ids of people and money that contain the unit, the tenant and the first day: of the lease for people, and of the move-in for money", () => {
    const idsOf = (row: Record<string, string>) =>
      Object.fromEntries(appfolioDrafts({ ...rentRoll, ...row }).map(({ entityType, sourceId }) => [entityType, sourceId] as const));
    const ids = idsOf({});
    const SAM = "~maple court/101/sam sample";
    expect(ids).toMatchObject({ occupant: "~maple court/101/alex sample/2026-01-01", deposit: `${SAM}/2026-01-01`, opening_balance: `${SAM}/2026-01-01` });
    const renewal = { "Lease From": "01/01/2027", "Lease To": "12/31/2027", "Move-in": "01/01/2026" };
    expect(idsOf(renewal)).toMatchObject({
      occupant: "~maple court/101/alex sample/2027-01-01",
      deposit: ids["deposit"],
      opening_balance: ids["opening_balance"],
    });
    expect(idsOf({ Tenant: "Next, Nora" })).toMatchObject({ deposit: "~maple court/101/nora next/2026-01-01" });
    const row = { "Property Name": "Maple Court", Unit: "101", Name: "Sample, Sam", "Amount Receivable": "120.00" };
    expect(draftsOf("appfolio", "delinquency", row)[0]!.sourceId).toBe(SAM);
  });

  test("derives ids that do not depend on rent, balance and status", () => {
    const changed = appfolioDrafts({ ...rentRoll, Rent: "1,600.00", "Past Due": "9.00", Status: "Current" });
    expect(changed.map(({ sourceId }) => sourceId)).toEqual(appfolioDrafts(rentRoll).map(({ sourceId }) => sourceId));
    expect(changed.every(({ isDerived, sourceId }) => isDerived && sourceId.startsWith("~"))).toBe(true);
  });
});

test.each([
  ["Current", "active", "occupied"],
  ["Notice-Unrented", "active", "occupied"],
  ["Evict", "active", "occupied"],
  ["Evicted", "expired", "vacant"],
  ["Past", "expired", "vacant"],
  ["Former", "expired", "vacant"],
  ["Future", "pending", "vacant"],
])("a tenancy with the status %s is %s, and its unit %s", (status, leaseStatus, unitStatus) => {
  const [unit, lease] = appfolioDrafts({ ...rentRoll, Status: status });
  expect([lease!.data["status"], unit!.data["status"]]).toEqual([leaseStatus, unitStatus]);
});

describe("a row of a tenant directory", () => {
  const person = { "Property Name": "Maple Court", Unit: "101", Tenant: "Sample, Alex", "Tenant ID": "502", "Occupancy ID": "9001" };
  const drafted = (row: Record<string, string>) => summarize(draftsOf("appfolio", "tenant_directory", { ...person, ...row }));

  test.each([
    ["Financially Responsible", "co_tenant"],
    ["Other Occupant", "occupant"],
    ["Co-signer", "guarantor"],
  ])("is a tenant, and a person on the lease: %s is %s", (type, role) => {
    expect(drafted({ Status: "Current", "Tenant Type": type })).toMatchObject([
      { entityType: "tenant", sourceId: "502", data: { full_name: "Alex Sample", status: "Current", role: type, lease_source_id: "9001" } },
      { entityType: "occupant", data: { lease_source_id: "9001", tenant_source_id: "502", tenant_name: "Alex Sample", role } },
    ]);
  });

  test.each([
    ["who has left", { Status: "Past" }],
    ["without a lease", { "Occupancy ID": "" }],
  ])("of somebody %s is a tenant only", (_, row) => {
    expect(drafted(row).map(({ entityType }) => entityType)).toEqual(["tenant"]);
  });
});

test.each([
  ["appfolio", "vendor_directory", { "Company Name": "", Name: "Sue, Solo", "Vendor ID": "7" }],
  ["buildium", "vendors", { CompanyName: "", FirstName: "Solo", LastName: "Sue", Id: "7" }],
] as const)("a vendor of %s without a company has the name of the person", (provider, formName, row) => {
  const [vendor] = draftsOf(provider, formName, row);
  expect(vendor).toMatchObject({ displayName: "Solo Sue", data: { name: "Solo Sue", source_id: "7" } });
});

test("a vendor with a company keeps the name of the company and that of its contact", () => {
  const [vendor] = draftsOf("buildium", "vendors", { CompanyName: "Pipes, Inc.", FirstName: "Solo", LastName: "Sue", Id: "7" });
  expect(vendor!.data).toMatchObject({ name: "Pipes, Inc.", first_name: "Solo", last_name: "Sue" });
});

describe("a row", () => {
  test("preserves unmapped columns and cells beyond the header", () => {
    const form = findForm("generic", "vendors")!;
    const context = {
      form,
      header: ["source_id", "name", "Gate code"],
      mapping: { source_id: "source_id", name: "name", "Gate code": null },
      reportDate: "2026-06-30",
    };
    const [vendor] = draftCandidates(context, { number: 2, cells: ["V-1", "Pipes & Co", "1234", "beyond"] }, null);
    expect([vendor!.data, vendor!.extra]).toEqual([
      { source_id: "V-1", name: "Pipes & Co" },
      { "Gate code": "1234", "Column 4": "beyond" },
    ]);
  });

  test("reports an invalid cell by its column, and parses the others", () => {
    const [charge] = draftsOf("generic", "charges", { source_id: "C-1", lease_source_id: "L-1", date: "13/40/2026", amount: "a lot", label: "June" });
    expect(charge!.parseErrors).toMatchObject([
      { path: "date", code: "format", message: expect.stringMatching(/^Column date: "13\/40\/2026"/) },
      { path: "amount", code: "format" },
    ]);
    expect(charge!.data).toEqual({ source_id: "C-1", lease_source_id: "L-1", label: "June" });
  });

  test("distinguishes an empty cell from zero", () => {
    const [zeroReserve] = draftsOf("generic", "properties", { source_id: "P-1", name: "Oak", reserve: "0.00" });
    const [emptyReserve] = draftsOf("generic", "properties", { source_id: "P-1", name: "Oak", reserve: "" });
    expect([zeroReserve!.data["reserve"], emptyReserve!.data["reserve"]]).toEqual(["0.00", undefined]);
  });

  test("produces an occupant for each co-tenant, by id or by name", () => {
    const drafts = draftsOf("generic", "leases", {
      source_id: "L-1",
      unit_source_id: "U-1",
      primary_tenant_source_id: "T-1",
      co_tenants: "T-2; Sample, Alex",
      start_date: "2026-01-01",
      rent: "5",
    });
    expect(summarize(drafts.slice(1))).toMatchObject([
      { entityType: "occupant", data: { lease_source_id: "L-1", tenant_name: "T-2" } },
      { entityType: "occupant", data: { lease_source_id: "L-1", tenant_name: "Alex Sample" } },
    ]);
  });

  test("of a transaction produces a charge or a payment by its type", () => {
    const row = { Date: "06/01/2026", "Property name": "Maple", "Unit number": "1", Amount: "50.00", "General Ledger Allocation": "Parking Income" };
    expect(summarize(draftsOf("buildium", "charges_and_payments", { ...row, "Transaction type": "Charge" }))).toMatchObject([
      { entityType: "charge", data: { type: "parking", date: "2026-06-01" } },
    ]);
    expect(
      summarize(draftsOf("buildium", "charges_and_payments", { ...row, "Transaction type": "Payment", "Payment method": "Check", "Paid by": "Sample, Sam" })),
    ).toMatchObject([{ entityType: "payment", data: { received_date: "2026-06-01", method: "check", tenant_name: "Sam Sample" } }]);
  });

  test.each(["Refund", "Reverse payment", "Payment refund", "Applied prepayment", "Credit", "Bill payment", "Journal"])(
    "of a transaction of the type %s is one invalid candidate with the reason",
    (type) => {
      const row = { Date: "06/01/2026", "Transaction type": type, "Property name": "Maple", "Unit number": "1", Amount: "50.00" };
      const drafts = draftsOf("buildium", "charges_and_payments", row);
      expect(drafts.map(({ parseErrors }) => parseErrors)).toMatchObject([
        [
          {
            path: "transaction_type",
            code: "enum",
            message: expect.stringMatching(new RegExp(`^Column Transaction type: .*"${type}" are not imported. Set it to`)),
          },
        ],
      ]);
    },
  );

  test("of a transaction without a type is one incomplete candidate that names the column", () => {
    const drafts = draftsOf("buildium", "charges_and_payments", { Date: "06/01/2026", "Transaction type": "", Amount: "50.00" });
    expect(drafts.map(({ parseErrors }) => parseErrors)).toMatchObject([[{ path: "transaction_type", code: "required" }]]);
  });
});

test.each([
  ["rent_roll-20260630.csv", "2026-06-30"],
  ["Rent Roll 2026-06-30.csv", "2026-06-30"],
  ["rents.csv", undefined],
])("the date in the file name %s is %s", (fileName, date) => {
  expect(dateInFileName(fileName)).toBe(date);
});

test.each([
  [["As of: 06/30/2026", "", ""], "2026-06-30"],
  [["As of:", "6/30/26"], "2026-06-30"],
  [["Rent Roll as of 2026-06-30"], "2026-06-30"],
  [["Rent Roll"], undefined],
  [["As of today"], undefined],
])("the date in the title %j is %s", (cells, date) => {
  expect(dateInTitle({ number: 2, cells })).toBe(date);
});
