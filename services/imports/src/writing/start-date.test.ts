import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/support/office.ts";
import { createBundle, csvFile, queryImportsDatabase, uploadFiles, validateBundle } from "../../test/bundles.ts";
import { prepareBundle, writeBundle } from "../../test/writing.ts";

/** Late on 9 January in New York, when it is 10 January in UTC. */
const STARTED_AT = "2026-01-10T03:30:00Z";

test("a bundle that is continued on a later day uses the date of its start", async () => {
  const office = await anOffice();
  const { id } = await prepareBundle(office, {
    properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Oak House,7 Oak Street,Albany,NY,12207"],
    units: ["source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,1A,900.00"],
    tenants: ["source_id,full_name", "T-1,Tess Tenant"],
    leases: ["source_id,unit_source_id,primary_tenant_source_id,term_type,status,start_date,rent", "L-1,U-1,T-1,month_to_month,active,2025-06-01,900.00"],
    deposits: ["lease_source_id,amount_held", "L-1,900.00"],
  });
  await queryImportsDatabase(
    office.organizationId,
    `update import_bundle set status = 'queued', run = run + 1, cursor = '{"entityType": "property", "position": 0}', started_at = $2, started_by = $3 where id = $1`,
    [id, STARTED_AT, JSON.stringify({ userId: office.userId, role: "admin", timezone: "America/New_York" })],
  );
  // The job takes the bundle that was started first, so starting another bundle continues this one.
  const otherBundle = await createBundle(office);
  await uploadFiles(office, otherBundle.id, csvFile("owners.csv", "source_id,full_name,email", "O-1,Olga Owner,olga@example.com"));
  await validateBundle(office, otherBundle.id);
  await writeBundle(office, otherBundle.id);
  expect((await writeBundle(office, id)).status).toBe("completed");
  const { charges } = await office.call("listCharges");
  expect(charges).toMatchObject([{ chargeType: "deposit", dueDate: "2026-01-09" }]);
  const { payments } = await office.call("listPayments");
  expect(payments).toMatchObject([{ amountCents: 90_000, receivedAt: "2026-01-09T17:00:00.000Z" }]);
});
