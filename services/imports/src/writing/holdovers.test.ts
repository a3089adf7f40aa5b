/** Leases of tenants who are current although the term of their lease has passed. */
import { expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { addDays, addMonths, startOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { createBundle, csvFile, uploadFiles, validateBundle } from "../../test/bundles.ts";
import { NAMESPACE, prepareBundle, writeBundle } from "../../test/writing.ts";

const NEXT_MONTH = addMonths(startOfMonth(today("America/New_York")), 1);
const inMonths = (months: number) => addMonths(NEXT_MONTH, months);
const [START, END] = [inMonths(-14), addDays(inMonths(-2), -1)];
const HEADER = "Unit,Tenant,Occupancy ID,Status,Rent,Deposit,Lease From,Lease To,Move-in,Past Due";
const PROPERTY = '"Birch Row - 40 Birch Ave Salem, OR 97301",,,,,,,,,';

async function prepareRoll(office: Office, ...rows: string[]) {
  const { id } = await createBundle(office, "appfolio", NAMESPACE);
  await uploadFiles(office, id, csvFile("rent_roll.csv", HEADER, PROPERTY, ...rows));
  return validateBundle(office, id);
}
const warningsOf = ({ files }: Awaited<ReturnType<typeof prepareRoll>>) =>
  files.flatMap(({ warnings }) => warnings.filter(({ message }) => message.includes("its term ended")).map(({ row, message }) => [row, message]));
const leasesOf = async (office: Office) => (await office.call("listLeases", { query: { sortBy: "startDate", sortDirection: "asc" } })).leases;
/** Returns the rents that are due by the end of the next month. */
async function countRents(office: Office) {
  const { posting } = await office.call("postDueCharges", { body: { throughDate: addDays(inMonths(1), -1), dryRun: true } });
  return posting.lines.filter(({ dueDate }) => dueDate >= NEXT_MONTH).map(({ amountCents }) => amountCents);
}

test("a current tenant whose term has passed is imported as a holdover with a warning, is charged month to month, and keeps the deposit", async () => {
  const office = await anOffice();
  const rows = [
    `1,"Sample, Sam",9001,Current,1000.00,900.00,${START},${END},${START},0.00`,
    `2,"Notice, Nora",9002,Notice-Unrented,1000.00,900.00,${START},${END},${START},0.00`,
  ];
  const bundle = await prepareRoll(office, ...rows);
  expect(warningsOf(bundle)).toEqual([
    [3, expect.stringContaining(`its term ended on ${END}. The lease is imported as a holdover`)],
    [4, expect.stringContaining("holdover")],
  ]);
  expect(await writeBundle(office, bundle.id)).toMatchObject({ status: "completed" });
  const holdover = { status: "active", termType: "month_to_month", isHoldover: true, endDate: END };
  expect(await leasesOf(office)).toMatchObject([holdover, holdover]);
  expect(await countRents(office)).toEqual([100_000, 100_000]);
  const { securityDeposits } = await office.call("listSecurityDeposits");
  expect(securityDeposits.map(({ dispositionDueOn }) => dispositionDueOn)).toEqual([null, null]);
  expect((await prepareRoll(office, ...rows)).counts).toMatchObject({ ready_create: 0, ready_update: 0, invalid: 0 });
});

test("the next term of a holdover extends it when it keeps the id of the lease, and its deposit stays", async () => {
  const office = await anOffice();
  await writeBundle(office, (await prepareRoll(office, `1,"Sample, Sam",9001,Current,1000.00,900.00,${START},${END},${START},0.00`)).id);
  const renewed = `1,"Sample, Sam",9001,Current,1100.00,900.00,${addDays(END, 1)},${addDays(inMonths(10), -1)},${START},0.00`;
  expect(await writeBundle(office, (await prepareRoll(office, renewed)).id)).toMatchObject({ status: "completed" });
  expect(await leasesOf(office)).toMatchObject([
    { status: "active", termType: "fixed", isHoldover: false, endDate: addDays(inMonths(10), -1), depositHeldCents: 90_000 },
  ]);
  expect(await countRents(office)).toEqual([110_000]);
});

test("the next term of a holdover in a file without ids renews it", async () => {
  const office = await anOffice();
  await writeBundle(office, (await prepareRoll(office, `1,"Sample, Sam",,Current,1000.00,900.00,${START},${END},${START},0.00`)).id);
  const renewed = `1,"Sample, Sam",,Current,1100.00,900.00,${NEXT_MONTH},${addDays(inMonths(12), -1)},${START},0.00`;
  expect(await writeBundle(office, (await prepareRoll(office, renewed)).id)).toMatchObject({ status: "completed" });
  const [former, renewal] = await leasesOf(office);
  expect([former, renewal]).toMatchObject([
    { status: "active", renewedToLeaseId: renewal!.id },
    { status: "pending", renewedFromLeaseId: former!.id },
  ]);
  expect(await countRents(office)).toEqual([110_000]);
});

test("a passed term that another lease of the unit follows, or that the file calls fixed, expires with a warning", async () => {
  const office = await anOffice();
  const future = `1,"Next, Nat",9003,Future,1200.00,0.00,${NEXT_MONTH},${addDays(inMonths(12), -1)},${NEXT_MONTH},0.00`;
  const bundle = await prepareRoll(office, `1,"Sample, Sam",9001,Current,1000.00,900.00,${START},${END},${START},0.00`, future);
  expect(warningsOf(bundle)).toEqual([[3, expect.stringContaining("imported as expired, and no rent is charged")]]);
  expect(await writeBundle(office, bundle.id)).toMatchObject({ status: "completed" });
  expect(await leasesOf(office)).toMatchObject([{ status: "expired" }, { status: "pending" }]);

  const other = await anOffice();
  const sheets = (header: string, termType: string) => ({
    properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
    units: ["source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,1,1000.00"],
    tenants: ["source_id,full_name", "T-1,Ana Active"],
    leases: [
      `source_id,unit_source_id,primary_tenant_source_id,status,start_date,end_date,rent${header}`,
      `L-1,U-1,T-1,active,${START},${END},1000.00${termType}`,
    ],
  });
  const fixed = await prepareBundle(other, sheets(",term_type", ",fixed"));
  expect(warningsOf(fixed)).toEqual([[2, expect.stringContaining("imported as expired")]]);
  await writeBundle(other, fixed.id);
  expect(await leasesOf(other)).toMatchObject([{ status: "expired" }]);
  // Freehold has ended the lease: the row changes nothing, and is not silent about it.
  const again = await prepareBundle(other, sheets("", ""));
  expect(again.counts.byEntity["lease"]).toMatchObject({ unchanged: 1 });
  expect(warningsOf(again)).toEqual([[2, expect.stringContaining("and so did the lease in Freehold, which charges no rent")]]);
});
