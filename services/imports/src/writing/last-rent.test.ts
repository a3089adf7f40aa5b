/** Rent of leases that a later import ends on a day before the import. */
import { expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { addDays, addMonths, daysInMonth, startOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice } from "../../../../test/support/office.ts";
import { prepareBundle, type Sheets, writeBundle } from "../../test/writing.ts";

const LAST_MONTH = addMonths(startOfMonth(today("America/New_York")), -1);
const [START, END] = [addMonths(LAST_MONTH, -1), addDays(LAST_MONTH, 9)];
const address = { name: "Maple Court", streetLine1: "12 Maple Street", city: "Albany", state: "NY", postalCode: "12207" };
const sheetsWith = (status: string): Sheets => ({
  properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
  units: ["source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,1,1000.00", "U-2,P-1,2,1000.00"],
  tenants: ["source_id,full_name,email", "T-1,Ana Active,ana@example.com", "T-2,Bob Before,bob@example.com"],
  leases: [
    "source_id,unit_source_id,primary_tenant_source_id,term_type,status,start_date,end_date,rent",
    `L-1,U-1,T-1,month_to_month,${status},${START},${status === "active" ? "" : END},1000.00`,
    `L-2,U-2,T-2,month_to_month,${status},${START},${status === "active" ? "" : END},1000.00`,
  ],
});

test.each(["terminated", "expired"])("a lease that is %s in a later import owes the rent that Freehold has charged up to its last day", async (status) => {
  const office = await anOffice();
  const { property } = await office.call("createProperty", { body: { ...address, units: 1, occupiedUnits: 0 } });
  const { unit } = await office.call("createUnit", { body: { propertyId: property.id, unitNumber: "1", monthlyRentCents: 100_000 } });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ana Active", email: "ana@example.com" } });
  const terms = { startDate: START, termType: "month_to_month" as const, rentCents: 100_000, rentChargeDay: 1, activate: true };
  const { lease } = await office.call("createLease", { body: { ...terms, propertyId: property.id, unitId: unit.id, tenantId: tenant.id } });
  const running = await prepareBundle(office, sheetsWith("active"));
  expect(running.counts.byEntity).toMatchObject({ lease: { unchanged: 1, ready_create: 1 } });
  await writeBundle(office, running.id);
  expect(await writeBundle(office, (await prepareBundle(office, sheetsWith(status))).id)).toMatchObject({ status: "completed" });
  const { leases } = await office.call("listLeases", { query: { sortBy: "createdAt", sortDirection: "asc" } });
  const rentOfLastMonth = Math.round((100_000 * 10) / daysInMonth(END));
  expect(leases).toMatchObject([
    { id: lease.id, status: "terminated", terminationDate: END, balanceCents: 100_000 + rentOfLastMonth },
    { status: "terminated", terminationDate: END, balanceCents: 0 },
  ]);
});
