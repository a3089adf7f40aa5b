/** Balances of reports: the day of the next report changes none of them. */
import { expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { createBundle, csvFile, uploadFiles, validateBundle } from "../../test/bundles.ts";
import { prepareBundle, type Sheets, writeBundle } from "../../test/writing.ts";

const HEADER = "Unit,Tenant,Status,Rent,Deposit,Lease From,Lease To,Move-in,Past Due,Occupancy ID";
async function importRoll(office: Office, day: string, balance: string) {
  const { id } = await createBundle(office, "appfolio", "rolls");
  const section = '"Birch Row - 40 Birch Ave Salem, OR 97301",,,,,,,,,';
  const rows = [`1,"Sample, Sam",Current,"1,000.00",900.00,01/01/2026,12/31/2099,01/01/2026,${balance},9001`];
  await uploadFiles(office, id, csvFile(`rent_roll-${day}.csv`, HEADER, section, ...rows));
  const { counts } = await validateBundle(office, id);
  await writeBundle(office, id);
  return counts.byEntity["opening_balance"];
}

test("the balance of the next report is unchanged unless its amount is another one", async () => {
  const office = await anOffice();
  expect(await importRoll(office, "20260628", "300.00")).toEqual({ ready_create: 1 });
  expect(await importRoll(office, "20260629", "300.00")).toEqual({ unchanged: 1 });
  expect(await importRoll(office, "20260630", "310.00")).toEqual({ invalid: 1 });
  const { charges } = await office.call("listCharges", { query: { chargeType: "other" } });
  expect(charges).toMatchObject([{ amountCents: 30_000, dueDate: "2026-06-28" }]);
});

test("a changed day in a cell of its own is an error", async () => {
  const office = await anOffice();
  const withDay = (day: string): Sheets => ({
    properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
    units: ["source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,1A,1000.00"],
    tenants: ["source_id,full_name", "T-1,Tess Tenant"],
    leases: ["source_id,unit_source_id,primary_tenant_source_id,term_type,status,start_date,rent", "L-1,U-1,T-1,month_to_month,active,2026-01-01,1000.00"],
    opening_balances: ["lease_source_id,as_of,balance", `L-1,${day},75.00`],
  });
  await writeBundle(office, (await prepareBundle(office, withDay("2026-01-31"))).id);
  expect((await prepareBundle(office, withDay("2026-02-01"))).counts.byEntity["opening_balance"]).toEqual({ invalid: 1 });
});
