/** Rows that move the first day of a lease that has not begun to today or earlier. */
import { expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { addDays, addMonths, endOfMonth } from "@freehold/kit/time/plain-date";
import { eventually } from "../../../../test/support/eventually.ts";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { prepareBundle, type Sheets, writeBundle } from "../../test/writing.ts";

const DAY = today("America/New_York");
const [FUTURE, PAST, END] = [addDays(DAY, 20), addDays(DAY, -14), addDays(DAY, 400)];

const sheetsWith = (lease: string): Sheets => ({
  properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
  units: ["source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,1,1000.00"],
  tenants: ["source_id,full_name", "T-1,Tess Tenant"],
  leases: ["source_id,unit_source_id,primary_tenant_source_id,term_type,status,start_date,end_date,rent", `L-1,U-1,T-1,fixed,${lease}`],
});
const importLease = async (office: Office, lease: string) => writeBundle(office, (await prepareBundle(office, sheetsWith(lease))).id);

const activeLease = (office: Office) =>
  eventually("active lease", async () => {
    const [lease] = (await office.call("listLeases")).leases;
    return lease!.status === "active" ? lease : undefined;
  });

/** Charges all rent through the next month, and returns it in the order of its due dates. */
async function chargeRent(office: Office) {
  await office.call("postDueCharges", { body: { throughDate: endOfMonth(addMonths(DAY, 1)) } });
  const { charges } = await office.call("listCharges");
  return charges.map(({ dueDate, amountCents }) => ({ dueDate, amountCents })).toSorted((one, other) => one.dueDate.localeCompare(other.dueDate));
}

test.each([
  ["a pending lease", `pending,${FUTURE},${END},1000.00`, `pending,${PAST},${END},1000.00`],
  ["a draft that it activates", `draft,${FUTURE},${END},1000.00`, `active,${PAST},${END},1000.00`],
])("%s that its row moves before today is charged from today on, like a new one", async (_, before, after) => {
  const [moved, created] = [await anOffice(), await anOffice()];
  await importLease(moved, before);
  for (const office of [moved, created]) expect(await importLease(office, after)).toMatchObject({ status: "completed" });
  expect(await activeLease(moved)).toMatchObject({ startDate: PAST });
  await activeLease(created);
  const charges = await chargeRent(moved);
  expect(charges).toEqual(await chargeRent(created));
  expect(charges.every(({ dueDate, amountCents }) => dueDate >= DAY && amountCents === 100_000)).toBe(true);
});

test.each([
  ["today", DAY],
  ["an earlier day", PAST],
])("a pending lease that its row moves to %s with another rent has this rent from its first day on", async (_, start) => {
  const office = await anOffice();
  await importLease(office, `pending,${FUTURE},${END},1000.00`);
  expect(await importLease(office, `pending,${start},${END},1100.00`)).toMatchObject({ status: "completed" });
  const { id, ...lease } = await activeLease(office);
  expect(lease).toMatchObject({ startDate: start, rentCents: 110_000 });
  expect((await office.call("listRentChanges", { params: { id } })).rentChanges).toEqual([]);
  expect((await prepareBundle(office, sheetsWith(`pending,${start},${END},1100.00`))).counts.byEntity["lease"]).toEqual({ unchanged: 1 });
});
