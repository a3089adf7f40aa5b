/** Rows of portfolio with several changes: all of them are written or none, so that a corrected row is imported like a new one. */
import { describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { whileRefused } from "../../test/refusals.ts";
import { prepareBundle, type Sheets, writeBundle } from "../../test/writing.ts";

const portfolio = {
  properties: [
    "source_id,name,street_line1,city,state,postal_code,reserve,management_start_date",
    "P-1,Maple Court,12 Maple Street,Albany,NY,12207,500.00,2020-01-01",
  ],
  units: ["source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,1A,1000.00"],
  vendors: ["source_id,name,trade", "V-1,Brightwater Plumbing,plumbing"],
  tenants: ["source_id,full_name", "T-1,Tess Tenant"],
} satisfies Sheets;
const withLease = (status: string, endDate: string, moveInDate = ""): Sheets => ({
  ...portfolio,
  leases: [
    "source_id,unit_source_id,primary_tenant_source_id,term_type,status,start_date,end_date,move_in_date,rent",
    `L-1,U-1,T-1,fixed,${status},2025-01-01,${endDate},${moveInDate},1000.00`,
  ],
});
const withWorkOrder: Sheets = {
  ...portfolio,
  work_orders: [
    "source_id,property_source_id,unit_source_id,title,status,vendor_source_id,created_date,completed_date",
    "W-1,P-1,U-1,The tap drips,completed,V-1,2026-01-05,2026-01-07",
  ],
};

/** Prepares and writes a bundle, and returns its end state with the errors of its invalid rows. */
async function importSheets(office: Office, sheets: Sheets) {
  const { id } = await prepareBundle(office, sheets);
  const { status } = await writeBundle(office, id);
  const { candidates } = await office.call("listImportCandidates", { params: { id }, query: { status: "invalid" } });
  return { status, errors: candidates.flatMap(({ errors }) => errors), resultIds: candidates.map(({ resultEntityId }) => resultEntityId) };
}

test("a property has the terms of its management agreement from its creation on", async () => {
  const office = await anOffice();
  await importSheets(office, portfolio);
  const [property] = (await office.call("listProperties")).properties;
  expect(property).toMatchObject({ reserveCents: 50_000, managementStartDate: "2020-01-01" });
});

describe.each(["expired", "terminated"] as const)("a lease that is %s", (status) => {
  const endDate = "2025-06-30";

  test("is not written while its end is refused, and is then imported with it", async () => {
    const office = await anOffice();
    await importSheets(office, portfolio);
    const occupants = { database: "portfolio", table: "lease_occupant", event: "update", organizationId: office.organizationId } as const;
    const refused = await whileRefused(occupants, () => importSheets(office, withLease(status, endDate)));
    expect(refused).toMatchObject({ status: "completed_with_errors", errors: [{ path: "row" }], resultIds: [null] });
    expect((await office.call("listLeases")).total).toBe(0);
    expect(await importSheets(office, withLease(status, endDate))).toMatchObject({ status: "completed" });
    const { leases } = await office.call("listLeases");
    expect(leases).toMatchObject([{ endDate, occupants: [{ moveOutDate: endDate }] }]);
    expect((await office.call("listCharges")).total).toBe(0);
    expect((await prepareBundle(office, withLease(status, endDate))).counts).toMatchObject({ ready_create: 0, ready_update: 0 });
  });
});

test("a lease whose tenant would move out before moving in is refused as a whole, naming the column, and imported once it is corrected", async () => {
  const office = await anOffice();
  const refused = await importSheets(office, withLease("expired", "2025-06-30", "2025-08-01"));
  expect(refused).toMatchObject({ status: "completed_with_errors", errors: [{ path: "end_date", code: "before_start" }], resultIds: [null] });
  expect((await office.call("listLeases")).total).toBe(0);
  expect(await importSheets(office, withLease("expired", "2025-06-30", "2025-01-01"))).toMatchObject({ status: "completed" });
});

test("a changed work order whose completion is refused has none of the changes of its row, and all of them once it is imported again", async () => {
  const office = await anOffice();
  const sheets = (title: string, status: string): Sheets => ({
    ...portfolio,
    work_orders: ["source_id,property_source_id,title,status", `W-9,P-1,${title},${status}`],
  });
  await importSheets(office, sheets("Tap", "open"));
  const stateOf = async () => (await office.call("listWorkOrders")).workOrders.map(({ title, status }) => [title, status]);
  const { organizationId } = office;
  const refused = await whileRefused(
    { database: "portfolio", table: "work_order", event: "update", organizationId, condition: "new.status = 'completed'" },
    () => importSheets(office, sheets("Both taps", "completed")),
  );
  expect(refused).toMatchObject({ status: "completed_with_errors" });
  expect(await stateOf()).toEqual([["Tap", "open"]]);
  expect(await importSheets(office, sheets("Both taps", "completed"))).toMatchObject({ status: "completed" });
  expect(await stateOf()).toEqual([["Both taps", "completed"]]);
});

test("a work order of an inactive vendor is refused as a whole, naming the column, and imported with its vendor and completion once the vendor is active", async () => {
  const office = await anOffice();
  await importSheets(office, portfolio);
  const [vendor] = (await office.call("listVendors")).vendors;
  const setActive = (isActive: boolean) => office.call("updateVendor", { params: { id: vendor!.id }, body: { isActive } });
  await setActive(false);
  const refused = await importSheets(office, withWorkOrder);
  expect(refused).toMatchObject({ status: "completed_with_errors", errors: [{ path: "vendor_source_id", code: "not_allowed" }], resultIds: [null] });
  expect((await office.call("listWorkOrders")).total).toBe(0);
  await setActive(true);
  expect(await importSheets(office, withWorkOrder)).toMatchObject({ status: "completed" });
  const { workOrders } = await office.call("listWorkOrders");
  expect(workOrders).toMatchObject([{ status: "completed", source: "import", vendorId: vendor!.id, completedAt: expect.stringMatching(/^2026-01-07/) }]);
});
