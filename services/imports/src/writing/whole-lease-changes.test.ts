/** Changed rows of leases: the terms, the rent and the status of a row are written together or not at all. */
import { describe, expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { addDays, addMonths, startOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { whileRefused } from "../../test/refusals.ts";
import { prepareBundle, type Sheets, writeBundle } from "../../test/writing.ts";

const DAY = today("America/New_York");
const [START, END, LATER] = [addDays(DAY, -300), addDays(DAY, 70), addDays(DAY, 400)];

const HEADER = "source_id,unit_source_id,primary_tenant_source_id,term_type,status,start_date,end_date,rent,move_in_date,late_fee_type,late_fee_amount";
const sheetsWith = (lease: string): Sheets => ({
  properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
  units: ["source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,1,1000.00", "U-2,P-1,2,1000.00"],
  tenants: ["source_id,full_name", "T-1,Tess Tenant", "T-2,Otto Other"],
  leases: [HEADER, `L-1,${lease}`],
});

/** Returns the state of the only lease: its terms, its rents and its recurring charges. */
async function stateOf(office: Office) {
  const [lease] = (await office.call("listLeases")).leases;
  const { id, status, unitNumber, tenantName, startDate, endDate, terminationDate, rentCents, lateFeeType, lateFeeAmountCents, occupants } = lease!;
  const { rentChanges } = await office.call("listRentChanges", { params: { id } });
  const { recurringChargeRules } = await office.call("listRecurringCharges", { query: { leaseId: id } });
  return {
    lease: { status, unitNumber, tenantName, startDate, endDate, terminationDate, rentCents, lateFeeType, lateFeeAmountCents },
    occupants: occupants.map(({ tenantName: name, moveInDate, moveOutDate, releasedOn }) => [name, moveInDate, moveOutDate, releasedOn]),
    rentChanges: rentChanges.map((change) => [change.effectiveDate, change.rentCents]),
    charges: recurringChargeRules.map((rule) => [rule.status, rule.amountCents, rule.startDate, rule.endDate].join(" ")).toSorted(),
  };
}

const DRAFT = "U-1,T-1,fixed,draft";
const ACTIVATED = `U-2,T-2,fixed,active,${addDays(START, 3)},${LATER},1100.00,,flat,25.00`;
const changes = {
  "terminated with other terms and another rent": [
    `U-1,T-1,fixed,active,${START},${LATER},1000.00,,,`,
    `U-1,T-1,fixed,terminated,${START},${END},1200.00,,flat,25.00`,
  ],
  "activated on another unit, with another tenant and rent": [`${DRAFT},${START},${LATER},1000.00,,,`, ACTIVATED],
  "cancelled with another rent": [`${DRAFT},${START},${LATER},1000.00,,,`, `U-1,T-1,fixed,cancelled,${START},${LATER},1300.00,,,`],
} as const;
type Change = keyof typeof changes;

const parts: readonly [Change, string, "insert" | "update"][] = [
  ["terminated with other terms and another rent", "lease", "update"],
  ["terminated with other terms and another rent", "rent_change", "insert"],
  ["terminated with other terms and another rent", "lease_occupant", "update"],
  ["activated on another unit, with another tenant and rent", "lease", "update"],
  ["activated on another unit, with another tenant and rent", "lease_occupant", "insert"],
  ["cancelled with another rent", "lease", "update"],
];

describe("a changed row of a lease", () => {
  const importSheets = async (office: Office, lease: string) => writeBundle(office, (await prepareBundle(office, sheetsWith(lease))).id);

  test.each(parts)("%s: nothing of it is written while the %s is refused (%s), and the next import writes all of it", async (name, table, event) => {
    const [before, after] = changes[name];
    const [office, other] = [await anOffice(), await anOffice()];
    for (const each of [office, other]) await importSheets(each, before);
    expect(await importSheets(other, after)).toMatchObject({ status: "completed" });
    const unchanged = await stateOf(office);
    const { id } = await prepareBundle(office, sheetsWith(after));
    const refused = await whileRefused({ database: "portfolio", table, event, organizationId: office.organizationId }, () => writeBundle(office, id));
    expect(refused).toMatchObject({ status: "completed_with_errors", counts: { invalid: 1 } });
    expect(await stateOf(office)).toEqual(unchanged);
    expect(await importSheets(office, after)).toMatchObject({ status: "completed" });
    expect(await stateOf(office)).toEqual(await stateOf(other));
    expect((await prepareBundle(office, sheetsWith(after))).counts).toMatchObject({ ready_update: 0, invalid: 0 });
  });

  test("whose termination is refused, because the unit is let again before, leaves the rent that it had, and is written once its end is right", async () => {
    const office = await anOffice();
    await importSheets(office, `U-1,T-1,fixed,active,${START},${END},1000.00,,,`);
    const { unitId, propertyId } = (await office.call("listLeases")).leases[0]!;
    const { tenant } = await office.call("createTenant", { body: { fullName: "Nora Next" } });
    const next = {
      propertyId,
      unitId,
      tenantId: tenant.id,
      startDate: addDays(END, 1),
      endDate: LATER,
      termType: "fixed",
      rentCents: 90_000,
      activate: true,
    } as const;
    await office.call("createLease", { body: next });
    const refused = await importSheets(office, `U-1,T-1,fixed,terminated,${START},${addDays(END, 30)},1200.00,,flat,25.00`);
    expect(refused).toMatchObject({ status: "completed_with_errors", counts: { invalid: 1 } });
    const leaseOf = async () => (await office.call("listLeases", { query: { search: "Tess" } })).leases[0]!;
    const { id, ...lease } = await leaseOf();
    expect(lease).toMatchObject({ status: "active", lateFeeType: "none" });
    expect((await office.call("listRentChanges", { params: { id } })).rentChanges).toEqual([]);
    expect(await importSheets(office, `U-1,T-1,fixed,terminated,${START},${addDays(END, -3)},1200.00,,flat,25.00`)).toMatchObject({ status: "completed" });
    expect(await leaseOf()).toMatchObject({ status: "terminated", terminationDate: addDays(END, -3), lateFeeType: "flat" });
    const { rentChanges } = await office.call("listRentChanges", { params: { id } });
    expect(rentChanges).toMatchObject([{ effectiveDate: addMonths(startOfMonth(DAY), 1), rentCents: 120_000 }]);
  });

  test("that activates a drafted renewal with another rent charges this rent", async () => {
    const office = await anOffice();
    await importSheets(office, `U-1,T-1,fixed,active,${START},${END},1000.00,,,`);
    const { id } = (await office.call("listLeases")).leases[0]!;
    const renewal = { startDate: addDays(END, 1), endDate: LATER, rentCents: 110_000, termType: "fixed" } as const;
    const { lease: draft } = await office.call("renewLease", { params: { id }, body: renewal });
    expect(draft.status).toBe("draft");
    const sheets = sheetsWith(`U-1,T-1,fixed,active,${START},${END},1000.00,,,`);
    const row = `L-2,U-1,T-1,fixed,pending,${addDays(END, 1)},${LATER},1250.00,,,`;
    const written = await writeBundle(office, (await prepareBundle(office, { ...sheets, leases: [...sheets["leases"]!, row] })).id);
    expect(written).toMatchObject({ status: "completed", counts: { ready_update: 1 } });
    const { lease, recurringChargeRules } = await office.call("getLease", { params: { id: draft.id } });
    expect(lease).toMatchObject({ status: "pending", rentCents: 125_000 });
    expect(recurringChargeRules).toMatchObject([{ status: "active", amountCents: 125_000 }]);
  });
});

test("a lease that expired and is terminated on another day has its occupants and its deposit moved out on that day", async () => {
  const office = await anOffice();
  const [begin, end, stayed] = [addDays(DAY, -700), addDays(DAY, -400), addDays(DAY, -350)];
  const sheets = (status: string, lastDay: string): Sheets => {
    const { leases, ...others } = sheetsWith(`U-1,T-1,fixed,${status},${begin},${lastDay},1000.00,,,`);
    const coTenants = leases!.map((line, index) => `${line},${index === 0 ? "co_tenants" : "Otto Other"}`);
    return { ...others, leases: coTenants, deposits: ["lease_source_id,amount_held,received_date", `L-1,900.00,${begin}`] };
  };
  const staysOf = async () => (await stateOf(office)).occupants;
  const readDeposit = async () => (await office.call("listSecurityDeposits")).securityDeposits[0]!;
  await writeBundle(office, (await prepareBundle(office, sheets("expired", end))).id);
  const before = await readDeposit();
  for (const lastDay of [stayed, addDays(end, -30)]) {
    const own = await anOffice();
    await writeBundle(own, (await prepareBundle(own, sheets("expired", end))).id);
    expect(await writeBundle(own, (await prepareBundle(own, sheets("terminated", lastDay))).id)).toMatchObject({ status: "completed" });
    expect((await stateOf(own)).occupants).toEqual([
      ["Tess Tenant", begin, lastDay, lastDay],
      ["Otto Other", begin, lastDay, lastDay],
    ]);
    const [deposit] = (await own.call("listSecurityDeposits")).securityDeposits;
    expect(deposit!.moveOutDate).toBe(lastDay);
    expect(deposit!.dispositionDueOn! < before.dispositionDueOn!).toBe(lastDay < end);
  }
  expect(await staysOf()).toMatchObject([
    ["Tess Tenant", begin, end, null],
    ["Otto Other", begin, end, null],
  ]);
});
