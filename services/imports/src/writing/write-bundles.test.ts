/** Writing of bundles through the services that own the records: results, repeated imports, and failures. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import { localDateOf } from "@freehold/kit/time/clock";
import { addMonths, startOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { queryImportsDatabase } from "../../test/bundles.ts";
import { closingBalances } from "../../../../test/support/tenancy.ts";
import { NAMESPACE, prepareBundle, type Sheets, writeBundle } from "../../test/writing.ts";

const files = {
  owners: ["source_id,full_name,email,phone,include_1099", "O-1,Olga Owner,olga@example.com,(518) 555-0101,yes", "O-2,Otto Other,otto@example.com,,no"],
  vendors: ["source_id,name,trade,email", "V-1,Brightwater Plumbing,plumbing,desk@brightwater.example.com"],
  properties: [
    "source_id,name,asset_class,street_line1,city,state,postal_code,units,reserve,management_start_date",
    "P-1,Maple Court,residential,12 Maple Street,Albany,NY,12207,2,500.00,2020-01-01",
  ],
  ownership: ["property_source_id,owner_source_id,share_percent,effective_date", "P-1,O-1,60,2020-01-01", "P-1,O-2,40,2020-01-01"],
  units: [
    "source_id,property_source_id,unit_number,bedrooms,bathrooms,monthly_rent,status",
    "U-1,P-1,1A,2,1.5,1200.00,occupied",
    "U-2,P-1,1B,1,1,950.00,vacant",
  ],
  tenants: ["source_id,full_name,email,phone", "T-1,Tess Tenant,tess@example.com,518-555-0102", "T-2,Cora Co,cora@example.com,"],
  leases: [
    "source_id,unit_source_id,primary_tenant_source_id,co_tenants,term_type,status,start_date,end_date,rent,rent_charge_day",
    "L-1,U-1,T-1,T-2,month_to_month,active,2024-03-01,,1200.00,1",
  ],
  recurring_charges: ["source_id,lease_source_id,label,kind,amount,day_of_month,start_date,category_code", "R-1,L-1,Parking,fee,50.00,1,2024-03-01,4010"],
  deposits: ["lease_source_id,amount_held,holder,received_date", "L-1,1200.00,manager,2024-03-01"],
  opening_balances: ["lease_source_id,as_of,balance,prepaid", "L-1,2026-01-01,75.00,0.00"],
  charges: ["source_id,lease_source_id,date,due_date,type,label,amount", "C-1,L-1,2026-02-01,2026-02-01,rent,February rent,1200.00"],
  payments: [
    "source_id,lease_source_id,tenant_source_id,received_date,amount,method,check_number,applied_to_charge_source_id",
    "M-1,L-1,T-1,2026-02-03,1200.00,check,2041,C-1",
  ],
  expenses: [
    "source_id,property_source_id,unit_source_id,vendor_source_id,date,category,category_code,amount,invoice_number",
    "E-1,P-1,U-1,V-1,2026-02-10,maintenance,5090,80.00,17",
  ],
  work_orders: [
    "source_id,property_source_id,unit_source_id,title,status,priority,vendor_source_id,created_date,completed_date",
    "W-1,P-1,U-1,The tap drips,completed,normal,V-1,2026-01-05,2026-01-07",
  ],
} satisfies Sheets;
const ROW_COUNT = 19;

describe("an imported portfolio", () => {
  let office: Office;
  beforeAll(async () => {
    office = await anOffice();
    const bundle = await prepareBundle(office, files);
    expect(bundle.counts).toMatchObject({ ready_create: ROW_COUNT, invalid: 0, blocked: 0, missing_source_data: 0 });
    expect(await writeBundle(office, bundle.id)).toMatchObject({
      status: "completed",
      error: null,
      progress: { phase: null, processed: ROW_COUNT, total: ROW_COUNT },
    });
  });

  test("has its properties and units, with owners and shares", async () => {
    const { properties } = await office.call("listProperties");
    expect(properties).toMatchObject([{ name: "Maple Court", units: 2, occupiedUnits: 1, reserveCents: 50_000, managementStartDate: "2020-01-01" }]);
    const { ownership } = await office.call("getOwnership", { params: { id: properties[0]!.id } });
    expect(new Set(ownership.shares.map(({ shareBps }) => shareBps))).toEqual(new Set([4_000, 6_000]));
    const { units } = await office.call("listUnits");
    expect(units).toMatchObject([
      { unitNumber: "1A", bathrooms: 1.5, monthlyRentCents: 120_000, status: "occupied" },
      { unitNumber: "1B", status: "vacant" },
    ]);
  });

  test("has active leases with all tenants, charged from today on", async () => {
    const { leases } = await office.call("listLeases");
    expect(leases).toMatchObject([
      { status: "active", startDate: "2024-03-01", rentCents: 120_000, occupants: [{ fullName: "Tess Tenant" }, { tenantName: "Cora Co", role: "co_tenant" }] },
    ]);
    const { recurringChargeRules } = await office.call("listRecurringCharges", { query: { leaseId: leases[0]!.id } });
    expect(recurringChargeRules.map(({ label, status }) => `${label} ${status}`).toSorted()).toEqual(["Parking active", "Rent active"]);
    const { charges } = await office.call("listCharges", { query: { chargeType: "rent" } });
    expect(charges.map(({ dueDate }) => dueDate)).toEqual(["2026-02-01"]);
  });

  test("has its deposits, charges and payments in a balanced ledger", async () => {
    const balances = await closingBalances(office);
    expect(balances).toMatchObject({ "1050": 240_000, "1100": 7_500, "2100": -120_000, "3900": -7_500, "4000": -120_000 });
    expect(Object.values(balances).reduce((sum, balance) => sum + balance, 0)).toBe(0);
    const { payments } = await office.call("listPayments", { query: { sortBy: "receivedAt", sortDirection: "asc" } });
    expect(payments).toMatchObject([
      { amountCents: 120_000, unallocatedCents: 0 },
      { amountCents: 120_000, checkNumber: "2041", unallocatedCents: 0 },
    ]);
  });

  test("has its work orders with their vendors, who are not notified", async () => {
    const { expenses } = await office.call("listExpenses");
    const account = (await office.call("listCategories")).categories.find(({ code }) => code === "5090")!;
    expect(expenses).toMatchObject([
      { amountCents: 8_000, category: "maintenance", categoryId: account.id, vendorName: "Brightwater Plumbing", outstandingCents: 8_000 },
    ]);
    const { workOrders } = await office.call("listWorkOrders");
    expect(workOrders).toMatchObject([{ title: "The tap drips", status: "completed", vendorName: "Brightwater Plumbing" }]);
    const { messages } = await office.call("listDevOutbox", { query: { to: "desk@brightwater.example.com" } });
    expect(messages).toEqual([]);
  });

  test("is unchanged by a repeated import, and an edited cell is one change", async () => {
    const repeated = await prepareBundle(office, files);
    expect(repeated.counts).toMatchObject({ unchanged: ROW_COUNT, ready_create: 0, ready_update: 0 });
    const edited = await prepareBundle(office, { ...files, tenants: [files.tenants[0]!, "T-1,Tess Tenant,tess@example.com,518-555-0199", files.tenants[2]!] });
    expect(edited.counts).toMatchObject({ unchanged: ROW_COUNT - 1, ready_update: 1 });
    await writeBundle(office, edited.id);
    const { tenants } = await office.call("listTenants", { query: { search: "Tess" } });
    expect(tenants).toMatchObject([{ phone: "+15185550199" }]);
  });

  test("has an identity map with the record of each source id", async () => {
    const { importBundles } = await office.call("listImportBundles", { query: { sortBy: "createdAt", sortDirection: "asc" } });
    const response = await office.raw("GET", `/api/import-bundles/${importBundles[0]!.id}/identity-map.csv`);
    const lines = (await response.text()).trim().split("\r\n");
    const { tenants } = await office.call("listTenants", { query: { search: "Tess" } });
    expect([response.headers.get("content-type"), lines.length]).toEqual(["text/csv; charset=utf-8", ROW_COUNT + 1]);
    expect(lines).toContain(`tenant,${NAMESPACE},T-1,${tenants[0]!.id},created`);
  });
});

test("a changed rent takes effect next month, and a changed start date is refused", async () => {
  const office = await anOffice();
  await writeBundle(office, (await prepareBundle(office, files)).id);
  const withLease = (startDate: string, rent: string) => ({
    ...files,
    leases: [files.leases[0]!, `L-1,U-1,T-1,T-2,month_to_month,active,${startDate},,${rent},1`],
  });
  const rentChange = await prepareBundle(office, withLease("2024-03-01", "1300.00"));
  expect(rentChange.counts).toMatchObject({ ready_update: 1, ready_create: 0 });
  const { status, startedAt } = await writeBundle(office, rentChange.id);
  expect(status).toBe("completed");
  const { id } = (await office.call("listLeases")).leases[0]!;
  const { rentChanges } = await office.call("listRentChanges", { params: { id } });
  expect(rentChanges).toMatchObject([
    { rentCents: 130_000, previousRentCents: 120_000, effectiveDate: addMonths(startOfMonth(localDateOf(startedAt!, "America/New_York")), 1) },
  ]);
  expect((await prepareBundle(office, withLease("2024-03-01", "1300.00"))).counts).toMatchObject({ ready_update: 0 });
  const startDateChange = await writeBundle(office, (await prepareBundle(office, withLease("2024-04-01", "1300.00"))).id);
  expect([startDateChange.status, startDateChange.counts.invalid]).toEqual(["completed_with_errors", 1]);
  expect((await office.call("listRentChanges", { params: { id } })).total).toBe(1);
  expect((await office.call("listLeases")).leases).toMatchObject([{ startDate: "2024-03-01" }]);
});

describe("a refused row", () => {
  test("is listed in the failures, and is imported once corrected, without duplicates", async () => {
    const office = await anOffice();
    await writeBundle(office, (await prepareBundle(office, files)).id);
    const withLease = (unit: string) => ({ ...files, leases: [...files.leases, `L-2,${unit},T-2,,month_to_month,active,2024-06-01,,900.00,1`] });
    const bundle = await prepareBundle(office, withLease("U-1"));
    const completed = await writeBundle(office, bundle.id);
    expect([completed.status, completed.counts.invalid]).toEqual(["completed_with_errors", 1]);
    const failures = await (await office.raw("GET", `/api/import-bundles/${bundle.id}/failures.csv`)).text();
    expect(failures).toContain("leases.csv,3,lease,L-2,invalid,");
    const corrected = await prepareBundle(office, withLease("U-2"));
    expect(corrected.counts).toMatchObject({ ready_create: 1, ready_update: 0 });
    expect((await writeBundle(office, corrected.id)).status).toBe("completed");
    expect((await office.call("listLeases")).total).toBe(2);
    expect((await office.call("listTenants")).total).toBe(2);
  });
});

describe("a tenant that was imported and then merged into another", () => {
  test("is replaced by the remaining tenant in later imports", async () => {
    const office = await anOffice();
    await writeBundle(office, (await prepareBundle(office, { tenants: files.tenants })).id);
    const { tenants } = await office.call("listTenants", { query: { sortBy: "fullName" } });
    const [cora, tess] = tenants.map(({ id }) => id) as [string, string];
    await office.call("mergeTenants", { params: { id: tess }, body: { duplicateTenantId: cora } });
    await eventually("merge in the identity map", async () => {
      const [identity] = await queryImportsDatabase<{ entity_id: string }>(
        office.organizationId,
        "select entity_id from import_identity where organization_id = $1 and source_id = 'T-2'",
        [office.organizationId],
      );
      return identity!.entity_id === tess;
    });
    const edited = await prepareBundle(office, { tenants: [files.tenants[0]!, "T-2,Cora Co,cora@example.com,518-555-0177"] });
    expect(await writeBundle(office, edited.id)).toMatchObject({ status: "completed" });
    expect((await office.call("listTenants")).tenants).toMatchObject([{ id: tess, phone: "+15185550177" }]);
  });
});

describe("startImportBundle", () => {
  test("is refused for a bundle that is not ready, and succeeds once when called concurrently", async () => {
    const office = await anOffice();
    const { importBundle } = await office.call("createImportBundle", {
      body: { name: "Empty", provider: "generic", sourceNamespace: NAMESPACE, sourceAccountLabel: "Old" },
    });
    const notReady = await office.attempt("startImportBundle", { params: { id: importBundle.id } });
    expect([notReady.status, notReady.body.code]).toEqual([409, "bundle_not_ready"]);
    const bundle = await prepareBundle(office, { owners: files.owners });
    const responses = await Promise.all([1, 2, 3].map(() => office.attempt("startImportBundle", { params: { id: bundle.id } })));
    expect(responses.filter(({ status }) => status === 200).length).toBe(1);
    await writeBundle(office, bundle.id);
    expect((await office.call("listOwners")).total).toBe(2);
  });

  test("has the response of the first start when it is repeated with its idempotency key", async () => {
    const office = await anOffice();
    const { id } = await prepareBundle(office, { owners: files.owners });
    const start = () => office.attempt("startImportBundle", { params: { id }, headers: { "Idempotency-Key": `start-${id}` } });
    const first = await start();
    await writeBundle(office, id);
    const second = await start();
    expect([first.status, second.status, second.headers.get("Idempotent-Replayed")]).toEqual([200, 200, "true"]);
    expect(second.body).toEqual(first.body);
  });

  test("is refused while another bundle of the namespace is being written", async () => {
    const office = await anOffice();
    const bundles = [await prepareBundle(office, { owners: files.owners }), await prepareBundle(office, { vendors: files.vendors })];
    const responses = await Promise.all(bundles.map(({ id }) => office.attempt("startImportBundle", { params: { id } })));
    const refused = responses.filter(({ status }) => status !== 200);
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual([[409, "import_running"]]);
    const startedIndex = responses[0]!.status === 200 ? 0 : 1;
    await writeBundle(office, bundles[startedIndex]!.id);
    expect((await writeBundle(office, bundles[1 - startedIndex]!.id)).status).toBe("completed");
  });
});

describe("cancelImportBundle", () => {
  test("does not change a written bundle", async () => {
    const office = await anOffice();
    const bundle = await prepareBundle(office, { owners: files.owners });
    await writeBundle(office, bundle.id);
    const { importBundle } = await office.call("cancelImportBundle", { params: { id: bundle.id } });
    expect(importBundle.status).toBe("completed");
  });
});
