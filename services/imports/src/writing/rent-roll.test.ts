/** Rent rolls: one file with the units, tenants, leases, deposits and balances of all properties. */
import { describe, expect, test } from "@jest/globals";
import type { ImportBundle, ImportProvider } from "@freehold/contract/imports/import-bundles";
import { today } from "@freehold/kit/time/clock";
import { addDays } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { closingBalances } from "../../../../test/support/tenancy.ts";
import { createBundle, csvFile, uploadFiles, validateBundle } from "../../test/bundles.ts";
import { writeBundle } from "../../test/writing.ts";

const rentRoll = csvFile(
  "rent_roll.csv",
  "Rent Roll,,,,,,,,,,",
  "As of: 06/30/2026,,,,,,,,,,",
  "Unit,Tenant,Status,BD/BA,Sqft,Market Rent,Rent,Deposit,Lease From,Lease To,Past Due",
  '"Birch Row - 40 Birch Ave Salem, OR 97301",,,,,,,,,,',
  '1,"Hale, Peter",Current,2/1.00,850,"1,400.00","1,350.00","1,350.00",05/01/2026,04/30/2099,0.00',
  '2,,Vacant-Unrented,2/1.00,850,"1,450.00",,,,,0.00',
  '"Spruce House - 7 Spruce St Salem, OR 97302",,,,,,,,,,',
  'A,"Kern, Eva",Current,3/2.00,1300,"2,200.00","2,150.00","2,150.00",08/01/2025,07/31/2099,"1,075.00"',
);
const directory = csvFile(
  "property_directory.csv",
  "Property Name,Property ID,Property Street Address 1,Property City,Property State,Property Zip",
  "Birch Row,71,40 Birch Ave,Salem,OR,97301",
  "Spruce House,72,7 Spruce St,Salem,OR,97302",
);

const prepare = async (office: Office, provider: ImportProvider, ...files: File[]): Promise<ImportBundle> => {
  const { id } = await createBundle(office, provider, "rent-rolls");
  await uploadFiles(office, id, ...files);
  return validateBundle(office, id);
};
const noErrors = { invalid: 0, ambiguous: 0, blocked: 0, missing_source_data: 0 };

describe("a rent roll with titles, the day of the report, and sections with the address of each property", () => {
  test("is imported alone, with its properties, and dates its balances on the day of the report", async () => {
    const office = await anOffice();
    const bundle = await prepare(office, "appfolio", rentRoll);
    expect(bundle.counts.byEntity).toEqual({
      property: { ready_create: 2 },
      unit: { ready_create: 3 },
      tenant: { ready_create: 2 },
      lease: { ready_create: 2 },
      deposit: { ready_create: 2 },
      opening_balance: { ready_create: 1 },
    });
    expect(await writeBundle(office, bundle.id)).toMatchObject({ status: "completed" });
    const { properties } = await office.call("listProperties", { query: { sortBy: "name", sortDirection: "asc" } });
    expect(properties).toMatchObject([
      { name: "Birch Row", streetLine1: "40 Birch Ave", city: "Salem", state: "OR", postalCode: "97301", units: 2 },
      { name: "Spruce House", streetLine1: "7 Spruce St", postalCode: "97302", units: 1 },
    ]);
    expect(await closingBalances(office)).toMatchObject({ "1050": 350_000, "1100": 107_500, "2100": -350_000, "3900": -107_500 });
    const { charges } = await office.call("listCharges", { query: { chargeType: "other" } });
    expect(charges).toMatchObject([{ name: "Opening balance", dueDate: "2026-06-30", amountCents: 107_500 }]);
    expect((await prepare(office, "appfolio", rentRoll)).counts).toMatchObject({ unchanged: 12, ready_create: 0, ready_update: 0, ...noErrors });
  });

  test("adds nothing to the properties of a directory, in the same bundle or in an earlier one", async () => {
    const office = await anOffice();
    const bundle = await prepare(office, "appfolio", directory, rentRoll);
    expect(bundle.counts.byEntity["property"]).toEqual({ ready_create: 2, duplicate_merged: 2 });
    expect(await writeBundle(office, bundle.id)).toMatchObject({ status: "completed" });
    expect((await prepare(office, "appfolio", rentRoll)).counts).toMatchObject({ unchanged: 12, ready_create: 0, ready_update: 0, ...noErrors });
    expect((await office.call("listProperties")).total).toBe(2);
  });
});

test("a vacant unit that is rented is imported with the pending lease and the deposit of its future tenant", async () => {
  const office = await anOffice();
  const [start, end] = [addDays(today("America/New_York"), 20), addDays(today("America/New_York"), 385)];
  const roll = csvFile(
    "rent_roll.csv",
    "Unit,Tenant,Status,Rent,Deposit,Lease From,Lease To,Past Due",
    '"Birch Row - 40 Birch Ave Salem, OR 97301",,,,,,,',
    `5,"Futuro, Fay",Vacant-Rented,900.00,900.00,${start},${end},0.00`,
    "6,VACANT,Vacant-Unrented,900.00,,,,0.00",
  );
  const bundle = await prepare(office, "appfolio", roll);
  expect(await writeBundle(office, bundle.id)).toMatchObject({ status: "completed" });
  const { leases } = await office.call("listLeases");
  expect(leases).toMatchObject([{ status: "pending", unitNumber: "5", tenantName: "Fay Futuro", startDate: start, endDate: end, rentCents: 90_000 }]);
  expect((await office.call("listUnits")).units).toMatchObject([{ status: "vacant" }, { status: "vacant" }]);
  expect(await closingBalances(office)).toMatchObject({ "1050": 90_000, "2100": -90_000 });
});

test("a vacant unit that is rented from no day lacks the first day of its lease", async () => {
  const office = await anOffice();
  const roll = csvFile(
    "rent_roll.csv",
    "Unit,Tenant,Status,Rent,Deposit,Lease From,Lease To,Past Due",
    '"Birch Row - 40 Birch Ave Salem, OR 97301",,,,,,,',
    '6,"Futuro, Fay",Vacant-Rented,900.00,900.00,,,0.00',
  );
  const { id, counts } = await prepare(office, "appfolio", roll);
  expect(counts.byEntity).toMatchObject({ unit: { ready_create: 1 }, tenant: { ready_create: 1 }, lease: { missing_source_data: 1 }, deposit: { blocked: 1 } });
  const { candidates } = await office.call("listImportCandidates", { params: { id }, query: { status: "missing_source_data" } });
  expect(candidates.map(({ errors }) => errors)).toEqual([[{ path: "start_date", code: "required", message: "start_date is empty." }]]);
});

describe("a rent roll that a person keeps", () => {
  const ownRoll = csvFile(
    "My rentals.csv",
    "Address,City,State,Zip,Unit #,Tenants,Phone,Email,Monthly Rent,Lease From,Lease To,Deposit Held,Past Due",
    '12 Larch St,Eugene,OR,97401,1,"Ada Holm & Bo Holm",541-555-0131,ada.holm@example.com,"$1,100",1/1/2026,12/31/2099,"$1,100",$0',
    '12 Larch St,Eugene,OR,97401,2,VACANT,,,"$1,150",,,,',
    '30 Aspen Rd,Eugene,OR,97402,House,"Strand, Cleo",541-555-0132,,"$1,900",3/1/2026,2/28/2099,"$1,900",$95.50',
  );

  test("is imported alone, with everybody in it", async () => {
    const office = await anOffice();
    const bundle = await prepare(office, "generic", ownRoll);
    expect(bundle.files[0]).toMatchObject({ form: "rent_roll", unmappedColumns: [], warnings: [] });
    expect(bundle.counts).toMatchObject({ ...noErrors, duplicate_merged: 1 });
    expect(await writeBundle(office, bundle.id)).toMatchObject({ status: "completed" });
    const { properties } = await office.call("listProperties", { query: { sortBy: "name", sortDirection: "asc" } });
    expect(properties).toMatchObject([
      { name: "12 Larch St", postalCode: "97401", units: 2 },
      { name: "30 Aspen Rd", postalCode: "97402", units: 1 },
    ]);
    const { tenants } = await office.call("listTenants", { query: { sortBy: "fullName", sortDirection: "asc" } });
    expect(tenants).toMatchObject([
      { fullName: "Ada Holm", email: "ada.holm@example.com", phone: "+15415550131" },
      { fullName: "Bo Holm", email: null, phone: null },
      { fullName: "Cleo Strand", email: null, phone: "+15415550132" },
    ]);
    const { leases } = await office.call("listLeases", { query: { sortBy: "startDate", sortDirection: "asc" } });
    expect(leases).toMatchObject([
      { tenantName: "Ada Holm", rentCents: 110_000, occupants: [{ fullName: "Ada Holm" }, { tenantName: "Bo Holm", role: "co_tenant" }] },
      { tenantName: "Cleo Strand", rentCents: 190_000 },
    ]);
    expect(await closingBalances(office)).toMatchObject({ "1050": 300_000, "1100": 9_550, "2100": -300_000, "3900": -9_550 });
    expect((await prepare(office, "generic", ownRoll)).counts).toMatchObject({ ready_create: 0, ready_update: 0, ...noErrors });
  });

  test("adds nobody who is in a file of tenants with the same e-mail address", async () => {
    const office = await anOffice();
    const people = csvFile("tenants.csv", "Name,Email", "Ada Holm,ada.holm@example.com");
    const { counts } = await prepare(office, "generic", ownRoll, people);
    expect(counts.byEntity["tenant"]).toEqual({ ready_create: 3, duplicate_merged: 1 });
  });
});
