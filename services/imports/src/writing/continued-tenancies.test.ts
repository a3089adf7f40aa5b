/** Consecutive terms of one tenancy that files have as leases of their own: a lease and its renewal. */
import { expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { addDays, addMonths, startOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { createBundle, csvFile, uploadFiles, validateBundle } from "../../test/bundles.ts";
import { NAMESPACE, prepareBundle, writeBundle } from "../../test/writing.ts";

const DAY = today("America/New_York");
const NEXT_MONTH = addMonths(startOfMonth(DAY), 1);
const inMonths = (months: number) => addMonths(NEXT_MONTH, months);
/** A running term, and the next one. */
const [START, END, NEXT, NEXT_END] = [inMonths(-10), addDays(inMonths(1), -1), inMonths(1), addDays(inMonths(13), -1)];

async function writeFiles(office: Office, provider: "appfolio" | "buildium", ...files: ReturnType<typeof csvFile>[]) {
  const { id } = await createBundle(office, provider, NAMESPACE);
  await uploadFiles(office, id, ...files);
  const { counts } = await validateBundle(office, id);
  return { ...(await writeBundle(office, id)), dryRun: counts };
}
const leasesOf = async (office: Office) => (await office.call("listLeases", { query: { sortBy: "startDate", sortDirection: "asc" } })).leases;

/** Expects a lease and its renewal, which hold one deposit of 900.00. */
async function expectOneTenancy(office: Office, states: readonly [object, object]) {
  const [lease, renewal] = await leasesOf(office);
  expect([lease, renewal]).toMatchObject([
    { ...states[0], renewedToLeaseId: renewal!.id },
    { ...states[1], renewedFromLeaseId: lease!.id },
  ]);
  const { securityDeposits } = await office.call("listSecurityDeposits");
  expect(securityDeposits).toMatchObject([{ heldCents: 90_000, dispositionDueOn: null }]);
  return { lease: lease!, renewal: renewal! };
}

test("the next term in a rent roll without ids renews the running lease, and its charges are settled with the credit of the tenancy", async () => {
  const office = await anOffice();
  const roll = (start: string, end: string, rent: string) =>
    csvFile(
      "rent_roll.csv",
      "Unit,Tenant,Status,Rent,Deposit,Lease From,Lease To,Move-in,Past Due",
      '"Birch Row - 40 Birch Ave Salem, OR 97301",,,,,,,,',
      `1,"Sample, Sam & Co, Kim",Current,${rent},900.00,${start},${end},${START},(40.00)`,
    );
  await writeFiles(office, "appfolio", roll(START, END, "1000.00"));
  expect(await writeFiles(office, "appfolio", roll(NEXT, NEXT_END, "1100.00"))).toMatchObject({ status: "completed" });
  const { renewal } = await expectOneTenancy(office, [{ status: "active", depositHeldCents: 90_000 }, { status: "pending" }]);
  expect(renewal.occupants.map(({ fullName }) => fullName).toSorted()).toEqual(["Kim Co", "Sam Sample"]);
  await office.call("createCharge", { body: { leaseId: renewal.id, amountCents: 4_000, dueDate: DAY, chargeType: "fee", name: "Key" } });
  const { payments } = await office.call("listPayments");
  const { payment } = await office.call("autoAllocatePayment", { params: { id: payments[0]!.id }, body: {} });
  expect(payment.unallocatedCents).toBe(0);
  const { posting } = await office.call("postDueCharges", { body: { throughDate: addDays(inMonths(2), -1), dryRun: true } });
  expect(posting.lines.map(({ dueDate, amountCents }) => [dueDate, amountCents] as const).toSorted(([one], [other]) => one.localeCompare(other))).toEqual([
    [NEXT_MONTH, 100_000],
    [NEXT, 110_000],
  ]);
  expect((await writeFiles(office, "appfolio", roll(NEXT, NEXT_END, "1100.00"))).dryRun).toMatchObject({ ready_create: 0, ready_update: 0, invalid: 0 });
});

test("both terms in one file are a lease and its renewal", async () => {
  const office = await anOffice();
  const properties = csvFile("properties.csv", "Name,AddressLine1,City,State,PostalCode", "Maple Court,12 Maple Street,Albany,NY,12207");
  const roll = csvFile(
    "rent_roll.csv",
    "Property,Unit,Tenants,Lease Start,Lease End,Rent,Deposits Held",
    `Maple Court,101,Sam Sample,${NEXT},${NEXT_END},1100.00,900.00`,
    `Maple Court,101,Sam Sample,${START},${END},1000.00,900.00`,
  );
  expect(await writeFiles(office, "buildium", properties, roll)).toMatchObject({ status: "completed" });
  await expectOneTenancy(office, [
    { status: "active", rentCents: 100_000 },
    { status: "pending", rentCents: 110_000 },
  ]);
});

test("the next term of a lease that has expired takes over its deposit", async () => {
  const office = await anOffice();
  const end = addDays(inMonths(-2), -1);
  const sheets = (start: string, last: string, rent: string) => ({
    properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
    units: ["source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,1,1000.00"],
    tenants: ["source_id,full_name", "T-1,Ana Active"],
    leases: ["source_id,unit_source_id,primary_tenant_source_id,term_type,start_date,end_date,rent", `L-1,U-1,T-1,fixed,${start},${last},${rent}`],
    deposits: ["lease_source_id,amount_held", "L-1,900.00"],
  });
  await writeBundle(office, (await prepareBundle(office, sheets(inMonths(-14), end, "1000.00"))).id);
  expect(await leasesOf(office)).toMatchObject([{ status: "expired" }]);
  expect(await writeBundle(office, (await prepareBundle(office, sheets(addDays(end, 1), NEXT_END, "1100.00"))).id)).toMatchObject({ status: "completed" });
  await expectOneTenancy(office, [
    { status: "expired", depositHeldCents: 0 },
    { status: "active", depositHeldCents: 90_000 },
  ]);
});

test("fees that the file has for both terms are charged once a month", async () => {
  const office = await anOffice();
  const sheets = {
    properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
    units: ["source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,1,1000.00"],
    tenants: ["source_id,full_name", "T-1,Ana Active"],
    leases: ["source_id,unit_source_id,primary_tenant_source_id,term_type,start_date,end_date,rent", `L-1,U-1,T-1,fixed,${START},${END},1000.00`],
    recurring_charges: [
      "source_id,lease_source_id,label,kind,amount,day_of_month,start_date",
      `R-1,L-1,Pet,fee,20.00,1,${START}`,
      `R-2,L-1,Parking,fee,50.00,1,${START}`,
    ],
  };
  await writeBundle(office, (await prepareBundle(office, sheets)).id);
  const next = {
    ...sheets,
    leases: [...sheets.leases, `L-2,U-1,T-1,fixed,${NEXT},${NEXT_END},1100.00`],
    recurring_charges: [...sheets.recurring_charges, `R-3,L-2,Pet,fee,25.00,1,${NEXT}`, `R-4,L-2,Parking,fee,50.00,1,${NEXT}`],
  };
  expect(await writeBundle(office, (await prepareBundle(office, next)).id)).toMatchObject({ status: "completed" });
  const { posting } = await office.call("postDueCharges", { body: { throughDate: addDays(inMonths(2), -1), dryRun: true } });
  const charged = posting.lines.map(({ dueDate, amountCents }) => [dueDate, amountCents / 100] as const);
  expect(charged.toSorted(([day, amount], [otherDay, other]) => day.localeCompare(otherDay) || amount - other)).toEqual([
    [NEXT_MONTH, 20],
    [NEXT_MONTH, 50],
    [NEXT_MONTH, 1000],
    [NEXT, 25],
    [NEXT, 50],
    [NEXT, 1100],
  ]);
  expect((await prepareBundle(office, next)).counts).toMatchObject({ ready_create: 0, ready_update: 0, invalid: 0 });
});
