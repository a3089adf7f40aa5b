/** Validations judge by the day of the organization, which is another one than that of UTC for some hours. */
import { expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { addDays } from "@freehold/kit/time/plain-date";
import { anOffice, password } from "../../../../test/support/office.ts";
import { listAllCandidates } from "../../test/bundles.ts";
import { prepareBundle } from "../../test/writing.ts";

// At any time, one of these days is not that of UTC.
test.each(["Pacific/Pago_Pago", "Pacific/Kiritimati"])("a lease of an office in %s has expired on its day there, and not before", async (timezone) => {
  const office = await anOffice();
  await office.call("updateOrganization", { body: { timezone } });
  office.token = (await office.call("login", { body: { email: office.email, password } })).accessToken;
  const day = today(timezone);
  const { id } = await prepareBundle(office, {
    properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
    units: ["source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,1,1000.00", "U-2,P-1,2,1000.00"],
    tenants: ["source_id,full_name", "T-1,Tess Tenant"],
    leases: [
      "source_id,unit_source_id,primary_tenant_source_id,term_type,status,start_date,end_date,rent",
      `L-1,U-1,T-1,fixed,expired,${addDays(day, -300)},${day},1000.00`,
      `L-2,U-2,T-1,fixed,expired,${addDays(day, -300)},${addDays(day, 1)},1000.00`,
    ],
  });
  const leases = await listAllCandidates(office, id, { entityType: "lease" });
  expect(leases.map(({ status }) => status)).toEqual(["ready_create", "invalid"]);
});
