/** Rows of existing records: updates with upsert, errors with create, and ambiguous rows. */
import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/support/office.ts";
import { aPayment } from "../../../../test/support/tenancy.ts";
import { listBulkRows, listRowErrors, runBulkImport, validateBulkImport, writeBulkImport } from "../../test/bulk-imports.ts";

const propertyTerms = { city: "Albany", state: "NY", postalCode: "12207", units: 1, occupiedUnits: 0 };
const header = "name,street_line1,city,state,postal_code";

describe("upsert", () => {
  test("creates new records, updates changed ones and leaves equal ones unchanged", async () => {
    const office = await anOffice();
    const lines = [header, "Maple Court,12 Maple Street,Albany,NY,12207", "Oak House,7 Oak Street,Albany,NY,12207"];
    await runBulkImport(office, "properties", lines);
    const bulk = await validateBulkImport(
      office,
      "properties",
      [lines[0]!, lines[1]!, "Oak House,9 Oak Street,Troy,NY,12180", "Elm House,1 Elm Street,Albany,NY,12207"],
      "upsert",
    );
    const rows = await listBulkRows(office, bulk);
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
    const done = await writeBulkImport(office, bulk.id);
    expect(done).toMatchObject({ status: "completed", createdCount: 1, updatedCount: 1, validRows: 3 });
    expect((await listBulkRows(office, done)).map(({ status }) => status)).toEqual(["unchanged", "updated", "created"]);
    const { properties } = await office.call("listProperties", { query: { sortBy: "name" } });
    expect(properties.map(({ name, city }) => [name, city])).toEqual([
      ["Elm House", "Albany"],
      ["Maple Court", "Albany"],
      ["Oak House", "Troy"],
    ]);
  });

  test("overwrites manual changes with the values of the file", async () => {
    const office = await anOffice();
    const lines = ["full_name,email,phone", "Tess Tenant,tess@example.com,518-555-0102"];
    const [row] = await listBulkRows(office, await runBulkImport(office, "tenants", lines));
    await office.call("updateTenant", { params: { id: row!.entityId! }, body: { phone: "518-555-0199" } });
    expect(await runBulkImport(office, "tenants", lines, "upsert")).toMatchObject({ updatedCount: 1 });
    expect((await office.call("getTenant", { params: { id: row!.entityId! } })).tenant.phone).toBe("+15185550102");
  });

  test("matches units by number and leases by first day, but changes neither the property of a unit nor the rent of a lease", async () => {
    const office = await anOffice();
    await runBulkImport(office, "properties", [header, "Maple Court,12 Maple Street,Albany,NY,12207", "Oak House,7 Oak Street,Albany,NY,12207"]);
    await runBulkImport(office, "units", ["id,property_name,unit_number,monthly_rent", "U-1,Maple Court,1A,900.00"]);
    await runBulkImport(office, "tenants", ["full_name", "Tess Tenant"]);
    const lease = (rent: string, rest: string) => [
      "property_name,unit_number,tenant_name,term_type,start_date,rent,rent_charge_day",
      `Maple Court,1A,Tess Tenant,month_to_month,2026-01-01,${rent},${rest}`,
    ];
    await runBulkImport(office, "leases", lease("900.00", "1"));
    expect(await runBulkImport(office, "units", ["property_name,unit_number,monthly_rent,bedrooms", "maple court,1a,925.00,3"], "upsert")).toMatchObject({
      updatedCount: 1,
    });
    expect((await office.call("listUnits")).units).toMatchObject([{ unitNumber: "1a", monthlyRentCents: 92_500, bedrooms: 3 }]);
    const moved = await validateBulkImport(office, "units", ["id,property_name,unit_number,monthly_rent", "U-1,Oak House,1A,925.00"], "upsert");
    expect(await listRowErrors(office, moved)).toEqual(["2 property_name not_allowed: The unit belongs to another property, and an import does not move it."]);
    const raised = await validateBulkImport(office, "leases", lease("950.00", "1"), "upsert");
    expect(await listRowErrors(office, raised)).toEqual([
      "2 rent not_allowed: An import does not change rent. Change the lease itself, or restore the value: 900.00.",
    ]);
    expect(await runBulkImport(office, "leases", lease("900.00", "5"), "upsert")).toMatchObject({ status: "completed", updatedCount: 1 });
    expect((await office.call("listLeases")).leases).toMatchObject([{ rentChargeDay: 5, rentCents: 90_000 }]);
    await runBulkImport(office, "tenants", ["full_name", "Otto Other"]);
    const ofAnother = lease("900.00", "5").map((line) => line.replace("Tess Tenant", "Otto Other"));
    expect(await listBulkRows(office, await validateBulkImport(office, "leases", ofAnother, "upsert"))).toMatchObject([{ status: "ready_create" }]);
    const withEndDate = ["property_name,unit_number,tenant_name,start_date,rent,end_date", "Maple Court,1A,Tess Tenant,2026-01-01,900.00,2027-06-30"];
    expect(await listBulkRows(office, await validateBulkImport(office, "leases", withEndDate, "upsert"))).toMatchObject([
      { status: "ready_update", changes: [{ field: "end_date", from: null, to: "2027-06-30" }] },
    ]);
  });

  test("changes work orders and recurring charges by id, but no charges, payments and expenses", async () => {
    const office = await anOffice();
    await runBulkImport(office, "properties", [header, "Maple Court,12 Maple Street,Albany,NY,12207"]);
    await runBulkImport(office, "units", ["property_name,unit_number,monthly_rent", "Maple Court,1A,900.00"]);
    await runBulkImport(office, "tenants", ["full_name", "Tess Tenant"]);
    await runBulkImport(office, "leases", ["property_name,unit_number,tenant_name,start_date,rent", "Maple Court,1A,Tess Tenant,2026-01-01,900.00"]);
    const workOrder = (title: string, status: string) => ["id,property_name,title,priority,status", `W-1,Maple Court,${title},high,${status}`];
    const [first] = await listBulkRows(office, await runBulkImport(office, "work_orders", workOrder("The tap drips", "open")));
    expect(await runBulkImport(office, "work_orders", workOrder("Both taps drip", "completed"), "upsert")).toMatchObject({
      status: "completed",
      updatedCount: 1,
    });
    expect((await office.call("getWorkOrder", { params: { id: first!.entityId! } })).workOrder).toMatchObject({ title: "Both taps drip", status: "open" });

    const unchangeableRecords = {
      charges: (amount: string) => ["id,property_name,unit_number,date,amount", `C-1,Maple Court,1A,2026-02-01,${amount}`],
      payments: (amount: string) => ["id,property_name,unit_number,received_date,amount", `P-1,Maple Court,1A,2026-02-03,${amount}`],
      expenses: (amount: string) => ["id,property_name,date,category_code,amount", `E-1,Maple Court,2026-02-04,5010,${amount}`],
    };
    const recurringCharge = (amount: string, start: string) => [
      "id,property_name,unit_number,label,start_date,amount",
      `R-1,Maple Court,1A,Parking,${start},${amount}`,
    ];
    await runBulkImport(office, "recurring_charges", recurringCharge("10.00", "2027-01-01"));
    expect(await runBulkImport(office, "recurring_charges", recurringCharge("12.00", "2027-01-01"), "upsert")).toMatchObject({ updatedCount: 1 });
    const { recurringChargeRules } = await office.call("listRecurringCharges", { query: { kind: "fee" } });
    expect(recurringChargeRules).toMatchObject([{ amountCents: 1_200 }]);
    const moved = await validateBulkImport(office, "recurring_charges", recurringCharge("12.00", "2027-02-01"), "upsert");
    expect(await listRowErrors(office, moved)).toEqual([expect.stringMatching(/^2 start_date not_allowed: An import does not change start_date\./)]);
    for (const [type, lines] of Object.entries(unchangeableRecords) as [keyof typeof unchangeableRecords, (amount: string) => string[]][]) {
      await runBulkImport(office, type, lines("10.00"));
      const bulk = await validateBulkImport(office, type, lines("12.00"), "upsert");
      expect(await listRowErrors(office, bulk)).toEqual([
        expect.stringMatching(/^2 amount not_allowed: An import does not change a posted record\..*: 10\.00\.$/),
      ]);
    }
  });

  test("compares a payment by its day in the time zone of the organization", async () => {
    const office = await anOffice();
    const { property } = await office.call("createProperty", { body: { name: "Maple Court", streetLine1: "12 Maple Street", ...propertyTerms } });
    const { unit } = await office.call("createUnit", { body: { propertyId: property.id, unitNumber: "1A", monthlyRentCents: 100_000 } });
    const { tenant } = await office.call("createTenant", { body: { fullName: "Tess Tenant" } });
    const terms = { startDate: "2026-01-01", termType: "month_to_month" as const, rentCents: 100_000, activate: true };
    const { lease } = await office.call("createLease", { body: { ...terms, propertyId: property.id, unitId: unit.id, tenantId: tenant.id } });
    // Ten in the evening in New York.
    const paymentTerms = { ...aPayment({ tenantId: tenant.id, leaseId: lease.id }, 1_000), receivedAt: "2026-02-04T03:00:00Z" };
    const { payment } = await office.call("recordPayment", { body: { ...paymentTerms, paymentMethod: "check" } });
    const lines = ["id,property_name,unit_number,received_date,amount,method", `${payment.id},Maple Court,1A,2026-02-03,10.00,check`];
    expect(await listRowErrors(office, await validateBulkImport(office, "payments", lines, "upsert"))).toEqual([]);
  });

  test("finds a record by its id", async () => {
    const office = await anOffice();
    const { property } = await office.call("createProperty", { body: { name: "Old name", streetLine1: "1 Elm Street", ...propertyTerms } });
    const lines = [`id,${header}`, `${property.id},New name,2 Elm Street,Albany,NY,12207`];
    expect(await listRowErrors(office, await validateBulkImport(office, "properties", lines))).toEqual([
      expect.stringContaining(`2 id unique: This property exists already: Old name (${property.id})`),
    ]);
    expect(await runBulkImport(office, "properties", lines, "upsert")).toMatchObject({ status: "completed", updatedCount: 1, createdCount: 0 });
    expect((await office.call("listProperties")).properties).toMatchObject([{ id: property.id, name: "New name" }]);
  });
});

describe("create", () => {
  test("refuses rows of existing records, naming the column and the record", async () => {
    const office = await anOffice();
    const { property } = await office.call("createProperty", { body: { name: "Maple Court", streetLine1: "12 Maple Street", ...propertyTerms } });
    await office.call("createUnit", { body: { propertyId: property.id, unitNumber: "1A", monthlyRentCents: 100_000 } });
    await office.call("createVendor", { body: { name: "Brightwater" } });
    await office.call("createTenant", { body: { fullName: "Tess Tenant", email: "tess@example.com" } });
    const errorPaths = async (...args: Parameters<typeof validateBulkImport> extends [unknown, ...infer R] ? R : never) =>
      (await listRowErrors(office, await validateBulkImport(office, ...args))).map((line) => line.split(":")[0]);
    expect(await errorPaths("properties", [header, "maple court,99 Other Street,Albany,NY,12207", "Another name,12 maple street,Albany,NY,12207"])).toEqual([
      "2 name unique",
      "3 street_line1 unique",
    ]);
    expect(await errorPaths("units", ["property_name,unit_number,monthly_rent", "Maple Court,1a,900.00"])).toEqual(["2 unit_number unique"]);
    expect(await errorPaths("vendors", ["name,trade", "BRIGHTWATER,plumbing"])).toEqual(["2 name unique"]);
    expect(await errorPaths("tenants", ["full_name,email", "T. Tenant,TESS@example.com"])).toEqual(["2 email unique"]);
  });

  test("refuses uncertain matches, with an error that says how to distinguish the people", async () => {
    const office = await anOffice();
    for (const email of ["one@example.com", "two@example.com"]) await office.call("createTenant", { body: { fullName: "Sam Same", email } });
    await office.call("createTenant", { body: { fullName: "Tess Tenant", email: "tess@example.com" } });
    const bulk = await runBulkImport(office, "tenants", ["full_name,email", "Sam Same,", "Tess Tenant,", "Tess Tenant,other.tess@example.com"]);
    expect(await listRowErrors(office, bulk)).toEqual([
      expect.stringMatching(/^2 full_name not_found: More than one tenant matches this row: Sam Same \(.*\), Sam Same \(.*\)\. Identify it by its id\.$/),
      expect.stringMatching(
        /^3 full_name not_found: This may be Tess Tenant \(.*\), with the same name\. If so, add its id to the row; if not, add an e-mail address/,
      ),
    ]);
    expect(bulk).toMatchObject({ status: "completed_with_errors", createdCount: 1 });
    expect((await office.call("listTenants")).total).toBe(4);
  });

  test("refuses a second row of the same record", async () => {
    const office = await anOffice();
    const bulk = await validateBulkImport(office, "vendors", ["id,name", "V-1,One", "V-1,Two", ",Three", ",three"]);
    expect(await listRowErrors(office, bulk)).toEqual([
      "3 id unique: Row 2 denotes the same record. Remove one of the rows. If they are different records, give each its own id.",
      "5 id unique: Row 4 denotes the same record. Remove one of the rows. If they are different records, correct the fields that identify them.",
    ]);
    const owners = await validateBulkImport(office, "owners", [
      "full_name,email",
      "Olga Owner,olga@example.com",
      "Olga Owner,Olga@Example.com",
      "Olga Owner,another@example.com",
    ]);
    expect((await listRowErrors(office, owners)).map((line) => line.slice(0, 11))).toEqual(["3 id unique"]);
  });

  test("accepts a row again once its record is deleted or voided", async () => {
    const office = await anOffice();
    const lines = [header, "Maple Court,12 Maple Street,Albany,NY,12207"];
    const [row] = await listBulkRows(office, await runBulkImport(office, "properties", lines));
    await office.call("deleteProperty", { params: { id: row!.entityId! } });
    expect(await runBulkImport(office, "properties", lines)).toMatchObject({ status: "completed", createdCount: 1 });
    expect(await runBulkImport(office, "units", ["property_name,unit_number,monthly_rent", "Maple Court,1A,900.00"])).toMatchObject({ createdCount: 1 });
    await runBulkImport(office, "tenants", ["full_name", "Tess Tenant"]);
    await runBulkImport(office, "leases", ["property_name,unit_number,tenant_name,start_date,rent", "Maple Court,1A,Tess Tenant,2026-01-01,900.00"]);
    const charges = ["property_name,unit_number,date,amount", "Maple Court,1A,2026-02-01,10.00"];
    const [charge] = await listBulkRows(office, await runBulkImport(office, "charges", charges));
    await office.call("voidCharge", { params: { id: charge!.entityId! }, body: { reason: "Entered twice" } });
    expect(await runBulkImport(office, "charges", charges)).toMatchObject({ status: "completed", createdCount: 1 });
  });
});
