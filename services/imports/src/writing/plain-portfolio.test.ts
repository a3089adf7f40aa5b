/** Import of spreadsheets that were not made for Freehold: without ids, with the column names that people use, and with money beside the leases. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import type { ImportBundle } from "@freehold/contract/imports/import-bundles";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { closingBalances } from "../../../../test/support/tenancy.ts";
import { createBundle, csvFile, listAllCandidates, uploadFiles, validateBundle } from "../../test/bundles.ts";
import { writeBundle } from "../../test/writing.ts";

const properties = [
  "Property Name,Address,City,State,ZIP Code,Type,Year Built",
  "Cedar Flats,31 Cedar St,Eugene,OR,97401,Multi-Family,1969",
  "Quay House,2 Quay Rd,Eugene,OR,97402,Multi-Family,2011",
  "9 Fern Way,9 Fern Way,Springfield,OR,97477,Single-Family,1988",
];
const units = [
  "Property,Unit #,Beds,Baths,Sq Ft,Market Rent",
  'Cedar Flats,A,1,1,590,"$1,150.00"',
  'Cedar Flats,B,2,1.5,790,"$1,395.00"',
  'Cedar Flats,C,1,1,590,"$1,150.00"',
  'Quay House,11,2,2,940,"$1,980.00"',
  'Quay House,12,2,2,940,"$1,980.00"',
  'Quay House,21,3,2,"1,190","$2,450.00"',
  'Quay House,22,3,2,"1,190","$2,450.00"',
  '9 Fern Way,House,3,2,1420,"$2,250.00"',
];
const tenants = [
  "First Name,Last Name,Email,Mobile Phone",
  "Iris,Novak,iris.novak@example.com,(541) 555-0121",
  "Jonas,Weber,jonas.w@example.com,541-555-0122",
  "Kira,Olsen,kira.o@example.com,541.555.0123",
  "Leon,Fischer,leon.f@example.com,+1 541 555 0124",
  "Mona,Keller,mona.k@example.com,5415550125",
  "Nils,Berg,nils.b@example.com,(541) 555-0126",
  "Olga,Brandt,olga.b@example.com,(541) 555-0127",
];
const leases = [
  "Property,Unit,Tenant Email,Lease From,Lease To,Monthly Rent,Security Deposit,Balance Due",
  'Cedar Flats,A,iris.novak@example.com,01/01/2026,12/31/2098,"1,150.00","1,150.00",0.00',
  'Cedar Flats,B,Jonas.W@example.com,06/01/2026,05/31/2099,"1,395.00","1,395.00",212.50',
  'Cedar Flats,C,kira.o@example.com,03/01/2026,02/28/2099,"1,125.00","1,125.00",0.00',
  'Quay House,11,leon.f@example.com,09/01/2026,08/31/2099,"1,980.00","1,980.00","1,980.00"',
  'Quay House,12,mona.k@example.com,02/01/2026,01/31/2099,"1,940.00","1,900.00",0.00',
  'Quay House,21,nils.b@example.com,10/01/2026,09/30/2099,"2,450.00","2,450.00",150.00',
  '9 Fern Way,House,olga.b@example.com,07/01/2026,06/30/2099,"2,250.00","2,250.00",0.00',
];
const files = () => Object.entries({ properties, units, tenants, leases }).map(([name, lines]) => csvFile(`${name}.csv`, ...lines));

const prepare = async (office: Office, ...uploaded: File[]): Promise<ImportBundle> => {
  const { id } = await createBundle(office, "generic", "spreadsheets");
  await uploadFiles(office, id, ...uploaded);
  return validateBundle(office, id);
};

describe("four plain spreadsheets", () => {
  let office: Office;
  let prepared: ImportBundle;
  beforeAll(async () => {
    office = await anOffice();
    prepared = await prepare(office, ...files());
    expect(await writeBundle(office, prepared.id)).toMatchObject({ status: "completed" });
  });

  test("need no mapping by hand", () => {
    expect(prepared.files.map(({ form, missingRequired, unmappedColumns }) => [form, missingRequired, unmappedColumns])).toEqual([
      ["properties", [], ["Year Built"]],
      ["units", [], []],
      ["tenants", [], []],
      ["leases", [], []],
    ]);
    expect(prepared.counts).toMatchObject({ ready_create: 3 + 8 + 7 + 7 + 7 + 3, invalid: 0, ambiguous: 0, blocked: 0, missing_source_data: 0 });
  });

  test("become properties, units, tenants and active leases", async () => {
    expect((await office.call("listProperties")).total).toBe(3);
    expect((await office.call("listUnits")).total).toBe(8);
    expect((await office.call("listTenants")).total).toBe(7);
    const { leases: created } = await office.call("listLeases");
    expect(created.map(({ tenantName, rentCents, status }) => `${tenantName} ${rentCents} ${status}`).toSorted()).toEqual([
      "Iris Novak 115000 active",
      "Jonas Weber 139500 active",
      "Kira Olsen 112500 active",
      "Leon Fischer 198000 active",
      "Mona Keller 194000 active",
      "Nils Berg 245000 active",
      "Olga Brandt 225000 active",
    ]);
  });

  test("bring their deposits and opening balances into the ledger", async () => {
    expect(await closingBalances(office)).toMatchObject({ "1050": 1_225_000, "1100": 234_250, "2100": -1_225_000, "3900": -234_250 });
    const { charges } = await office.call("listCharges", { query: { chargeType: "other" } });
    const { leases: owing } = await office.call("listLeases");
    const tenantOf = new Map(owing.map(({ id, tenantName }) => [id, tenantName]));
    expect(charges.map(({ leaseId, name, balanceCents }) => `${tenantOf.get(leaseId)}: ${name} ${balanceCents}`).toSorted()).toEqual([
      "Jonas Weber: Opening balance 21250",
      "Leon Fischer: Opening balance 198000",
      "Nils Berg: Opening balance 15000",
    ]);
  });

  test("change nothing when they are imported again, together or alone", async () => {
    const repeated = await prepare(office, ...files());
    expect(repeated.counts).toMatchObject({ unchanged: 35, ready_create: 0, ready_update: 0, invalid: 0, ambiguous: 0, blocked: 0 });
    const alone = await prepare(office, csvFile("leases.csv", ...leases));
    expect(alone.counts).toMatchObject({ unchanged: 17, ready_create: 0, ready_update: 0, invalid: 0, blocked: 0 });
  });

  test("are found by name and e-mail address by a later file", async () => {
    const later = await prepare(
      office,
      csvFile("more leases.csv", "Property,Unit,Tenant,Lease From,Lease To,Rent", "Quay House,22,Iris Novak,01/01/2026,12/31/2099,2400"),
      csvFile("recurring.csv", "Property,Unit,Charge,Amount,Starts", "cedar flats,a,Parking,75,01/01/2026"),
    );
    expect((await listAllCandidates(office, later.id)).map(({ entityType, status, errors }) => [entityType, status, errors])).toEqual([
      ["lease", "ready_create", []],
      ["recurring_charge", "ready_create", []],
    ]);
  });

  test("are found by the address of their property, in the same import and in a later one", async () => {
    const byAddress = csvFile("units.csv", "Address,Apt,Rent", "31 Cedar St.,D,900", "2 Quay Rd,23,2400");
    const later = await prepare(office, byAddress);
    expect(later.counts).toMatchObject({ ready_create: 2, invalid: 0, blocked: 0 });
    const together = await prepare(office, csvFile("properties.csv", ...properties), byAddress);
    expect(together.counts).toMatchObject({ ready_create: 2, unchanged: 3, invalid: 0, blocked: 0 });
  });

  test("name the row whose tenant is unknown", async () => {
    const unknown = await prepare(office, csvFile("leases.csv", leases[0]!, 'Quay House,22,nobody@example.com,07/01/2026,06/30/2099,"2,250.00",,'));
    const { candidates } = await office.call("listImportCandidates", { params: { id: unknown.id }, query: { status: "invalid" } });
    expect(candidates).toMatchObject([
      { entityType: "lease", errors: [{ path: "primary_tenant_email", code: "not_found", message: expect.stringContaining("nobody@example.com") }] },
    ]);
  });
});
