import { expect, test } from "@jest/globals";
import { prepareBundle, writeBundle } from "../services/imports/test/writing.ts";
import { recordEvents, withOwnerConnection } from "../services/ledger/test/ledger.fixtures.ts";
import { anOffice } from "./support/office.ts";

test("imported leases are saved once, whether the request of portfolio or their event arrives first", async () => {
  const office = await anOffice();
  const events = await recordEvents(office);
  const numbers = Array.from({ length: 60 }, (_, index) => index + 1);
  const { id } = await prepareBundle(office, {
    properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
    units: ["source_id,property_source_id,unit_number,monthly_rent", ...numbers.map((n) => `U-${n},P-1,${n},1000.00`)],
    tenants: ["source_id,full_name", ...numbers.map((n) => `T-${n},Tenant ${n}`)],
    leases: [
      "source_id,unit_source_id,primary_tenant_source_id,term_type,status,start_date,rent",
      ...numbers.map((n) => `L-${n},U-${n},T-${n},month_to_month,active,2024-01-01,1000.00`),
    ],
  });
  expect((await writeBundle(office, id)).status).toBe("completed");
  expect((await office.call("listRecurringCharges")).recurringChargeRules).toHaveLength(60);
  await events.waitForEvent("leases.imported", id);
  await events.waitUntilConsumed();
  const saved = await withOwnerConnection(office, (client) =>
    client.query("select version, count(*)::int as leases from lease_copy where organization_id = $1 group by version", [office.organizationId]),
  );
  expect(saved.rows).toEqual([{ version: 1, leases: 60 }]);
  await events.close();
});
