/** Rents of leases that a bundle contains as recurring charges. */
import { describe, expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { addDays, addMonths, daysInMonth, startOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { listRowErrors, runBulkImport } from "../../../test/bulk-imports.ts";
import { prepareBundle, writeBundle } from "../../../test/writing.ts";

const NEXT_MONTH = addMonths(startOfMonth(today("America/New_York")), 1);
/** From the eleventh of the next month to the tenth of the month after the next one. */
const [START, END] = [addDays(NEXT_MONTH, 10), addDays(addMonths(NEXT_MONTH, 1), 9)];
const PAST = addMonths(NEXT_MONTH, -9);
const leasesHeader = "source_id,unit_source_id,primary_tenant_source_id,term_type,status,start_date,end_date,rent";
const chargesHeader = "source_id,lease_source_id,label,kind,amount,day_of_month,start_date,category_code,end_date";

const portfolio = {
  properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
  units: ["source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,1,1000.00"],
  tenants: ["source_id,full_name,email", "T-1,Ana Active,ana@example.com"],
};

async function importPortfolio(office: Office, lease: string, ...charges: string[]) {
  const bundle = await prepareBundle(office, { ...portfolio, leases: [leasesHeader, lease], recurring_charges: [chargesHeader, ...charges] });
  return { bundle, ...(await writeBundle(office, bundle.id)) };
}
const rulesOf = async (office: Office) => (await office.call("listRecurringCharges")).recurringChargeRules;
const forecastOf = async (office: Office, id: string) =>
  (await office.call("getRecurringChargeForecast", { params: { id }, query: { months: 3 } })).forecast.map(({ dueDate, amountCents }) => [
    dueDate,
    amountCents,
  ]);
const prorated = (days: number, month: string) => Math.round((100_000 * days) / daysInMonth(month));

describe("a recurring charge for the rent of an imported lease", () => {
  test("is the rent of the lease: with the name and the account of its row, prorated for the first and the last month", async () => {
    const office = await anOffice();
    const { status } = await importPortfolio(office, `L-1,U-1,T-1,fixed,pending,${START},${END},1000.00`, `R-1,L-1,Base rent,rent,1000.00,3,${START},4010`);
    expect(status).toBe("completed");
    const rules = await rulesOf(office);
    const { categories } = await office.call("listCategories");
    const categoryId = categories.find(({ code }) => code === "4010")!.id;
    expect(rules).toMatchObject([{ kind: "rent", label: "Base rent", categoryId, amountCents: 100_000, dayOfMonth: 3, startDate: START, endDate: END }]);
    expect(await forecastOf(office, rules[0]!.id)).toEqual([
      [START, prorated(daysInMonth(START) - 10, START)],
      [addDays(startOfMonth(END), 2), prorated(10, END)],
    ]);
    expect((await office.call("listLeases")).leases).toMatchObject([{ rentChargeDay: 3 }]);
  });

  test("changes with the rent of the lease, and is unchanged afterwards", async () => {
    const office = await anOffice();
    const start = addMonths(NEXT_MONTH, -4);
    const importRent = (rent: string) =>
      importPortfolio(office, `L-1,U-1,T-1,month_to_month,active,${start},,${rent}`, `R-1,L-1,Base rent,rent,${rent},1,${start},`);
    await importRent("1000.00");
    const raised = await importRent("1100.00");
    expect([raised.status, raised.bundle.counts.byEntity]).toMatchObject(["completed", { lease: { ready_update: 1 }, recurring_charge: { ready_update: 1 } }]);
    expect(await rulesOf(office)).toMatchObject([
      { label: "Base rent", amountCents: 100_000, endDate: addDays(NEXT_MONTH, -1) },
      { label: "Base rent", amountCents: 110_000, startDate: NEXT_MONTH, endDate: null, status: "active" },
    ]);
    const again = await importRent("1100.00");
    expect(again.bundle.counts.byEntity).toMatchObject({ lease: { unchanged: 1 }, recurring_charge: { unchanged: 1 } });
    expect(await rulesOf(office)).toHaveLength(2);
  });

  test("is that of a lease of an earlier import, or refused when it would be charged besides it", async () => {
    const office = await anOffice();
    await importPortfolio(office, `L-1,U-1,T-1,fixed,pending,${START},${END},1000.00`);
    const importCharges = async (...charges: string[]) =>
      writeBundle(office, (await prepareBundle(office, { recurring_charges: [chargesHeader, ...charges] })).id);
    expect(await importCharges(`R-1,L-1,Base rent,rent,1000.00,1,${START},`)).toMatchObject({ status: "completed" });
    expect(await importCharges(`R-2,L-1,Rent,rent,950.00,1,${START},`, `R-3,L-1,Pet,fee,20.00,1,${START},`)).toMatchObject({
      status: "completed_with_errors",
      counts: { invalid: 1 },
    });
    expect((await rulesOf(office)).map(({ label, amountCents }) => [label, amountCents])).toEqual([
      ["Base rent", 100_000],
      ["Pet", 2_000],
    ]);
  });

  test.each([
    ["has an account that is none of income", `${PAST},5010,`, "completed_with_errors"],
    ["begins later", `${NEXT_MONTH},,`, "completed_with_errors"],
    ["ended before the import", `${PAST},,${addMonths(PAST, 4)}`, "completed"],
  ])("that %s leaves the lease its own rent", async (_, charge, status) => {
    const office = await anOffice();
    const imported = await importPortfolio(office, `L-1,U-1,T-1,fixed,active,${PAST},${END},1000.00`, `R-1,L-1,Rent,rent,950.00,1,${charge}`);
    expect(imported.status).toBe(status);
    const charged = (await rulesOf(office)).filter(({ endDate }) => endDate === null || endDate >= NEXT_MONTH);
    expect(charged.map(({ amountCents }) => amountCents)).toEqual([100_000]);
  });

  test("without a day of the month is due on the charge day of the lease", async () => {
    const office = await anOffice();
    const leases = [`${leasesHeader},rent_charge_day`, `L-1,U-1,T-1,fixed,pending,${START},${END},1000.00,15`];
    await writeBundle(
      office,
      (await prepareBundle(office, { ...portfolio, leases, recurring_charges: [chargesHeader, `R-1,L-1,Rent,rent,1000.00,,${START},`] })).id,
    );
    expect(await rulesOf(office)).toMatchObject([{ dayOfMonth: 15, amountCents: 100_000 }]);
  });

  test("is not charged a second time by a bulk import", async () => {
    const office = await anOffice();
    await runBulkImport(office, "properties", ["name,street_line1,city,state,postal_code", "Maple Court,12 Maple Street,Albany,NY,12207"]);
    await runBulkImport(office, "units", ["property_name,unit_number,monthly_rent", ...["1", "2", "3"].map((number) => `Maple Court,${number},1000.00`)]);
    await runBulkImport(office, "tenants", ["full_name", "Ana Active", "Pia Pending", "Tom Leaving"]);
    const leases = [
      `Maple Court,1,Ana Active,month_to_month,active,${PAST},,1000.00`,
      `Maple Court,2,Pia Pending,fixed,pending,${START},${END},1000.00`,
      `Maple Court,3,Tom Leaving,fixed,terminated,${PAST},${END},1000.00`,
    ];
    expect(await runBulkImport(office, "leases", ["property_name,unit_number,tenant_name,term_type,status,start_date,end_date,rent", ...leases])).toMatchObject(
      { createdCount: 3 },
    );
    const charges = [`Maple Court,1,Rent,rent,1000.00,1,${PAST}`, `Maple Court,2,Rent,rent,1000.00,1,${START}`, `Maple Court,3,Rent,rent,950.00,1,${PAST}`];
    const bulk = await runBulkImport(office, "recurring_charges", ["property_name,unit_number,label,kind,amount,day_of_month,start_date", ...charges]);
    expect(await listRowErrors(office, bulk)).toEqual([expect.stringContaining("4 kind not_allowed: The lease charges its rent by itself")]);
    expect((await rulesOf(office)).map(({ amountCents }) => amountCents)).toEqual([100_000, 100_000, 100_000]);
  });

  test("that follows another one within a month is a rent change, and each day of the month is charged once with its rent", async () => {
    const office = await anOffice();
    const change = addDays(NEXT_MONTH, 14);
    const charges = [`R-1,L-1,Old rent,rent,900.00,1,${PAST},,${addDays(change, -1)}`, `R-2,L-1,New rent,rent,1100.00,1,${change},`];
    const sheets = {
      ...portfolio,
      leases: [leasesHeader, `L-1,U-1,T-1,month_to_month,active,${PAST},,900.00`],
      recurring_charges: [chargesHeader, ...charges],
    };
    expect(await writeBundle(office, (await prepareBundle(office, sheets)).id)).toMatchObject({ status: "completed" });
    const rules = (await rulesOf(office)).toSorted((one, other) => one.startDate.localeCompare(other.startDate));
    expect(rules).toMatchObject([
      { label: "Old rent", amountCents: 90_000 },
      { label: "New rent", amountCents: 110_000, startDate: change },
    ]);
    const month = daysInMonth(NEXT_MONTH);
    const charged = [...(await forecastOf(office, rules[0]!.id)), ...(await forecastOf(office, rules[1]!.id))].filter(
      ([dueDate]) => dueDate! < addMonths(NEXT_MONTH, 2),
    );
    expect(charged.map(([, amountCents]) => amountCents)).toEqual([Math.round((90_000 * 14) / month), Math.round((110_000 * (month - 14)) / month), 110_000]);
    expect((await prepareBundle(office, sheets)).counts).toMatchObject({ ready_create: 0, ready_update: 0, invalid: 0 });
    const corrected = { ...sheets, recurring_charges: [chargesHeader, charges[0]!, charges[1]!.replace("1100.00", "1150.00")] };
    expect(await writeBundle(office, (await prepareBundle(office, corrected)).id)).toMatchObject({ status: "completed" });
    const live = (await rulesOf(office))
      .filter(({ status }) => status === "active")
      .map(({ label, amountCents, startDate }) => [label, amountCents, startDate]);
    expect(live.toSorted(([, one], [, other]) => Number(one) - Number(other))).toEqual([
      ["Old rent", 90_000, PAST],
      ["New rent", 115_000, change],
    ]);
    expect((await prepareBundle(office, corrected)).counts).toMatchObject({ ready_create: 0, ready_update: 0, invalid: 0 });
  });

  test("that is one of several takes the place of the rent of the lease", async () => {
    const office = await anOffice();
    const charges = [`R-1,L-1,Tenant's share,rent,300.00,1,${START},`, `R-2,L-1,Subsidy,rent,700.00,1,${START},`];
    expect((await importPortfolio(office, `L-1,U-1,T-1,fixed,pending,${START},${END},1000.00`, ...charges)).status).toBe("completed");
    const rules = await rulesOf(office);
    expect(rules.map(({ label, amountCents }) => [label, amountCents]).toSorted(([one], [other]) => String(one).localeCompare(String(other)))).toEqual([
      ["Subsidy", 70_000],
      ["Tenant's share", 30_000],
    ]);
  });
});
