import { describe, expect, test } from "@jest/globals";
import { eventually } from "../../../../test/support/eventually.ts";
import { anOffice } from "../../../../test/support/office.ts";
import { prepareBundle, writeBundle } from "../../test/writing.ts";

test("a lease of the past never becomes a current one, nor holds the unit of the current one", async () => {
  const office = await anOffice();
  const bundle = await prepareBundle(office, {
    properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
    units: ["source_id,property_source_id,unit_number,monthly_rent", ...[1, 2, 3, 4].map((n) => `U-${n},P-1,${n},1000.00`)],
    tenants: ["source_id,full_name", ...[1, 2, 3, 4].map((n) => `T-${n},Tenant ${n}`)],
    leases: [
      "source_id,unit_source_id,primary_tenant_source_id,term_type,status,start_date,end_date,rent",
      "L-1,U-1,T-1,month_to_month,expired,2020-01-01,2021-12-31,1000.00",
      "L-2,U-2,T-2,fixed_with_rollover,expired,2020-01-01,2021-12-31,1000.00",
      "L-3,U-3,T-3,fixed,expired,2020-01-01,2099-12-31,1000.00",
      "L-4,U-4,T-4,month_to_month,expired,2020-01-01,,1000.00",
      "L-5,U-1,T-2,fixed,active,2022-01-01,2099-12-31,1000.00",
    ],
  });
  expect(bundle.counts.byEntity).toMatchObject({ lease: { ready_create: 3, invalid: 1, missing_source_data: 1 } });
  await writeBundle(office, bundle.id);
  const readStatuses = async () => (await office.call("listLeases")).leases.map(({ status }) => status).toSorted();
  await eventually("expiry of the past leases", async () => (await readStatuses()).join() === "active,expired,expired");
  const { units } = await office.call("listUnits", { query: { sortBy: "unitNumber" } });
  expect(units.map(({ status }) => status)).toEqual(["occupied", "vacant", "vacant", "vacant"]);
  const { candidates } = await office.call("listImportCandidates", { params: { id: bundle.id }, query: { status: "invalid" } });
  expect(candidates).toMatchObject([{ sourceId: "L-3", resultEntityId: null, errors: [{ path: "end_date", code: "not_allowed" }] }]);
});

describe("a lease that is imported again with another status", () => {
  test.each([
    ["active", "terminated", "terminated"],
    ["active", "expired", "terminated"],
    ["draft", "active", "active"],
  ])("%s before and %s now, is %s", async (before, now, expected) => {
    const office = await anOffice();
    const sheetsWith = (status: string, endDate: string) => ({
      properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
      units: ["source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,1,1000.00"],
      tenants: ["source_id,full_name", "T-1,Tenant 1"],
      leases: [
        "source_id,unit_source_id,primary_tenant_source_id,term_type,status,start_date,end_date,rent",
        `L-1,U-1,T-1,month_to_month,${status},2020-01-01,${endDate},1000.00`,
      ],
    });
    await writeBundle(office, (await prepareBundle(office, sheetsWith(before, ""))).id);
    await writeBundle(office, (await prepareBundle(office, sheetsWith(now, now === "active" ? "" : "2026-06-30"))).id);
    const { leases } = await office.call("listLeases");
    expect(leases).toMatchObject([{ status: expected }]);
    const { units } = await office.call("listUnits");
    expect(units).toMatchObject([{ status: expected === "active" ? "occupied" : "vacant" }]);
  });
});
