/** Rows that meet what is there already: what changes, what stays, and what nobody can tell. */
import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/office.ts";
import { errorsOf, imported, judged, rowsOf, started } from "../../test/bulk-imports.ts";

const house = { city: "Albany", state: "NY", postalCode: "12207", units: 1, occupiedUnits: 0 };
const header = "name,street_line1,city,state,postal_code";

describe("upsert", () => {
  test("adds what is new, changes what is another, leaves what is the same, and tells each", async () => {
    const office = await anOffice();
    const lines = [header, "Maple Court,12 Maple Street,Albany,NY,12207", "Oak House,7 Oak Street,Albany,NY,12207"];
    await imported(office, "properties", lines);
    const bulk = await judged(
      office,
      "properties",
      [lines[0]!, lines[1]!, "Oak House,9 Oak Street,Troy,NY,12180", "Elm House,1 Elm Street,Albany,NY,12207"],
      "upsert",
    );
    const rows = await rowsOf(office, bulk);
    expect(rows.map(({ changes, ...row }) => ({ ...row, changes: changes.toSorted((a, b) => a.field.localeCompare(b.field)) }))).toMatchObject([
      { status: "unchanged", changes: [] },
      {
        status: "ready_update",
        changes: [
          { field: "city", from: "Albany", to: "Troy" },
          { field: "postal_code", from: "12207", to: "12180" },
          { field: "street_line1", from: "7 Oak Street", to: "9 Oak Street" },
        ],
      },
      { status: "ready_create" },
    ]);
    const done = await started(office, bulk.id);
    expect(done).toMatchObject({ status: "completed", createdCount: 1, updatedCount: 1, validRows: 3 });
    expect((await rowsOf(office, done)).map(({ status }) => status)).toEqual(["unchanged", "updated", "created"]);
    const { properties } = await office.call("listProperties", { query: { sortBy: "name" } });
    expect(properties.map(({ name, city }) => [name, city])).toEqual([
      ["Elm House", "Albany"],
      ["Maple Court", "Albany"],
      ["Oak House", "Troy"],
    ]);
  });

  test("sets a record to what the file says though it was changed by hand since", async () => {
    const office = await anOffice();
    const lines = ["full_name,email,phone", "Tess Tenant,tess@example.com,518-555-0102"];
    const [row] = await rowsOf(office, await imported(office, "tenants", lines));
    await office.call("updateTenant", { params: { id: row!.entityId! }, body: { phone: "518-555-0199" } });
    expect(await imported(office, "tenants", lines, "upsert")).toMatchObject({ updatedCount: 1 });
    expect((await office.call("getTenant", { params: { id: row!.entityId! } })).tenant.phone).toBe("+15185550102");
  });

  test("changes a unit by its number and a lease by its first day, but neither a rent in force nor where they are", async () => {
    const office = await anOffice();
    await imported(office, "properties", [header, "Maple Court,12 Maple Street,Albany,NY,12207", "Oak House,7 Oak Street,Albany,NY,12207"]);
    await imported(office, "units", ["id,property_name,unit_number,monthly_rent", "U-1,Maple Court,1A,900.00"]);
    await imported(office, "tenants", ["full_name", "Tess Tenant"]);
    const lease = (rent: string, rest: string) => [
      "property_name,unit_number,tenant_name,term_type,start_date,rent,rent_charge_day",
      `Maple Court,1A,Tess Tenant,month_to_month,2026-01-01,${rent},${rest}`,
    ];
    await imported(office, "leases", lease("900.00", "1"));
    expect(await imported(office, "units", ["property_name,unit_number,monthly_rent,bedrooms", "maple court,1a,925.00,3"], "upsert")).toMatchObject({
      updatedCount: 1,
    });
    expect((await office.call("listUnits")).units).toMatchObject([{ unitNumber: "1a", monthlyRentCents: 92_500, bedrooms: 3 }]);
    const elsewhere = await judged(office, "units", ["id,property_name,unit_number,monthly_rent", "U-1,Oak House,1A,925.00"], "upsert");
    expect(await errorsOf(office, elsewhere)).toEqual(["2 property_name not_allowed: The unit belongs to another property, and an import does not move it."]);
    const raised = await judged(office, "leases", lease("950.00", "1"), "upsert");
    expect(await errorsOf(office, raised)).toEqual([
      "2 rent not_allowed: An import does not change rent. Change the lease itself, or leave it as it was: 900.00.",
    ]);
    expect(await imported(office, "leases", lease("900.00", "5"), "upsert")).toMatchObject({ status: "completed", updatedCount: 1 });
    expect((await office.call("listLeases")).leases).toMatchObject([{ rentChargeDay: 5, rentCents: 90_000 }]);
    const ending = ["property_name,unit_number,tenant_name,start_date,rent,end_date", "Maple Court,1A,Tess Tenant,2026-01-01,900.00,2027-06-30"];
    expect(await rowsOf(office, await judged(office, "leases", ending, "upsert"))).toMatchObject([
      { status: "ready_update", changes: [{ field: "end_date", from: null, to: "2027-06-30" }] },
    ]);
  });

  test("changes a work order by its id, and nothing that was posted", async () => {
    const office = await anOffice();
    await imported(office, "properties", [header, "Maple Court,12 Maple Street,Albany,NY,12207"]);
    await imported(office, "units", ["property_name,unit_number,monthly_rent", "Maple Court,1A,900.00"]);
    await imported(office, "tenants", ["full_name", "Tess Tenant"]);
    await imported(office, "leases", ["property_name,unit_number,tenant_name,start_date,rent", "Maple Court,1A,Tess Tenant,2026-01-01,900.00"]);
    const order = (title: string, status: string) => ["id,property_name,title,priority,status", `W-1,Maple Court,${title},high,${status}`];
    const [first] = await rowsOf(office, await imported(office, "work_orders", order("The tap drips", "open")));
    expect(await imported(office, "work_orders", order("Both taps drip", "completed"), "upsert")).toMatchObject({ status: "completed", updatedCount: 1 });
    expect((await office.call("getWorkOrder", { params: { id: first!.entityId! } })).workOrder).toMatchObject({ title: "Both taps drip", status: "open" });

    const money = {
      charges: (amount: string) => ["id,property_name,unit_number,date,amount", `C-1,Maple Court,1A,2026-02-01,${amount}`],
      payments: (amount: string) => ["id,property_name,unit_number,received_date,amount", `P-1,Maple Court,1A,2026-02-03,${amount}`],
      recurring_charges: (amount: string) => ["id,property_name,unit_number,label,start_date,amount", `R-1,Maple Court,1A,Parking,2027-01-01,${amount}`],
    };
    for (const [type, lines] of Object.entries(money) as [keyof typeof money, (amount: string) => string[]][]) {
      await imported(office, type, lines("10.00"));
      const bulk = await judged(office, type, lines("12.00"), "upsert");
      expect(await errorsOf(office, bulk)).toEqual([expect.stringMatching(/^2 amount not_allowed: What was posted is not changed by an import.*: 10\.00\.$/)]);
    }
  });

  test("finds a record by its own id, in whatever the file calls it", async () => {
    const office = await anOffice();
    const { property } = await office.call("createProperty", { body: { name: "Old name", streetLine1: "1 Elm Street", ...house } });
    const lines = [`id,${header}`, `${property.id},New name,2 Elm Street,Albany,NY,12207`];
    expect(await errorsOf(office, await judged(office, "properties", lines))).toEqual([
      expect.stringContaining(`2 id unique: There is this property already: Old name (${property.id})`),
    ]);
    expect(await imported(office, "properties", lines, "upsert")).toMatchObject({ status: "completed", updatedCount: 1, createdCount: 0 });
    expect((await office.call("listProperties")).properties).toMatchObject([{ id: property.id, name: "New name" }]);
  });
});

describe("create", () => {
  test("refuses a row by what no two records share, naming its column and the record", async () => {
    const office = await anOffice();
    const { property } = await office.call("createProperty", { body: { name: "Maple Court", streetLine1: "12 Maple Street", ...house } });
    await office.call("createUnit", { body: { propertyId: property.id, unitNumber: "1A", monthlyRentCents: 100_000 } });
    await office.call("createVendor", { body: { name: "Brightwater" } });
    await office.call("createTenant", { body: { fullName: "Tess Tenant", email: "tess@example.com" } });
    const paths = async (...given: Parameters<typeof judged> extends [unknown, ...infer R] ? R : never) =>
      (await errorsOf(office, await judged(office, ...given))).map((line) => line.split(":")[0]);
    expect(await paths("properties", [header, "maple court,99 Other Street,Albany,NY,12207", "Another name,12 maple street,Albany,NY,12207"])).toEqual([
      "2 name unique",
      "3 street_line1 unique",
    ]);
    expect(await paths("units", ["property_name,unit_number,monthly_rent", "Maple Court,1a,900.00"])).toEqual(["2 unit_number unique"]);
    expect(await paths("vendors", ["name,trade", "BRIGHTWATER,plumbing"])).toEqual(["2 name unique"]);
    expect(await paths("tenants", ["full_name,email", "T. Tenant,TESS@example.com"])).toEqual(["2 email unique"]);
  });

  test("asks nothing back: whoever could be somebody else is an error that says how to tell the two apart", async () => {
    const office = await anOffice();
    for (const email of ["one@example.com", "two@example.com"]) await office.call("createTenant", { body: { fullName: "Sam Same", email } });
    await office.call("createTenant", { body: { fullName: "Tess Tenant", email: "tess@example.com" } });
    const bulk = await imported(office, "tenants", ["full_name,email", "Sam Same,", "Tess Tenant,", "Tess Tenant,other.tess@example.com"]);
    expect(await errorsOf(office, bulk)).toEqual([
      expect.stringMatching(/^2 full_name not_found: Several tenants could be this one: Sam Same \(.*\), Sam Same \(.*\)\. Say which by its id\.$/),
      expect.stringMatching(/^3 full_name not_found: This could be Tess Tenant \(.*\), who has the same name\. Give its id if it is, and an e-mail address/),
    ]);
    expect(bulk).toMatchObject({ status: "completed_with_errors", createdCount: 1 });
    expect((await office.call("listTenants")).total).toBe(4);
  });

  test("refuses a second row of the file for the same record, and lets two alike charges be two", async () => {
    const office = await anOffice();
    const bulk = await judged(office, "vendors", ["id,name", "V-1,One", "V-1,Two", ",Three", ",three"]);
    expect(await errorsOf(office, bulk)).toEqual([
      "3 id unique: Row 2 is the same already. Leave one of the two out, or give each an id of its own.",
      "5 id unique: Row 4 is the same already. Leave one of the two out, or give each an id of its own.",
    ]);
    const units = await judged(office, "owners", [
      "full_name,email",
      "Olga Owner,olga@example.com",
      "Olga Owner,Olga@Example.com",
      "Olga Owner,another@example.com",
    ]);
    expect((await errorsOf(office, units)).map((line) => line.slice(0, 11))).toEqual(["3 id unique"]);
  });

  test("takes a row again whose record is gone", async () => {
    const office = await anOffice();
    const lines = [header, "Maple Court,12 Maple Street,Albany,NY,12207"];
    const [row] = await rowsOf(office, await imported(office, "properties", lines));
    await office.call("deleteProperty", { params: { id: row!.entityId! } });
    expect(await imported(office, "properties", lines)).toMatchObject({ status: "completed", createdCount: 1 });
    expect(await imported(office, "units", ["property_name,unit_number,monthly_rent", "Maple Court,1A,900.00"])).toMatchObject({ createdCount: 1 });
    await imported(office, "tenants", ["full_name", "Tess Tenant"]);
    await imported(office, "leases", ["property_name,unit_number,tenant_name,start_date,rent", "Maple Court,1A,Tess Tenant,2026-01-01,900.00"]);
    const charges = ["property_name,unit_number,date,amount", "Maple Court,1A,2026-02-01,10.00"];
    const [charge] = await rowsOf(office, await imported(office, "charges", charges));
    await office.call("voidCharge", { params: { id: charge!.entityId! }, body: { reason: "Entered twice" } });
    expect(await imported(office, "charges", charges)).toMatchObject({ status: "completed", createdCount: 1 });
  });
});
