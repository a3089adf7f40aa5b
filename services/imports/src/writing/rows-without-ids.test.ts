/** Charges, payments and work orders without ids: the rows of a corrected, sorted, split or extended file are known by their values. */
import { describe, expect, test } from "@jest/globals";
import type { ImportBundle, ImportProvider } from "@freehold/contract/imports/import-bundles";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { createBundle, csvFile, listAllCandidates, queryImportsDatabase, uploadFiles, validateBundle } from "../../test/bundles.ts";
import { type Sheets, writeBundle } from "../../test/writing.ts";

async function validateFiles(office: Office, provider: ImportProvider, files: Sheets): Promise<ImportBundle> {
  const { id } = await createBundle(office, provider, "old-system");
  await uploadFiles(office, id, ...Object.entries(files).map(([name, lines]) => csvFile(`${name}.csv`, ...lines)));
  return validateBundle(office, id);
}
const importFiles = async (office: Office, provider: ImportProvider, files: Sheets) => writeBundle(office, (await validateFiles(office, provider, files)).id);

const portfolio: Sheets = {
  properties: ["Name,AddressLine1,City,State,PostalCode", "Maple Court,12 Maple Street,Albany,NY,12207"],
  rent_roll: ["Property,Unit,Tenants,Lease Start,Lease End,Rent", "Maple Court,101,Sam Sample,01/01/2026,12/31/2099,1000.00"],
};
const HEADER = "Date,Transaction type,Property name,Unit number,Payment method,Paid by,Amount,General Ledger Allocation,Memo,Check number";
const october = '01/01/2026,Charge,Maple Court,101,,,"1,000.00",Rent Income,First rent,';
const credit = "01/02/2026,Credit,Maple Court,101,,,20.00,Rent Income,Goodwill,";
const november = '02/01/2026,Charge,Maple Court,101,,,"1,000.00",Rent Income,Second rent,';
const payment = '02/03/2026,Payment,Maple Court,101,Check,Sam Sample,"1,000.00",,,1001';
const laundry = "02/05/2026,Charge,Maple Court,101,,,5.00,Other Income,Laundry,";
const rows = [october, credit, november, payment, laundry, laundry];
const older = "01/01/2026,Charge,Maple Court,101,,,5.00,Other Income,Key,";

const transactions = (...lines: string[]): Sheets => ({ charges_and_payments: [HEADER, ...lines] });

/** Returns the numbers of the charges and payments of an office and their sums. */
async function moneyOf(office: Office) {
  const { charges } = await office.call("listCharges", { query: { pageSize: 100 } });
  const { payments } = await office.call("listPayments", { query: { pageSize: 100 } });
  const sum = (amounts: { amountCents: number }[]) => amounts.reduce((total, { amountCents }) => total + amountCents, 0);
  return [charges.length, sum(charges), payments.length, sum(payments)];
}

describe("charges and payments without ids are posted once", () => {
  test.each<[string, Sheets, number]>([
    ["when a refused row is deleted", transactions(...rows.filter((row) => row !== credit)), 0],
    ["when the newest come first", transactions(...rows.toReversed()), 0],
    ["when only the second half of the file comes again", transactions(...rows.slice(2)), 0],
    ["when only one of two equal rows comes again", transactions(...rows.slice(0, 5)), 0],
    ["when the file is divided into two", { charges_and_payments: [HEADER, ...rows.slice(0, 5)], charges_and_payments_2: [HEADER, ...rows.slice(5)] }, 0],
    ["when the file comes twice, in two formats", { charges_and_payments: [HEADER, ...rows], charges_and_payments_2: [HEADER, ...rows.toReversed()] }, 0],
    ["when an older row comes first", transactions(older, ...rows), 1],
    ["when a third equal row follows", transactions(...rows, laundry), 1],
  ])("%s", async (_, files, newCount) => {
    const office = await anOffice();
    await importFiles(office, "buildium", { ...portfolio, ...transactions(...rows) });
    expect(await moneyOf(office)).toEqual([4, 201_000, 1, 100_000]);
    const { counts } = await importFiles(office, "buildium", files);
    expect(counts).toMatchObject({ ready_create: newCount, ready_update: 0 });
    expect(await moneyOf(office)).toEqual([4 + newCount, 201_000 + 500 * newCount, 1, 100_000]);
  });

  test("when they were imported under the numbers of their rows, in any order", async () => {
    const office = await anOffice();
    await importFiles(office, "buildium", { ...portfolio, ...transactions(...rows) });
    await queryImportsDatabase(
      office.organizationId,
      `update import_identity i set source_id = i.equal_rows_key || c.row_number from import_candidate c
        where i.organization_id = $1 and i.entity_type in ('charge', 'payment') and c.organization_id = i.organization_id and c.bundle_id = i.bundle_id
          and c.entity_type = i.entity_type and c.source_id = i.source_id`,
      [office.organizationId],
    );
    const ids = await queryImportsDatabase(office.organizationId, "select from import_identity where organization_id = $1 and source_id like '%00/7'", [
      office.organizationId,
    ]);
    expect(ids).toHaveLength(1);
    for (const each of [rows, rows.toReversed(), rows.slice(3)])
      expect((await importFiles(office, "buildium", transactions(...each))).counts).toMatchObject({ ready_create: 0, ready_update: 0 });
    expect(await moneyOf(office)).toEqual([4, 201_000, 1, 100_000]);
  });

  test("when some rows of the column source_id are empty", async () => {
    const office = await anOffice();
    const header = "source_id,lease_source_id,date,due_date,type,label,amount";
    const charges = [",L-1,2026-09-31,2026-09-01,rent,Sep,1000", ",L-1,2026-10-01,2026-10-01,rent,Oct,1000", "C-9,L-1,2026-11-01,2026-11-01,rent,Nov,1000"];
    await importFiles(office, "generic", {
      properties: ["name,street_line1,city,state,postal_code", "Maple Court,12 Maple Street,Albany,NY,12207"],
      units: ["property_name,unit_number,monthly_rent", "Maple Court,101,1000"],
      tenants: ["full_name", "Sam Sample"],
      leases: ["source_id,property_name,unit_number,primary_tenant_name,start_date,end_date,rent", "L-1,Maple Court,101,Sam Sample,2026-01-01,2099-12-31,1000"],
      charges: [header, ...charges],
    });
    const { counts } = await importFiles(office, "generic", { charges: [header, ...charges.slice(1)] });
    expect(counts).toMatchObject({ ready_create: 0, ready_update: 0, unchanged: 2 });
  });
});

test("a corrected row without an id is an error that names the posted record, and a row with several other values is another one", async () => {
  const office = await anOffice();
  await importFiles(office, "buildium", { ...portfolio, ...transactions(...rows) });
  const corrected = await validateFiles(office, "buildium", transactions(october.replace("First rent", "Rent of January")));
  expect(corrected.counts).toMatchObject({ invalid: 1, ready_create: 0 });
  const other = payment.replace("Check", "Money order").replace("1001", "77");
  expect((await validateFiles(office, "buildium", transactions(other))).counts.byEntity).toEqual({ payment: { ready_create: 1 } });
  expect((await validateFiles(office, "buildium", transactions(other, payment))).counts.byEntity).toEqual({ payment: { ready_create: 1, unchanged: 1 } });
});

test("an edited row without an id is one more of the rows that it equals since, also when the bundle is validated again", async () => {
  const office = await anOffice();
  const { id } = await validateFiles(office, "buildium", { ...portfolio, ...transactions(laundry, laundry.replace("5.00", "6.00"), laundry) });
  const charges = await listAllCandidates(office, id, { entityType: "charge" });
  const sixDollars = charges.find(({ data }) => data["amount"] === "6.00")!;
  await office.call("resolveImportCandidate", { params: { id, candidateId: sixDollars.id }, body: { action: "edit", data: { amount: "5.00" } } });
  expect((await validateBundle(office, id)).counts.byEntity).toMatchObject({ charge: { ready_create: 3 } });
  await writeBundle(office, id);
  expect(await moneyOf(office)).toEqual([3, 1_500, 0, 0]);
  expect((await importFiles(office, "buildium", transactions(laundry, laundry, laundry))).counts).toMatchObject({ ready_create: 0, unchanged: 3 });
});

test("a work order without an id is updated wherever its row is, and equal ones are as many as their rows", async () => {
  const office = await anOffice();
  const header = "Property,Unit,Job Description,Status,Priority";
  const property = {
    property_directory: [
      "Property Name,Property ID,Property Street Address 1,Property City,Property State,Property Zip",
      "Maple Court,100,12 Maple Street,Hartford,CT,06103",
    ],
  };
  const drip = "Maple Court,,The tap drips,New,Normal";
  await importFiles(office, "appfolio", {
    ...property,
    work_order: [header, drip, "Maple Court,,The door sticks,New,Normal", "Maple Court,,The door sticks,New,Normal"],
  });
  const next = ["Maple Court,,The door sticks,New,Normal", "Maple Court,,The door sticks,New,Normal", drip.replace("Normal", "Urgent")];
  expect((await importFiles(office, "appfolio", { work_order: [header, ...next] })).counts.byEntity).toEqual({ work_order: { unchanged: 2, ready_update: 1 } });
  const { workOrders } = await office.call("listWorkOrders");
  expect(workOrders.map(({ title, priority }) => `${title} ${priority}`).toSorted()).toEqual([
    "The door sticks normal",
    "The door sticks normal",
    "The tap drips high",
  ]);
});
