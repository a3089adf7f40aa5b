/** Rows that differ from their last import in one value, while the office has changed other values of the same records. */
import { expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { addDays } from "@freehold/kit/time/plain-date";
import { eventually } from "../../../../test/support/eventually.ts";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { listAllCandidates, queryImportsDatabase } from "../../test/bundles.ts";
import { prepareBundle, type Sheets, writeBundle } from "../../test/writing.ts";

const [START, END, LATER] = [addDays(today("America/New_York"), -300), addDays(today("America/New_York"), 60), addDays(today("America/New_York"), 400)];

/** Values that differ between two exports, one of each record. */
const first = { reserve: "100.00", squareFeet: "800", phone: "503-555-0101", role: "occupant", moveIn: "", amount: "20.00", estimate: "120.00" };
const sheetsWith = ({ reserve, squareFeet, phone, role, moveIn, amount, estimate }: typeof first): Sheets => ({
  properties: ["source_id,name,street_line1,city,state,postal_code,reserve", `P-1,Maple Court,12 Maple Street,Albany,NY,12207,${reserve}`],
  units: ["source_id,property_source_id,unit_number,monthly_rent,market_rent,square_feet", `U-1,P-1,1,1000.00,1100.00,${squareFeet}`],
  owners: ["source_id,full_name,email,phone,street_line1,city,state,postal_code", `O-1,Olga Owner,olga@example.com,${phone},1 Elm Street,Albany,NY,12207`],
  vendors: ["source_id,name,email,phone,insurance_policy,insurance_expires", `V-1,Pipes,pipes@example.com,${phone},PL-1,2027-01-01`],
  tenants: ["source_id,full_name,email,phone", `T-1,Tess Tenant,tess@example.com,${phone}`, "T-2,Theo Tenant,theo@example.com,"],
  leases: [
    "source_id,unit_source_id,primary_tenant_source_id,term_type,status,start_date,end_date,move_in_date,rent,rent_charge_day,late_fee_type,late_fee_amount,late_fee_grace_days",
    `L-1,U-1,T-1,fixed,active,${START},${END},${moveIn},1000.00,1,flat,50.00,5`,
  ],
  occupants: ["lease_source_id,tenant_source_id,role,move_in_date", `L-1,T-2,${role},${START}`],
  recurring_charges: ["source_id,lease_source_id,label,amount,start_date", `R-1,L-1,Parking,${amount},${END}`],
  work_orders: ["source_id,property_source_id,title,status,priority,created_date,estimate", `W-1,P-1,The tap drips,open,high,${START},${estimate}`],
});

/** Values of the records that the office changes by hand, in one object, as the API returns them. */
async function readRecords(office: Office) {
  const [property] = (await office.call("listProperties")).properties;
  const [unit] = (await office.call("listUnits")).units;
  const [owner] = (await office.call("listOwners")).owners;
  const [vendor] = (await office.call("listVendors")).vendors;
  const tenant = (await office.call("listTenants")).tenants.find(({ fullName }) => fullName.startsWith("Tess"));
  const [lease] = (await office.call("listLeases")).leases;
  const [workOrder] = (await office.call("listWorkOrders")).workOrders;
  return { property: property!, unit: unit!, owner: owner!, vendor: vendor!, tenant: tenant!, lease: lease!, workOrder: workOrder! };
}

const byHand = {
  property: { name: "Maple Gardens", city: "Troy" },
  unit: { unitNumber: "1A", monthlyRentCents: 123_400, marketRentCents: 150_000 },
  owner: { fullName: "Olga Owens", email: "owens@example.com", mailingAddress: "9 Oak Street, Troy, NY 12180" },
  vendor: { name: "Better Pipes", email: "better@example.com", insurances: [] },
  tenant: { fullName: "Tess Tenent", email: "tess.new@example.com" },
  lease: { endDate: LATER, termType: "fixed_with_rollover", rentChargeDay: 5, lateFeeAmountCents: 7_500, lateFeeGraceDays: 3 },
  workOrder: { title: "Both taps drip", priority: "low" },
} as const;

test("a later import writes the changed values of a row only, and keeps what the office has changed since", async () => {
  const office = await anOffice();
  await writeBundle(office, (await prepareBundle(office, sheetsWith(first))).id);
  const records = await readRecords(office);
  const occupant = records.lease.occupants.find(({ isPrimary }) => !isPrimary)!;
  const at = ({ id }: { id: string }) => ({ params: { id } });
  await office.call("updateProperty", { ...at(records.property), body: byHand.property });
  await office.call("updateUnit", { ...at(records.unit), body: byHand.unit });
  await office.call("updateOwner", { ...at(records.owner), body: byHand.owner });
  await office.call("updateVendor", { ...at(records.vendor), body: { ...byHand.vendor, insurances: [] } });
  await office.call("updateTenant", { ...at(records.tenant), body: byHand.tenant });
  await office.call("updateLease", { ...at(records.lease), body: byHand.lease });
  await office.call("updateWorkOrder", { ...at(records.workOrder), body: byHand.workOrder });
  await office.call("updateOccupant", { ...at(occupant), body: { moveInDate: addDays(START, 9) } });
  const changed = {
    reserve: "200.00",
    squareFeet: "850",
    phone: "503-555-0102",
    role: "guarantor",
    moveIn: addDays(START, 2),
    amount: "25.00",
    estimate: "99.00",
  };
  const bundle = await prepareBundle(office, sheetsWith(changed));
  expect(bundle.counts).toMatchObject({ ready_update: 9, unchanged: 1, invalid: 0 });
  expect(await writeBundle(office, bundle.id)).toMatchObject({ status: "completed" });
  const after = await readRecords(office);
  expect(after).toMatchObject({
    ...byHand,
    property: { ...byHand.property, reserveCents: 20_000 },
    unit: { ...byHand.unit, squareFeet: 850 },
    owner: { ...byHand.owner, phone: expect.stringMatching(/0102$/) },
    vendor: { ...byHand.vendor, phone: expect.stringMatching(/0102$/) },
    tenant: { ...byHand.tenant, phone: expect.stringMatching(/0102$/) },
    lease: { ...byHand.lease, moveInDate: addDays(START, 2) },
    workOrder: { ...byHand.workOrder, estimateCents: 9_900 },
  });
  expect(after.lease.occupants.find(({ id }) => id === occupant.id)).toMatchObject({ role: "guarantor", moveInDate: addDays(START, 9) });
});

test("a changed part of an address or an insurance without its other parts is an error that names them", async () => {
  const office = await anOffice();
  const sheets = (street: string, policy: string, phone: string): Sheets => ({
    owners: ["source_id,full_name,email,phone,street_line1,state", `O-1,Olga Owner,olga@example.com,${phone},${street},NY`],
    vendors: ["source_id,name,phone,insurance_policy", `V-1,Pipes,${phone},${policy}`],
  });
  await writeBundle(office, (await prepareBundle(office, sheets("1 Elm Street", "PL-1", "503-555-0101"))).id);
  expect((await prepareBundle(office, sheets("1 Elm Street", "PL-1", "503-555-0102"))).counts).toMatchObject({ ready_update: 2 });
  const { id, counts } = await prepareBundle(office, sheets("2 Elm Street", "PL-2", "503-555-0101"));
  expect(counts).toMatchObject({ missing_source_data: 2, ready_update: 0 });
  const errors = (await listAllCandidates(office, id)).flatMap((candidate) => candidate.errors);
  expect(errors.map(({ path, message }) => [path, message])).toEqual([
    [
      "city",
      expect.stringMatching(/^city is empty, and street_line1 was 1 Elm Street and is 2 Elm Street\. A mailing address is changed as a whole: add city/),
    ],
    ["postal_code", expect.stringMatching(/^postal_code is empty/)],
    ["insurance_expires", expect.stringMatching(/^insurance_expires is empty, and insurance_policy was PL-1 and is PL-2\. An insurance is changed as a whole/)],
  ]);
});

test("an import of a merged duplicate's row does not rename the tenant who remains", async () => {
  const office = await anOffice();
  const tenants = (phone: string): Sheets => ({
    tenants: ["source_id,full_name,email,phone", "T-1,Tess Tenant,tess@example.com,503-555-0101", `T-2,T. Tenant,t@example.com,${phone}`],
  });
  await writeBundle(office, (await prepareBundle(office, tenants("503-555-0102"))).id);
  const all = (await office.call("listTenants")).tenants;
  const [kept, duplicate] = ["Tess Tenant", "T. Tenant"].map((name) => all.find(({ fullName }) => fullName === name)!);
  await office.call("mergeTenants", { params: { id: kept!.id }, body: { duplicateTenantId: duplicate!.id } });
  await eventually("identity of the merged duplicate", async () => {
    const statement = "select 1 from import_identity where organization_id = $1 and entity_id = $2 and source_id = 'T-2'";
    return (await queryImportsDatabase(office.organizationId, statement, [office.organizationId, kept!.id])).length > 0;
  });
  await writeBundle(office, (await prepareBundle(office, tenants("503-555-0109"))).id);
  const { tenant } = await office.call("getTenant", { params: { id: kept!.id } });
  expect(tenant).toMatchObject({ fullName: "Tess Tenant", email: "tess@example.com", phone: expect.stringMatching(/0109$/) });
});
