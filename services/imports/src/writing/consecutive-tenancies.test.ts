/** Files without ids in which one unit has had several tenancies: people and money are those of their own tenancy. */
import { describe, expect, test } from "@jest/globals";
import type { ImportBundle } from "@freehold/contract/imports/import-bundles";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { createBundle, csvFile, queryImportsDatabase, uploadFiles, validateBundle } from "../../test/bundles.ts";
import { prepareBundle, type Sheets, writeBundle } from "../../test/writing.ts";

const property = csvFile("properties.csv", "Name,AddressLine1,City,State,PostalCode", "Maple Court,12 Maple Street,Albany,NY,12207");
const HEADER = "Property,Unit,Tenants,Lease Start,Lease End,Rent,Deposits Held,Prepayments,Balance Due";

async function validateRoll(office: Office, ...rows: string[]): Promise<ImportBundle> {
  const { id } = await createBundle(office, "buildium", "rent-rolls");
  await uploadFiles(office, id, property, csvFile("rent_roll.csv", HEADER, ...rows.map((row) => `Maple Court,101,${row}`)));
  return validateBundle(office, id);
}
const importRoll = async (office: Office, ...rows: string[]) => writeBundle(office, (await validateRoll(office, ...rows)).id);

/** Returns the people, the deposits and the charges of each lease in the order of the first days. */
async function tenanciesOf(office: Office) {
  const { leases } = await office.call("listLeases", { query: { sortBy: "startDate", sortDirection: "asc" } });
  const { securityDeposits } = await office.call("listSecurityDeposits");
  const { charges } = await office.call("listCharges", { query: { chargeType: "other", pageSize: 100 } });
  return leases.map(({ id, startDate, occupants }) => [
    startDate,
    occupants.map(({ fullName }) => fullName).toSorted(),
    securityDeposits.filter(({ leaseId }) => leaseId === id).map(({ heldCents }) => heldCents),
    charges.filter(({ leaseId }) => leaseId === id).map(({ amountCents }) => amountCents),
  ]);
}
const NOTHING_NEW = { ready_create: 0, ready_update: 0, invalid: 0, ambiguous: 0, blocked: 0 };
const COUPLE = ["Alex Sample", "Sam Sample"];

describe("people who have lived in a unit before", () => {
  const former = (money: string) => `"Sam Sample, Alex Sample",01/01/2020,12/31/2020,1000.00,${money}`;
  const present = (money: string) => `"Sam Sample, Alex Sample",01/01/2025,12/31/2099,1000.00,${money}`;

  test.each([
    ["different amounts", "700.00,0.00,50.00", [70_000], [5_000]],
    ["equal amounts", "900.00,0.00,120.00", [90_000], [12_000]],
  ])("are on both leases, each with its own deposit and balance: %s", async (_, money, deposits, balances) => {
    const office = await anOffice();
    const rows = [former(money), present("900.00,0.00,120.00")];
    expect(await importRoll(office, ...rows)).toMatchObject({ status: "completed" });
    expect(await tenanciesOf(office)).toEqual([
      ["2020-01-01", COUPLE, deposits, balances],
      ["2025-01-01", COUPLE, [90_000], [12_000]],
    ]);
    expect((await validateRoll(office, ...rows.toReversed())).counts).toMatchObject(NOTHING_NEW);
    expect((await validateRoll(office, rows[1]!)).counts).toMatchObject(NOTHING_NEW);
  });

  test("have another deposit than in an earlier file that ends before they have come back", async () => {
    const office = await anOffice();
    await importRoll(office, former("900.00,0.00,0.00"));
    expect((await importRoll(office, present("900.00,0.00,0.00"))).counts.byEntity).toMatchObject({
      deposit: { ready_create: 1 },
      occupant: { ready_create: 1 },
    });
    expect(await tenanciesOf(office)).toEqual([
      ["2020-01-01", COUPLE, [90_000], []],
      ["2025-01-01", COUPLE, [90_000], []],
    ]);
  });
});

describe("a lease and its renewal", () => {
  const first = (money: string) => `"Sam Sample, Alex Sample",01/01/2024,12/31/2024,1000.00,${money}`;
  const renewal = (money: string) => `"Sam Sample, Alex Sample",01/01/2025,12/31/2099,1000.00,${money}`;

  test("in one file have everybody on both, and one deposit and one balance, on the lease that is in force", async () => {
    const office = await anOffice();
    const rows = [first("900.00,0.00,120.00"), renewal("900.00,0.00,120.00")];
    expect(await importRoll(office, ...rows)).toMatchObject({ status: "completed" });
    expect(await tenanciesOf(office)).toEqual([
      ["2024-01-01", COUPLE, [], []],
      ["2025-01-01", COUPLE, [90_000], [12_000]],
    ]);
    for (const each of [rows, rows.toReversed(), [rows[1]!]]) expect((await validateRoll(office, ...each)).counts).toMatchObject(NOTHING_NEW);
  });

  test("with different deposits in one file are errors instead of one lost amount", async () => {
    const { counts } = await validateRoll(await anOffice(), first("700.00,0.00,0.00"), renewal("900.00,0.00,0.00"));
    expect(counts.byEntity["deposit"]).toEqual({ invalid: 2 });
  });

  test("in two files have everybody on both, and the deposit that is posted goes to the renewal", async () => {
    const office = await anOffice();
    await importRoll(office, first("900.00,0.00,0.00"));
    const { id, counts } = await validateRoll(office, renewal("900.00,0.00,0.00"));
    expect(counts.byEntity).toMatchObject({ deposit: { unchanged: 1 }, occupant: { ready_create: 1 } });
    await writeBundle(office, id);
    expect(await tenanciesOf(office)).toEqual([
      ["2024-01-01", COUPLE, [], []],
      ["2025-01-01", COUPLE, [90_000], []],
    ]);
    expect((await validateRoll(office, first("900.00,0.00,0.00"), renewal("900.00,0.00,0.00"))).counts).toMatchObject(NOTHING_NEW);
  });
});

test("the money of two tenancies is told apart when the file has the ids of the tenants only", async () => {
  const office = await anOffice();
  const sheets: Sheets = {
    properties: ["name,street_line1,city,state,postal_code", "Maple Court,12 Maple Street,Albany,NY,12207"],
    units: ["property_name,unit_number,monthly_rent", "Maple Court,101,1000.00"],
    tenants: ["source_id,full_name", "T-1,Sam Sample", "T-2,Nora Next", "T-3,Cora Co"],
    leases: [
      "property_name,unit_number,primary_tenant_source_id,co_tenants,start_date,end_date,rent,amount_held,balance",
      "Maple Court,101,T-1,Cora Co,2024-01-01,2024-12-31,800.00,900.00,50.00",
      "Maple Court,101,T-2,Cora Co,2025-01-01,2099-12-31,1000.00,900.00,50.00",
    ],
  };
  expect(await writeBundle(office, (await prepareBundle(office, sheets)).id)).toMatchObject({ status: "completed" });
  expect(await tenanciesOf(office)).toEqual([
    ["2024-01-01", ["Cora Co", "Sam Sample"], [90_000], [5_000]],
    ["2025-01-01", ["Cora Co", "Nora Next"], [90_000], [5_000]],
  ]);
  expect((await prepareBundle(office, sheets)).counts).toMatchObject(NOTHING_NEW);
});

test("people and money of an import without first days in its ids stay known", async () => {
  const office = await anOffice();
  const row = '"Sam Sample, Alex Sample",01/01/2024,12/31/2099,1000.00,900.00,0.00,120.00';
  await importRoll(office, row);
  for (const table of ["import_identity", "import_candidate"])
    await queryImportsDatabase(
      office.organizationId,
      `update ${table} set source_id = regexp_replace(source_id, '/2024-01-01$', '')
        where organization_id = $1 and entity_type in ('occupant', 'deposit', 'opening_balance')`,
      [office.organizationId],
    );
  expect((await validateRoll(office, row)).counts).toMatchObject(NOTHING_NEW);
  const next = row.replace("01/01/2024,12/31/2099", "01/01/2024,12/31/2024").replace("900.00,0.00,120.00", "0.00,0.00,0.00");
  const returned = '"Sam Sample, Alex Sample",06/01/2025,12/31/2099,1000.00,900.00,0.00,120.00';
  expect((await validateRoll(office, next, returned)).counts.byEntity).toMatchObject({ deposit: { ready_create: 1 }, opening_balance: { ready_create: 1 } });
});
