/** Records that were deleted since an import are imported again as new ones. */
import { describe, expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { addDays } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { listAllCandidates } from "../../test/bundles.ts";
import { prepareBundle, type Sheets, writeBundle } from "../../test/writing.ts";

const portfolio = {
  properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
  units: ["source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,1A,1000.00"],
  owners: ["source_id,full_name,email", "O-1,Olga Owner,olga@example.com"],
  ownership: ["property_source_id,owner_source_id,share_percent", "P-1,O-1,100"],
  vendors: ["source_id,name", "V-1,Pipes"],
  tenants: ["source_id,full_name", "T-1,Tess Tenant", "T-2,Theo Tenant"],
} satisfies Sheets;
const lease = {
  leases: ["source_id,unit_source_id,primary_tenant_source_id,co_tenants,start_date,rent", "L-1,U-1,T-1,T-2,2026-01-01,1000.00"],
  recurring_charges: ["source_id,lease_source_id,label,amount,start_date", "R-1,L-1,Parking,50.00,2026-01-01"],
} satisfies Sheets;

const statusesOf = async (office: Office, id: string) =>
  Object.fromEntries((await listAllCandidates(office, id)).map(({ entityType, sourceId, status }) => [`${entityType} ${sourceId}`, status]));
const runImport = async (office: Office, sheets: Sheets) => writeBundle(office, (await prepareBundle(office, sheets)).id);

describe("records that were deleted since their import", () => {
  test("are announced and imported as new ones, with the shares of their owners", async () => {
    const office = await anOffice();
    await runImport(office, portfolio);
    const [property] = (await office.call("listProperties")).properties;
    const [vendor] = (await office.call("listVendors")).vendors;
    const tenant = (await office.call("listTenants")).tenants.find(({ fullName }) => fullName === "Tess Tenant");
    await office.call("deleteProperty", { params: { id: property!.id } });
    await office.call("deleteVendor", { params: { id: vendor!.id } });
    await office.call("deleteTenant", { params: { id: tenant!.id } });
    const { id } = await prepareBundle(office, portfolio);
    expect(await statusesOf(office, id)).toMatchObject({
      "property P-1": "ready_create",
      "unit U-1": "ready_create",
      "ownership ~P-1/O-1": "ready_create",
      "owner O-1": "unchanged",
      "vendor V-1": "ready_create",
      "tenant T-1": "ready_create",
      "tenant T-2": "unchanged",
    });
    expect(await writeBundle(office, id)).toMatchObject({ status: "completed" });
    const [newProperty, ...others] = (await office.call("listProperties")).properties;
    expect([others, newProperty!.id === property!.id, newProperty!.units]).toEqual([[], false, 1]);
    const { ownership } = await office.call("getOwnership", { params: { id: newProperty!.id } });
    expect(ownership.shares).toMatchObject([{ shareBps: 10_000 }]);
    expect((await office.call("listTenants")).total).toBe(2);
    const repeated = await prepareBundle(office, portfolio);
    expect(new Set(Object.values(await statusesOf(office, repeated.id)))).toEqual(new Set(["unchanged"]));
  });

  test("are created again with their co-tenants and recurring charges", async () => {
    const office = await anOffice();
    await runImport(office, { ...portfolio, ...lease });
    const [imported] = (await office.call("listLeases")).leases;
    await office.call("deleteLease", { params: { id: imported!.id } });
    const { id } = await prepareBundle(office, { ...portfolio, ...lease });
    const announced = await statusesOf(office, id);
    expect(Object.keys(announced).filter((key) => announced[key] !== "unchanged")).toEqual(["lease L-1", "occupant ~L-1/t 2", "recurring_charge R-1"]);
    expect(await writeBundle(office, id)).toMatchObject({ status: "completed" });
    const { leases } = await office.call("listLeases");
    expect(leases).toMatchObject([{ tenantName: "Tess Tenant", occupants: [{ fullName: "Tess Tenant" }, { fullName: "Theo Tenant" }] }]);
    const { recurringChargeRules } = await office.call("listRecurringCharges", { query: { leaseId: leases[0]!.id } });
    expect(recurringChargeRules.map(({ label, status }) => [label, status])).toContainEqual(["Parking", "active"]);
  });

  test("are created again when they are co-tenants of a running lease", async () => {
    const office = await anOffice();
    await runImport(office, { ...portfolio, ...lease });
    const [imported] = (await office.call("listLeases")).leases;
    const coTenant = imported!.occupants.find(({ isPrimary }) => !isPrimary)!;
    await office.call("deleteOccupant", { params: { id: coTenant.id } });
    const { id } = await prepareBundle(office, { ...portfolio, ...lease });
    const announced = await statusesOf(office, id);
    expect(Object.keys(announced).filter((key) => announced[key] !== "unchanged")).toEqual(["occupant ~L-1/t 2"]);
    expect(await writeBundle(office, id)).toMatchObject({ status: "completed" });
    const { occupants } = (await office.call("getLease", { params: { id: imported!.id } })).lease;
    expect(occupants).toMatchObject([{ fullName: "Tess Tenant" }, { fullName: "Theo Tenant", removedAt: null }]);
    expect((await prepareBundle(office, { ...portfolio, ...lease })).counts).toMatchObject({ ready_create: 0, ready_update: 0, invalid: 0 });
  });

  test("are created again with their past leases, which are those of the new unit", async () => {
    const office = await anOffice();
    const past = {
      ...lease,
      leases: [
        "source_id,unit_source_id,primary_tenant_source_id,co_tenants,term_type,status,start_date,end_date,rent",
        "L-1,U-1,T-1,T-2,fixed,terminated,2026-01-01,2026-06-30,1000.00",
      ],
      recurring_charges: ["source_id,lease_source_id,label,amount,start_date", "R-1,L-1,Parking,50.00,2026-01-01"],
    } satisfies Sheets;
    await runImport(office, { ...portfolio, ...lease });
    await runImport(office, { ...portfolio, ...past });
    const [property] = (await office.call("listProperties")).properties;
    await office.call("deleteProperty", { params: { id: property!.id } });
    const { id } = await prepareBundle(office, { ...portfolio, ...past });
    expect(await statusesOf(office, id)).toMatchObject({
      "unit U-1": "ready_create",
      "lease L-1": "ready_create",
      "occupant ~L-1/t 2": "ready_create",
      "recurring_charge R-1": "unchanged",
    });
    expect(await writeBundle(office, id)).toMatchObject({ status: "completed" });
    const [unit] = (await office.call("listUnits")).units;
    expect((await office.call("listLeases", { query: { unitId: unit!.id } })).leases).toMatchObject([
      { status: "terminated", terminationDate: "2026-06-30", occupants: [{ fullName: "Tess Tenant" }, { fullName: "Theo Tenant" }] },
    ]);
    const repeated = await prepareBundle(office, { ...portfolio, ...past });
    expect(new Set(Object.values(await statusesOf(office, repeated.id)))).toEqual(new Set(["unchanged"]));
  });

  test("are created again with the recurring charges that a lease has until its last day", async () => {
    const office = await anOffice();
    const day = today("America/New_York");
    const withLease = (terms: string): Sheets => ({
      ...portfolio,
      leases: ["source_id,unit_source_id,primary_tenant_source_id,start_date,rent,status,term_type,end_date", `L-1,U-1,T-1,2026-01-01,1000.00,${terms}`],
      recurring_charges: ["source_id,lease_source_id,label,kind,amount,start_date", "R-1,L-1,Rent,rent,1000.00,2026-01-01"],
    });
    const toEnd = withLease(`terminated,fixed,${addDays(day, 70)}`);
    await runImport(office, withLease("active,month_to_month,"));
    await runImport(office, toEnd);
    const [imported] = (await office.call("listLeases")).leases;
    await office.call("deleteLease", { params: { id: imported!.id } });
    const over = await prepareBundle(office, withLease(`active,fixed,${addDays(day, -10)}`));
    expect(await statusesOf(office, over.id)).toMatchObject({ "lease L-1": "ready_create", "recurring_charge R-1": "unchanged" });
    const { id } = await prepareBundle(office, toEnd);
    expect(await statusesOf(office, id)).toMatchObject({ "lease L-1": "ready_create", "recurring_charge R-1": "ready_create" });
    expect(await writeBundle(office, id)).toMatchObject({ status: "completed" });
    const [lease] = (await office.call("listLeases")).leases;
    const { recurringChargeRules } = await office.call("listRecurringCharges", { query: { leaseId: lease!.id } });
    expect(recurringChargeRules).toMatchObject([{ label: "Rent", amountCents: 100_000, status: "active" }]);
  });

  test("are not the targets of references from later files", async () => {
    const office = await anOffice();
    await runImport(office, { tenants: portfolio.tenants, properties: portfolio.properties, units: portfolio.units });
    const [property] = (await office.call("listProperties")).properties;
    await office.call("deleteProperty", { params: { id: property!.id } });
    const { id } = await prepareBundle(office, { units: ["source_id,property_source_id,unit_number,monthly_rent", "U-2,P-1,2A,1000.00"] });
    expect(await listAllCandidates(office, id)).toMatchObject([{ status: "invalid", errors: [{ path: "property_source_id", code: "not_found" }] }]);
  });
});
