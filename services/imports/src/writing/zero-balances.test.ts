/** Opening balances of zero: they post nothing, so no record is theirs. */
import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/support/office.ts";
import { prepareBundle, type Sheets, writeBundle } from "../../test/writing.ts";

const lease = {
  properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
  units: ["source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,1A,1000.00"],
  tenants: ["source_id,full_name", "T-1,Tess Tenant"],
  leases: ["source_id,unit_source_id,primary_tenant_source_id,term_type,status,start_date,rent", "L-1,U-1,T-1,month_to_month,active,2026-01-01,1000.00"],
} satisfies Sheets;

test("an opening balance of zero posts nothing and has no record in the identity map, until it has an amount", async () => {
  const office = await anOffice();
  const withBalance = (balance: string): Sheets => ({
    ...lease,
    opening_balances: ["lease_source_id,as_of,balance,prepaid", `L-1,2026-01-01,${balance},0.00`],
  });
  const { id } = await prepareBundle(office, withBalance("0.00"));
  expect(await writeBundle(office, id)).toMatchObject({ status: "completed", counts: { byEntity: { opening_balance: { unchanged: 1 } } } });
  expect(await (await office.raw("GET", `/api/import-bundles/${id}/identity-map.csv`)).text()).not.toContain("opening_balance");
  const corrected = await prepareBundle(office, withBalance("75.00"));
  expect(corrected.counts.byEntity).toMatchObject({ opening_balance: { ready_create: 1 } });
  await writeBundle(office, corrected.id);
  expect((await office.call("listCharges", { query: { chargeType: "other" } })).charges).toMatchObject([{ amountCents: 7_500 }]);
});
