/** Times of work orders, and late fees without a type. */
import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/support/office.ts";
import { prepareBundle, writeBundle } from "../../test/writing.ts";

const properties = ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"];

test("the time of an appointment is that of the office's time zone", async () => {
  const office = await anOffice();
  const header = "source_id,property_source_id,title,status,created_date,scheduled_date";
  const rows = ["W-1,P-1,The tap drips,in_progress,06/01/2026,06/05/2026 10:00 AM", "W-2,P-1,The door sticks,open,06/01/2026,06/06/2026"];
  const sheets = { properties, work_orders: [header, ...rows] };
  expect(await writeBundle(office, (await prepareBundle(office, sheets)).id)).toMatchObject({ status: "completed" });
  const { workOrders } = await office.call("listWorkOrders");
  expect(workOrders.map(({ title, scheduledStart }) => [title, scheduledStart]).toSorted(([one], [other]) => one!.localeCompare(other!))).toEqual([
    ["The door sticks", "2026-06-06T17:00:00.000Z"],
    ["The tap drips", "2026-06-05T14:00:00.000Z"],
  ]);
  const moved = { ...sheets, work_orders: [header, rows[0]!.replace("10:00 AM", "2:30 PM"), rows[1]!] };
  const bundle = await prepareBundle(office, moved);
  expect(bundle.counts.byEntity["work_order"]).toMatchObject({ ready_update: 1, unchanged: 1 });
  await writeBundle(office, bundle.id);
  const { workOrders: after } = await office.call("listWorkOrders");
  expect(after.map(({ scheduledStart }) => scheduledStart)).toContain("2026-06-05T18:30:00.000Z");
});

test("a late fee without a type is flat, or a percentage", async () => {
  const office = await anOffice();
  const sheets = {
    properties,
    units: ["source_id,property_source_id,unit_number,monthly_rent", ...["1", "2", "3"].map((number) => `U-${number},P-1,${number},1000.00`)],
    tenants: ["source_id,full_name", ...["1", "2", "3"].map((number) => `T-${number},Tenant ${number}`)],
    leases: [
      "source_id,unit_source_id,primary_tenant_source_id,start_date,rent,late_fee_amount,late_fee_percent,late_fee_grace_days",
      "L-1,U-1,T-1,2026-01-01,1000.00,50.00,,5",
      "L-2,U-2,T-2,2026-01-01,1000.00,,5,5",
      "L-3,U-3,T-3,2026-01-01,1000.00,0.00,,5",
    ],
  };
  expect(await writeBundle(office, (await prepareBundle(office, sheets)).id)).toMatchObject({ status: "completed" });
  const { leases } = await office.call("listLeases");
  const lateFees = leases.map((lease): [string, object] => [
    lease.unitNumber!,
    { type: lease.lateFeeType, cents: lease.lateFeeAmountCents, bps: lease.lateFeePercentBps },
  ]);
  expect(Object.fromEntries(lateFees)).toEqual({
    1: { type: "flat", cents: 5_000, bps: null },
    2: { type: "percent", cents: null, bps: 500 },
    3: { type: "none", cents: 0, bps: null },
  });
});
