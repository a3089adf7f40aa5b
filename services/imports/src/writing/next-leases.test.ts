/** Exports in which a lease has ended and the unit has its next lease. */
import { expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { addDays } from "@freehold/kit/time/plain-date";
import { anOffice } from "../../../../test/support/office.ts";
import { prepareBundle, type Sheets, writeBundle } from "../../test/writing.ts";

const DAY = today("America/New_York");
const [START, END, NEXT] = [addDays(DAY, -300), addDays(DAY, 20), addDays(DAY, 21)];
const LAST = addDays(DAY, 400);

const sheetsWith = (...leases: string[]): Sheets => ({
  properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
  units: ["source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,1,1000.00", "U-2,P-1,2,1000.00"],
  tenants: ["source_id,full_name", "T-1,Tess Tenant", "T-2,Otto Other", "T-3,Cora Co"],
  leases: ["source_id,unit_source_id,primary_tenant_source_id,term_type,status,start_date,end_date,rent", ...leases],
});

test("the changes of leases are written before new leases, whatever the order of the rows: the end of one frees its unit for the next", async () => {
  const office = await anOffice();
  const before = sheetsWith(`L-1,U-1,T-1,month_to_month,active,${START},,1000.00`, `L-2,U-2,T-2,fixed,pending,${NEXT},${LAST},1000.00`);
  await writeBundle(office, (await prepareBundle(office, before)).id);
  const after = sheetsWith(
    `L-3,U-1,T-3,fixed,pending,${NEXT},${LAST},1100.00`,
    `L-4,U-2,T-3,fixed,pending,${addDays(NEXT, 5)},${LAST},1100.00`,
    `L-1,U-1,T-1,month_to_month,terminated,${START},${END},1000.00`,
    `L-2,U-2,T-2,fixed,cancelled,${NEXT},${LAST},1000.00`,
  );
  const { id, counts } = await prepareBundle(office, after);
  expect(counts.byEntity["lease"]).toEqual({ ready_create: 2, ready_update: 2 });
  expect(await writeBundle(office, id)).toMatchObject({ status: "completed" });
  const { leases } = await office.call("listLeases", { query: { pageSize: 100 } });
  const statuses = leases.map(({ unitNumber, tenantName, status }) => `${unitNumber} ${tenantName} ${status}`);
  expect(new Set(statuses)).toEqual(new Set(["1 Tess Tenant terminated", "1 Cora Co pending", "2 Otto Other cancelled", "2 Cora Co pending"]));
});
