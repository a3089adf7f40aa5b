/** References of rows to other records by name, number, e-mail address and id. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { createReadyBundle, csvFile } from "../../../test/bundles.ts";
import { listBulkRows, listRowErrors, runBulkImport, validateBulkImport } from "../../../test/bulk-imports.ts";
import { writeBundle } from "../../../test/writing.ts";

let office: Office;
const ids: Record<string, string> = {};
beforeAll(async () => {
  office = await anOffice();
  const terms = { city: "Albany", state: "NY", postalCode: "12207", units: 1, occupiedUnits: 0 };
  for (const [key, name, streetLine1] of [
    ["court", "Maple Court", "12 Maple Street"],
    ["twin1", "Twin Oaks", "1 Oak Street"],
    ["twin2", "Twin Oaks", "2 Oak Street"],
  ] as const)
    ids[key] = (await office.call("createProperty", { body: { name, streetLine1, ...terms } })).property.id;
  for (const unitNumber of ["1A", "1B"])
    ids[unitNumber] = (await office.call("createUnit", { body: { propertyId: ids["court"]!, unitNumber, monthlyRentCents: 100_000 } })).unit.id;
  for (const [key, fullName, email] of [
    ["tess", "Tess Tenant", "tess@example.com"],
    ["sam1", "Sam Same", "sam.one@example.com"],
    ["sam2", "Sam Same", "sam.two@example.com"],
  ] as const)
    ids[key] = (await office.call("createTenant", { body: { fullName, email } })).tenant.id;
});

const unitLines = (...rows: string[]) => ["property_name,unit_number,monthly_rent", ...rows];
const leaseLines = (...rows: string[]) => ["property_name,unit_number,tenant_name,start_date,rent", ...rows];

describe("a property", () => {
  test.each([
    ["by name, ignoring case and spaces", () => "maple  COURT"],
    ["by id", () => ids["court"]!],
  ])("is found %s", async (_, name) => {
    const bulk = await validateBulkImport(office, "units", unitLines(`${name()},77,900.00`));
    expect([await listRowErrors(office, bulk), bulk.validRows]).toEqual([[], 1]);
  });

  test("is found by the source id of an earlier bulk import or bundle", async () => {
    const newOffice = await anOffice();
    const lines = ["id,name,street_line1,city,state,postal_code", "P-1,Elm House,1 Elm Street,Albany,NY,12207"];
    await runBulkImport(newOffice, "properties", lines);
    const bundle = await createReadyBundle(
      newOffice,
      "generic",
      csvFile("properties.csv", "source_id,name,street_line1,city,state,postal_code", "OLD-9,Pine House,9 Pine Street,Albany,NY,12207"),
    );
    await writeBundle(newOffice, bundle.id);
    expect(await runBulkImport(newOffice, "units", unitLines("P-1,1,900.00", "OLD-9,1,950.00"))).toMatchObject({ status: "completed", createdCount: 2 });
    const { units } = await newOffice.call("listUnits", { query: { sortBy: "propertyName" } });
    expect(units.map(({ propertyName }) => propertyName)).toEqual(["Elm House", "Pine House"]);
  });

  test("that does not exist, or whose name is not unique, is an error in its column", async () => {
    const lines = ["property,unit_number,monthly_rent", "Nowhere,1,900.00", "Twin Oaks,1,900.00", `${ids["twin2"]},1,900.00`];
    const bulk = await validateBulkImport(office, "units", lines);
    expect(await listRowErrors(office, bulk)).toEqual([
      '2 property not_found: There is no property "Nowhere". Add it first, or correct the row.',
      '3 property not_found: More than one property matches "Twin Oaks". Identify it by its id.',
    ]);
    expect(bulk.validRows).toBe(1);
  });

  test("of another organization is not found", async () => {
    const otherOffice = await anOffice();
    const bulk = await validateBulkImport(otherOffice, "units", unitLines(`${ids["court"]},1,900.00`, "Maple Court,1,900.00"));
    expect((await listRowErrors(otherOffice, bulk)).map((line) => line.slice(0, 25))).toEqual(["2 property_name not_found", "3 property_name not_found"]);
  });
});

describe("a unit", () => {
  test("requires its property with its number", async () => {
    const bulk = await validateBulkImport(office, "leases", leaseLines(",1A,Tess Tenant,2026-01-01,900.00", "Maple Court,9Z,Tess Tenant,2026-01-01,900.00"));
    expect(await listRowErrors(office, bulk)).toEqual([
      "2 property_name required: Unit numbers are unique only within a property: property_name is required with unit_number.",
      '3 unit_number not_found: There is no unit "9Z". Add it first, or correct the row.',
    ]);
  });

  test("is found by its id without a property", async () => {
    const bulk = await validateBulkImport(office, "leases", ["unit_id,tenant_id,start_date,rent", `${ids["1A"]},${ids["tess"]},2020-01-01,900.00`]);
    expect([await listRowErrors(office, bulk), bulk.validRows]).toEqual([[], 1]);
  });
});

describe("a tenant", () => {
  test("is found by name or e-mail address; a name that is not unique is an error", async () => {
    const row = (tenant: string, date: string) => `Maple Court,1A,${tenant},${date},900.00`;
    const bulk = await validateBulkImport(
      office,
      "leases",
      leaseLines(
        row("tess tenant", "2020-01-01"),
        row("TESS@example.com", "2020-02-01"),
        row("Sam Same", "2020-03-01"),
        row("sam.two@example.com", "2020-04-01"),
        row(ids["sam1"]!, "2020-05-01"),
        row("Nobody", "2020-06-01"),
      ),
    );
    expect(await listRowErrors(office, bulk)).toEqual([
      '4 tenant_name not_found: More than one tenant matches "Sam Same". Identify it by e-mail address or id.',
      '7 tenant_name not_found: There is no tenant "Nobody". Add it first, or correct the row.',
    ]);
    expect(bulk.validRows).toBe(4);
  });
});

describe("a lease", () => {
  const chargeLines = (...rows: string[]) => ["property_name,unit_number,tenant_name,lease_id,date,label,amount", ...rows];
  let past: string;
  let current: string;
  beforeAll(async () => {
    await runBulkImport(office, "leases", [
      "id,property_name,unit_number,tenant_name,term_type,start_date,end_date,rent",
      "L-1,Maple Court,1A,Tess Tenant,fixed,2024-01-01,2024-12-31,900.00",
      "L-2,Maple Court,1A,sam.one@example.com,fixed,2026-01-01,2099-12-31,950.00",
    ]);
    const { leases } = await office.call("listLeases", { query: { unitId: ids["1A"]!, sortBy: "startDate", sortDirection: "asc" } });
    [past, current] = leases.map(({ id }) => id) as [string, string];
  });

  test("is found by its unit with the date or the tenant, by its id, or by its source id", async () => {
    const bulk = await runBulkImport(
      office,
      "charges",
      chargeLines(
        "Maple Court,1A,,,2024-05-01,by past date,1.00",
        "Maple Court,1A,,,2026-05-01,by current date,2.00",
        "Maple Court,1A,Tess Tenant,,2026-05-01,by tenant,3.00",
        "Maple Court,1A,Sam Same,,2026-05-01,by ambiguous tenant,4.00",
        `,,,${past},2024-05-01,by id,5.00`,
        ",,,L-2,2026-05-01,by source id,6.00",
      ),
    );
    expect(await listRowErrors(office, bulk)).toEqual([]);
    const rows = await listBulkRows(office, bulk);
    const leases = await Promise.all(rows.map(async ({ entityId }) => (await office.call("getCharge", { params: { id: entityId! } })).charge.leaseId));
    expect(leases).toEqual([past, current, past, current, past, current]);
  });

  test("that does not exist is an error of the row", async () => {
    const bulk = await validateBulkImport(
      office,
      "charges",
      chargeLines(
        "Maple Court,1A,,,2023-05-01,before both leases,1.00",
        "Maple Court,1B,,,2026-05-01,unit without lease,1.00",
        "Maple Court,1A,sam.two@example.com,,2026-05-01,tenant without lease,1.00",
        ",,,L-9,2026-05-01,unknown source id,1.00",
        ",,,,2026-05-01,no reference,1.00",
      ),
    );
    // The first row is assigned to the active lease, because no lease was in force on its date.
    expect(await listRowErrors(office, bulk)).toEqual([
      '3 unit_number not_found: There is no lease of unit "1B". Check unit_number.',
      '4 unit_number not_found: The tenant of the row is on no lease of "1A". Add the tenant to the lease, or correct the tenant.',
      '5 lease_id not_found: There is no lease "L-9". Check lease_id.',
      "6 lease_id required: One of lease_source_id, unit_number is needed.",
    ]);
  });

  test("of a payment is found, with the payer and the charge that the row names", async () => {
    await runBulkImport(office, "charges", [
      "id,property_name,unit_number,date,label,amount",
      "C-1,Maple Court,1A,2026-06-01,June,40.00",
      "C-2,Maple Court,1A,2026-07-01,July,40.00",
    ]);
    const lines = [
      "property_name,unit_number,tenant_name,received_date,amount,method,charge_id",
      "Maple Court,1A,sam.one@example.com,2026-07-02,40.00,check,C-2",
      "Maple Court,1A,,2026-07-02,1.00,check,C-9",
    ];
    const bulk = await runBulkImport(office, "payments", lines);
    expect(await listRowErrors(office, bulk)).toEqual(['3 charge_id not_found: There is no charge "C-9". Add it first, or correct the row.']);
    const [created] = await listBulkRows(office, bulk, { status: "created" });
    const { payment } = await office.call("getPayment", { params: { id: created!.entityId! } });
    expect(payment).toMatchObject({ tenantId: ids["sam1"], leaseId: current, unallocatedCents: 0, allocations: [{ charge: { name: "July" } }] });
  });
});

test("the vendor and the unit of a work order are found by name and number", async () => {
  const { vendor } = await office.call("createVendor", { body: { name: "Bright Water, Inc." } });
  const bulk = await runBulkImport(office, "work_orders", [
    ["property_name", "unit_number", "title", "vendor_name"],
    ["Maple Court", "1B", "The tap drips", "bright water inc"],
    ["Maple Court", "", "The gate is open", ""],
    ["Maple Court", "", "The lamp is out", "Nobody Ltd"],
  ]);
  expect(await listRowErrors(office, bulk)).toEqual(['4 vendor_name not_found: There is no vendor "Nobody Ltd". Add it first, or correct the row.']);
  const [withVendor, withoutVendor] = await listBulkRows(office, bulk, { status: "created" });
  const responses = await Promise.all([withVendor!, withoutVendor!].map(({ entityId }) => office.call("getWorkOrder", { params: { id: entityId! } })));
  expect(responses.map(({ workOrder }) => [workOrder.vendorId, workOrder.unitId])).toEqual([
    [vendor.id, ids["1B"]],
    [null, null],
  ]);
});
