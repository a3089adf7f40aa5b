/** Bulk import of each entity type in both modes, and of each template. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import { bulkEntityTypes, type BulkEntityType } from "@freehold/contract/imports/bulk-imports";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { downloadLines, listBulkRows, listRowErrors, runBulkImport, validateBulkImport, writeBulkImport } from "../../test/bulk-imports.ts";

/** Lines of a file of each type; files refer to records of the files before them. */
const files: Record<BulkEntityType, string[]> = {
  properties: [
    "name,street_line1,city,state,postal_code,reserve",
    "Maple Court,12 Maple Street,Albany,NY,12207,500.00",
    "Oak House,7 Oak Street,Albany,NY,12207,",
  ],
  owners: ["full_name,email,phone", "Olga Owner,olga@example.com,(518) 555-0101", "Otto Other,otto@example.com,"],
  vendors: ["name,trade,email", "Brightwater Plumbing,plumbing,desk@brightwater.example.com"],
  units: ["property_name,unit_number,bedrooms,bathrooms,monthly_rent", "Maple Court,1A,2,1.5,1200.00", "Maple Court,1B,1,1,950.00", "Oak House,1A,3,2,1800.00"],
  tenants: ["full_name,email,phone", "Tess Tenant,tess@example.com,518-555-0102", "Cora Co,cora@example.com,"],
  leases: [
    "property_name,unit_number,tenant_name,term_type,start_date,end_date,rent",
    "Maple Court,1A,Tess Tenant,month_to_month,2024-03-01,,1200.00",
    "Maple Court,1B,cora@example.com,fixed,2026-01-01,2099-12-31,950.00",
  ],
  recurring_charges: ["property_name,unit_number,label,amount,start_date", "Maple Court,1A,Parking,50.00,2026-12-01"],
  charges: [
    "property_name,unit_number,date,type,label,amount",
    "Maple Court,1A,2026-02-01,rent,February rent,1200.00",
    "Maple Court,1A,2026-02-01,other,Key,10.00",
    "Maple Court,1A,2026-02-01,other,Key,10.00",
  ],
  payments: ["property_name,unit_number,tenant_name,received_date,amount,method,check_number", "Maple Court,1A,Tess Tenant,2026-02-03,1200.00,check,2041"],
  expenses: [
    "property_name,unit_number,vendor_name,date,due_date,category,amount,label,invoice_number",
    "Maple Court,1A,Brightwater Plumbing,2026-02-01,2026-03-01,Repairs,185.00,Repair of the tap,INV-1",
    "Maple Court,,,2026-02-02,,insurance,20.00,Premium,",
    "Maple Court,,,2026-02-02,,insurance,20.00,Premium,",
  ],
  work_orders: ["property_name,unit_number,title,priority,vendor_name", "Maple Court,1A,The tap drips,normal,Brightwater Plumbing"],
};
const types = Object.keys(files) as BulkEntityType[];

let office: Office;
beforeAll(async () => {
  office = await anOffice();
  for (const type of types) {
    const bulk = await runBulkImport(office, type, files[type]);
    if (bulk.status !== "completed") throw new Error(`${type}: ${(await listRowErrors(office, bulk)).join("\n")}`);
  }
});

test("the files cover every entity type", () => {
  expect(types.toSorted()).toEqual([...bulkEntityTypes].toSorted());
});

describe("imported records", () => {
  test("exist with their references", async () => {
    const { properties } = await office.call("listProperties", { query: { sortBy: "name" } });
    expect(properties).toMatchObject([{ name: "Maple Court", reserveCents: 50_000 }, { name: "Oak House" }]);
    expect((await office.call("listOwners")).total).toBe(2);
    expect((await office.call("listVendors")).vendors).toMatchObject([{ name: "Brightwater Plumbing", trade: "plumbing" }]);
    const { units } = await office.call("listUnits", { query: { sortBy: "monthlyRentCents" } });
    expect(units).toMatchObject([
      { unitNumber: "1B", propertyName: "Maple Court", status: "occupied" },
      { unitNumber: "1A", propertyName: "Maple Court", bathrooms: 1.5 },
      { unitNumber: "1A", propertyName: "Oak House", status: "vacant" },
    ]);
    const { leases } = await office.call("listLeases", { query: { sortBy: "startDate", sortDirection: "asc" } });
    expect(leases).toMatchObject([
      { status: "active", startDate: "2024-03-01", tenantName: "Tess Tenant", unitNumber: "1A" },
      { status: "active", startDate: "2026-01-01", tenantName: "Cora Co", unitNumber: "1B", endDate: "2099-12-31" },
    ]);
    const { recurringChargeRules } = await office.call("listRecurringCharges", { query: { leaseId: leases[0]!.id, kind: "fee" } });
    expect(recurringChargeRules).toMatchObject([{ label: "Parking", amountCents: 5_000, dayOfMonth: 1 }]);
    const { charges } = await office.call("listCharges", { query: { leaseId: leases[0]!.id, sortBy: "amountCents", sortDirection: "asc" } });
    expect(charges.map(({ amountCents, name }) => [amountCents, name])).toEqual([
      [1_000, "Key"],
      [1_000, "Key"],
      [120_000, "February rent"],
    ]);
    const { payments } = await office.call("listPayments");
    expect(payments).toMatchObject([{ amountCents: 120_000, checkNumber: "2041", unallocatedCents: 0, leaseId: leases[0]!.id }]);
    const { expenses } = await office.call("listExpenses", { query: { sortBy: "amountCents", sortDirection: "desc" } });
    const premium = { amountCents: 2_000, category: "insurance", vendorName: null, unitId: null, name: "Premium" };
    const repair = { category: "maintenance", vendorName: "Brightwater Plumbing", unitId: leases[0]!.unitId, invoiceNumber: "INV-1" };
    expect(expenses).toMatchObject([
      { ...repair, amountCents: 18_500, incurredOn: "2026-02-01", dueOn: "2026-03-01", propertyId: properties[0]!.id, outstandingCents: 18_500 },
      premium,
      premium,
    ]);
    const { workOrders } = await office.call("listWorkOrders");
    expect(workOrders).toMatchObject([{ title: "The tap drips", vendorName: "Brightwater Plumbing", propertyName: "Maple Court" }]);
  });

  test.each(types)("%s: the same file with create reports an error for each row, naming the existing record, and creates nothing", async (type) => {
    const repeated = await validateBulkImport(office, type, files[type]);
    const rows = await listBulkRows(office, repeated);
    expect(repeated).toMatchObject({ validRows: 0, errorRows: files[type].length - 1, totalRows: files[type].length - 1 });
    for (const { errors, entityId } of rows) expect(errors).toMatchObject([{ code: "unique", message: expect.stringContaining(entityId!) }]);
    expect(await writeBulkImport(office, repeated.id)).toMatchObject({ status: "completed_with_errors", createdCount: 0, updatedCount: 0 });
  });

  test.each(types)("%s: the same file with upsert changes nothing", async (type) => {
    const repeated = await validateBulkImport(office, type, files[type], "upsert");
    expect([repeated.errorRows, (await listBulkRows(office, repeated)).map(({ status }) => status)]).toEqual([0, files[type].slice(1).map(() => "unchanged")]);
    expect(await writeBulkImport(office, repeated.id)).toMatchObject({
      status: "completed",
      createdCount: 0,
      updatedCount: 0,
      validRows: files[type].length - 1,
    });
  });
});

describe("the template", () => {
  test.each(types)("of %s can be imported unchanged once the records that it refers to exist", async (type) => {
    const newOffice = await anOffice();
    const downloadTemplate = (each: BulkEntityType) => downloadLines(newOffice, `/api/bulk-imports/templates/${each}.csv`);
    const prerequisites: Partial<Record<BulkEntityType, BulkEntityType[]>> = {
      units: ["properties"],
      leases: ["properties", "units", "tenants"],
      charges: ["properties", "units", "tenants", "leases"],
      payments: ["properties", "units", "tenants", "leases"],
      recurring_charges: ["properties", "units", "tenants", "leases"],
      expenses: ["properties", "units", "vendors"],
      work_orders: ["properties", "units", "vendors"],
    };
    for (const each of [...(prerequisites[type] ?? []), type]) {
      const lines = await downloadTemplate(each);
      const bulk = await runBulkImport(newOffice, each, lines);
      expect([each, bulk.unmappedColumns, await listRowErrors(newOffice, bulk)]).toEqual([each, [], []]);
      expect(bulk).toMatchObject({ status: "completed", createdCount: 1, totalRows: 1 });
    }
  });
});
