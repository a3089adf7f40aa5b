/** Rent changes and renewals of leases whose rent is imported in parts. */
import { expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { addDays, addMonths, startOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { prepareBundle, writeBundle } from "../../test/writing.ts";

const NEXT_MONTH = addMonths(startOfMonth(today("America/New_York")), 1);
const inMonths = (months: number) => addMonths(NEXT_MONTH, months);
const CHANGE = inMonths(1);

/** Imports a lease whose rent of 1000.00 is charged as 600.00 and 400.00, and returns its id. */
async function aLeaseInParts(office: Office, endDate: string): Promise<string> {
  const lease = `L-1,U-1,T-1,fixed,active,${inMonths(-11)},${endDate},1000.00`;
  const bundle = await prepareBundle(office, {
    properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
    units: ["source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,1,1000.00"],
    tenants: ["source_id,full_name", "T-1,Tess Tenant"],
    leases: ["source_id,unit_source_id,primary_tenant_source_id,term_type,status,start_date,end_date,rent", lease],
    recurring_charges: [
      "source_id,lease_source_id,label,kind,amount,day_of_month,start_date,end_date",
      `R-1,L-1,Base rent,rent,600.00,1,${inMonths(-11)},`,
      `R-2,L-1,Subsidy,rent,400.00,1,${inMonths(-11)},`,
    ],
  });
  expect(await writeBundle(office, bundle.id)).toMatchObject({ status: "completed" });
  return (await office.call("listLeases")).leases[0]!.id;
}

/** Charges the rents from the next month on through four months and returns their due dates and amounts. */
async function chargeRents(office: Office) {
  await office.call("postDueCharges", { body: { throughDate: addDays(inMonths(4), -1) } });
  const { charges } = await office.call("listCharges", { query: { chargeType: "rent", sortBy: "dueDate", sortDirection: "asc", pageSize: 100 } });
  const rents = charges.filter(({ dueDate, status }) => dueDate >= NEXT_MONTH && status !== "voided");
  return rents.map(({ dueDate, amountCents }) => [dueDate, amountCents]).toSorted((one, other) => (String(one) < String(other) ? -1 : 1));
}

test("a rent change is refused until the parts add up to the new rent, and is recorded then", async () => {
  const office = await anOffice();
  const id = await aLeaseInParts(office, addDays(inMonths(12), -1));
  const change = (rentCents: number) => office.attempt("createRentChange", { params: { id }, body: { effectiveDate: CHANGE, rentCents } });
  const refused = await change(110_000);
  expect([refused.status, refused.body.code, refused.body.errors]).toMatchObject([409, "resource_in_use", [{ path: "rentCents", code: "not_allowed" }]]);
  expect(refused.body.message).toContain("charged in parts: Base rent (60000 cents), Subsidy (40000 cents)");
  const { recurringChargeRules } = await office.call("listRecurringCharges", { query: { leaseId: id } });
  const base = recurringChargeRules.find(({ label }) => label === "Base rent")!;
  await office.call("updateRecurringCharge", { params: { id: base.id }, body: { amountCents: 70_000, applyFrom: CHANGE } });
  expect((await change(110_000)).status).toBe(200);
  expect(await chargeRents(office)).toEqual([
    [NEXT_MONTH, 40_000],
    [NEXT_MONTH, 60_000],
    ...[1, 2, 3].flatMap((months) => [
      [inMonths(months), 40_000],
      [inMonths(months), 70_000],
    ]),
  ]);
});

test.each([
  ["another rent than the sum of the parts charges it as a whole", 120_000, [120_000]],
  ["the sum of the parts keeps them", 100_000, [40_000, 60_000]],
  ["no rent of its own keeps the parts", undefined, [40_000, 60_000]],
])("a renewal with %s", async (_, rentCents, amounts) => {
  const office = await anOffice();
  const id = await aLeaseInParts(office, addDays(inMonths(2), -1));
  const terms = { startDate: inMonths(2), endDate: addDays(inMonths(14), -1), ...(rentCents !== undefined && { rentCents }) };
  const { lease } = await office.call("renewLease", { params: { id }, body: terms });
  await office.call("activateLease", { params: { id: lease.id }, body: {} });
  const former = [0, 1].flatMap((months) => [40_000, 60_000].map((cents) => [inMonths(months), cents]));
  const renewed = [2, 3].flatMap((months) => amounts.map((cents) => [inMonths(months), cents]));
  expect(await chargeRents(office)).toEqual([...former, ...renewed]);
});
