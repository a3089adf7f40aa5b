/** Rents of leases that a bundle contains as recurring charges. */
import { describe, expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { addDays, addMonths, daysInMonth, startOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { prepareBundle, writeBundle } from "../../../test/writing.ts";

const NEXT_MONTH = addMonths(startOfMonth(today("UTC")), 1);
/** From the eleventh of the next month to the tenth of the month after the next one. */
const [START, END] = [addDays(NEXT_MONTH, 10), addDays(addMonths(NEXT_MONTH, 1), 9)];
const leasesHeader = "source_id,unit_source_id,primary_tenant_source_id,term_type,status,start_date,end_date,rent";
const chargesHeader = "source_id,lease_source_id,label,kind,amount,day_of_month,start_date,category_code";

async function importPortfolio(office: Office, lease: string, ...charges: string[]) {
  const bundle = await prepareBundle(office, {
    properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
    units: ["source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,1,1000.00"],
    tenants: ["source_id,full_name,email", "T-1,Ana Active,ana@example.com"],
    leases: [leasesHeader, lease],
    recurring_charges: [chargesHeader, ...charges],
  });
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
