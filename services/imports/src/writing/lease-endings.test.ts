/** Leases of the old system that end by a termination, were cancelled, or ended with more than one tenant. */
import { describe, expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { addDays } from "@freehold/kit/time/plain-date";
import { eventually } from "../../../../test/support/eventually.ts";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { listBulkRows, runBulkImport } from "../../test/bulk-imports.ts";
import { listAllCandidates } from "../../test/bundles.ts";
import { prepareBundle, type Sheets, writeBundle } from "../../test/writing.ts";

const HEADER = "source_id,unit_source_id,primary_tenant_source_id,term_type,status,start_date,end_date,move_in_date,rent,co_tenants";
const [START, END] = [addDays(today("America/New_York"), -300), addDays(today("America/New_York"), 60)];

const portfolio = {
  properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
  units: ["source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,1,1000.00", "U-2,P-1,2,1000.00"],
  tenants: ["source_id,full_name", "T-1,Ana Active", "T-2,Bob Before", "T-3,Cleo Cotenant"],
} satisfies Sheets;

async function importLeases(office: Office, ...rows: string[]) {
  const bundle = await prepareBundle(office, { ...portfolio, leases: [HEADER, ...rows] });
  const { status } = await writeBundle(office, bundle.id);
  const { leases } = await office.call("listLeases", { query: { sortBy: "startDate", sortDirection: "asc" } });
  return { id: bundle.id, status, leases };
}

const rentRulesOf = async (office: Office, leaseId: string) => (await office.call("listRecurringCharges", { query: { leaseId } })).recurringChargeRules;

describe("a lease with an end after the import", () => {
  test("that was terminated runs until its end date, holds its unit and is charged until then", async () => {
    const office = await anOffice();
    const { status, leases } = await importLeases(office, `L-1,U-1,T-1,month_to_month,terminated,${START},${END},,1000.00,`);
    expect([status, leases]).toMatchObject(["completed", [{ status: "terminated", terminationDate: END }]]);
    expect(leases[0]!.occupants).toMatchObject([{ releasedOn: END, moveOutDate: END }]);
    expect(await rentRulesOf(office, leases[0]!.id)).toMatchObject([{ status: "active", endDate: END, amountCents: 100_000 }]);
    expect((await office.call("listUnits", { query: { sortBy: "unitNumber" } })).units).toMatchObject([{ status: "occupied" }, { status: "vacant" }]);
    const again = await prepareBundle(office, { ...portfolio, leases: [HEADER, `L-1,U-1,T-1,month_to_month,terminated,${START},${END},,1000.00,`] });
    expect(again.counts.byEntity).toMatchObject({ lease: { unchanged: 1 } });
  });

  test("that was terminated is charged its recurring charges until its end date, also the rent", async () => {
    const office = await anOffice();
    const recurring_charges = ["source_id,lease_source_id,label,kind,amount,start_date", `R-1,L-1,Pet,fee,20.00,${START}`, `R-2,L-1,Rent,rent,900.00,${START}`];
    const leases = [HEADER, `L-1,U-1,T-1,month_to_month,terminated,${START},${END},,1000.00,`];
    const bundle = await prepareBundle(office, { ...portfolio, leases, recurring_charges });
    expect(await writeBundle(office, bundle.id)).toMatchObject({ status: "completed" });
    const [lease] = (await office.call("listLeases")).leases;
    expect((await rentRulesOf(office, lease!.id)).toSorted((one, other) => one.amountCents - other.amountCents)).toMatchObject([
      { label: "Pet", amountCents: 2_000, status: "active", endDate: END },
      { label: "Rent", amountCents: 90_000, status: "active", endDate: END },
    ]);
    const again = await prepareBundle(office, { ...portfolio, leases, recurring_charges });
    expect(again.counts.byEntity).toMatchObject({ lease: { unchanged: 1 }, recurring_charge: { unchanged: 2 } });
  });

  test("that was cancelled, or terminated before its first day, is cancelled and never charged", async () => {
    const office = await anOffice();
    const { status, leases } = await importLeases(
      office,
      `L-1,U-1,T-1,fixed,cancelled,${START},${END},,1000.00,`,
      `L-2,U-2,T-2,fixed,terminated,${addDays(END, -30)},${END},,1000.00,`,
    );
    expect([status, leases]).toMatchObject(["completed", [{ status: "cancelled" }, { status: "cancelled" }]]);
    for (const { id } of leases) expect(await rentRulesOf(office, id)).toEqual([]);
    expect((await office.call("listUnits")).units).toMatchObject([{ status: "vacant" }, { status: "vacant" }]);
  });

  test("is terminated by a later import of the running lease, and by a bulk import", async () => {
    const office = await anOffice();
    const first = await importLeases(office, `L-1,U-1,T-1,month_to_month,active,${START},,,1000.00,`);
    const { leases } = await importLeases(office, `L-1,U-1,T-1,month_to_month,terminated,${START},${END},,1000.00,`);
    expect(leases).toMatchObject([{ status: "terminated", terminationDate: END }]);
    expect(await rentRulesOf(office, first.leases[0]!.id)).toMatchObject([{ endDate: END }]);
    const { unitId, propertyId } = leases[0]!;
    const { unit } = await office.call("createUnit", { body: { propertyId, unitNumber: "9", monthlyRentCents: 1000 } });
    expect(unit.id).not.toBe(unitId);
    const bulk = await runBulkImport(office, "leases", [
      "unit_number,property_name,primary_tenant_name,term_type,status,start_date,end_date,rent",
      `9,Maple Court,Bob Before,fixed,terminated,${START},${END},1000.00`,
    ]);
    expect([bulk.status, await listBulkRows(office, bulk)]).toMatchObject(["completed", [{ errors: [] }]]);
    expect((await office.call("listLeases", { query: { unitId: unit.id } })).leases).toMatchObject([{ status: "terminated", terminationDate: END }]);
  });
});

test("a renewed lease is a past one beside the lease that renews it", async () => {
  const office = await anOffice();
  const { status, leases } = await importLeases(
    office,
    `L-1,U-1,T-1,fixed,renewed,2020-01-01,${addDays(START, -1)},,1000.00,`,
    `L-2,U-1,T-1,fixed,active,${START},${END},,1000.00,`,
  );
  expect([status, leases.length]).toEqual(["completed", 2]);
  await eventually("expired lease", async () => {
    const { leases: all } = await office.call("listLeases", { query: { sortBy: "startDate", sortDirection: "asc" } });
    return all.map((lease) => lease.status).join() === "expired,active";
  });
  expect((await office.call("listUnits", { query: { sortBy: "unitNumber" } })).units).toMatchObject([{ status: "occupied" }, { status: "vacant" }]);
});

describe("co-tenants of an imported lease", () => {
  const staysOf = (lease: { occupants: { tenantName: string | null; moveInDate: string | null; moveOutDate: string | null; releasedOn: string | null }[] }) =>
    lease.occupants.map(({ tenantName, moveInDate, moveOutDate, releasedOn }) => [tenantName, moveInDate, moveOutDate, releasedOn]);

  test("have lived there since its start, or since its move-in date", async () => {
    const office = await anOffice();
    const { leases } = await importLeases(
      office,
      `L-1,U-1,T-1,month_to_month,active,${START},,,1000.00,T-3`,
      `L-2,U-2,T-2,month_to_month,active,${addDays(START, 1)},,${addDays(START, 9)},1000.00,T-3`,
    );
    expect(leases.map(staysOf)).toEqual([
      [
        ["Ana Active", START, null, null],
        ["Cleo Cotenant", START, null, null],
      ],
      [
        ["Bob Before", addDays(START, 9), null, null],
        ["Cleo Cotenant", addDays(START, 9), null, null],
      ],
    ]);
  });

  test("leave a past lease with its tenant", async () => {
    const office = await anOffice();
    const { id, status } = await importLeases(
      office,
      "L-1,U-1,T-1,fixed,expired,2020-01-01,2020-12-31,,1000.00,T-3",
      "L-2,U-2,T-2,fixed,terminated,2021-01-01,2021-12-31,,1000.00,T-3",
    );
    expect([status, (await listAllCandidates(office, id)).flatMap(({ errors }) => errors)]).toEqual(["completed", []]);
    const leases = await eventually("expired lease", async () => {
      const { leases: all } = await office.call("listLeases", { query: { sortBy: "startDate", sortDirection: "asc" } });
      return all[0]!.status === "expired" ? all : undefined;
    });
    expect(leases.map(staysOf)).toEqual([
      [
        ["Ana Active", "2020-01-01", "2020-12-31", null],
        ["Cleo Cotenant", "2020-01-01", "2020-12-31", null],
      ],
      [
        ["Bob Before", "2021-01-01", "2021-12-31", "2021-12-31"],
        ["Cleo Cotenant", "2021-01-01", "2021-12-31", "2021-12-31"],
      ],
    ]);
  });
});

describe("another tenant, unit or first day of an imported lease", () => {
  const other = "L-1,U-2,T-3,month_to_month";

  test("changes a draft", async () => {
    const office = await anOffice();
    await importLeases(office, `L-1,U-1,T-1,month_to_month,draft,${START},,,1000.00,`);
    const { status, leases } = await importLeases(office, `${other},draft,${addDays(START, 5)},,,1000.00,`);
    expect([status, leases]).toMatchObject(["completed", [{ status: "draft", unitNumber: "2", tenantName: "Cleo Cotenant", startDate: addDays(START, 5) }]]);
  });

  test("is an error of the row when the lease is running, while its other fields can change", async () => {
    const office = await anOffice();
    await importLeases(office, `L-1,U-1,T-1,month_to_month,active,${START},,,1000.00,`);
    const bundle = await prepareBundle(office, { ...portfolio, leases: [HEADER, `${other},active,${addDays(START, 5)},,,1000.00,`] });
    const [lease] = await listAllCandidates(office, bundle.id, { entityType: "lease" });
    expect([lease!.status, lease!.errors.map(({ path, code }) => [path, code])]).toEqual([
      "invalid",
      [
        ["unit_source_id", "not_allowed"],
        ["primary_tenant_source_id", "not_allowed"],
        ["start_date", "not_allowed"],
      ],
    ]);
    expect(lease!.errors[1]!.message).toBe(
      "The lease is active, so its tenant does not change: primary_tenant_source_id was T-1 and is T-3. For another lease, add a row with its own source_id, and end this one before it starts; otherwise restore primary_tenant_source_id in the file, or exclude the row.",
    );
    const { status, leases } = await importLeases(office, `L-1,U-1,T-1,month_to_month,active,${START},,${addDays(START, 2)},1000.00,`);
    expect([status, leases]).toMatchObject(["completed", [{ unitNumber: "1", tenantName: "Ana Active", moveInDate: addDays(START, 2) }]]);
  });
});
