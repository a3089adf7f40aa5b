/** Rows with another rent of a running lease whose rent changes on the first of the next month already. */
import { expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { addDays, addMonths, startOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { prepareBundle, type Sheets, writeBundle } from "../../test/writing.ts";

const DAY = today("America/New_York");
const [START, END, NEXT_MONTH] = [addDays(DAY, -300), addDays(DAY, 400), addMonths(startOfMonth(DAY), 1)];

const sheetsWith = (rent: string, status = `active,${START},${END}`): Sheets => ({
  properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
  units: ["source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,1,1000.00"],
  tenants: ["source_id,full_name", "T-1,Tess Tenant"],
  leases: ["source_id,unit_source_id,primary_tenant_source_id,term_type,status,start_date,end_date,rent", `L-1,U-1,T-1,fixed,${status},${rent}`],
});
const importRent = async (office: Office, rent: string, status?: string) => writeBundle(office, (await prepareBundle(office, sheetsWith(rent, status))).id);

/** Returns the rent changes of the only lease, and the amounts that it charges from the next month on. */
async function rentsOf(office: Office) {
  const [lease] = (await office.call("listLeases")).leases;
  const { rentChanges } = await office.call("listRentChanges", { params: { id: lease!.id } });
  const { recurringChargeRules } = await office.call("listRecurringCharges", { query: { leaseId: lease!.id } });
  const charged = recurringChargeRules.filter(({ status, endDate }) => status === "active" && (endDate === null || endDate >= NEXT_MONTH));
  return {
    changes: rentChanges.map(({ effectiveDate, previousRentCents, rentCents }) => [effectiveDate, previousRentCents, rentCents]),
    charged: charged.map(({ amountCents }) => amountCents),
  };
}

test.each([
  ["another rent", "1200.00", { changes: [[NEXT_MONTH, 100_000, 120_000]], charged: [120_000] }],
  ["the previous rent", "1000.00", { changes: [], charged: [100_000] }],
])("a rent that was imported by mistake is corrected by a row with %s", async (_, rent, rents) => {
  const office = await anOffice();
  await importRent(office, "1000.00");
  await importRent(office, "1100.00");
  expect(await rentsOf(office)).toEqual({ changes: [[NEXT_MONTH, 100_000, 110_000]], charged: [110_000] });
  expect(await importRent(office, rent)).toMatchObject({ status: "completed", counts: { invalid: 0 } });
  expect(await rentsOf(office)).toEqual(rents);
  expect((await prepareBundle(office, sheetsWith(rent))).counts.byEntity["lease"]).toEqual({ unchanged: 1 });
});

test.each([
  ["the rent of the row", 110_000],
  ["another one", 130_000],
])("a new rent is imported when the office has entered %s for the same day", async (_, rentCents) => {
  const office = await anOffice();
  await importRent(office, "1000.00");
  const [lease] = (await office.call("listLeases")).leases;
  await office.call("createRentChange", { params: { id: lease!.id }, body: { effectiveDate: NEXT_MONTH, rentCents } });
  expect(await importRent(office, "1100.00")).toMatchObject({ status: "completed" });
  expect(await rentsOf(office)).toEqual({ changes: [[NEXT_MONTH, 100_000, 110_000]], charged: [110_000] });
});

test("a second new rent does not refuse the termination in its row", async () => {
  const office = await anOffice();
  await importRent(office, "1000.00");
  await importRent(office, "1100.00");
  expect(await importRent(office, "1200.00", `terminated,${START},${addDays(DAY, 60)}`)).toMatchObject({ status: "completed" });
  expect((await office.call("listLeases")).leases).toMatchObject([{ status: "terminated", terminationDate: addDays(DAY, 60) }]);
  expect((await rentsOf(office)).changes).toEqual([[NEXT_MONTH, 100_000, 120_000]]);
});
