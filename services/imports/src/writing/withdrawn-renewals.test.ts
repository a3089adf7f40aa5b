/** Renewals that one export has, and that a later one withdraws or moves. */
import { expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { addDays, addMonths, startOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { createBundle, csvFile, uploadFiles, validateBundle } from "../../test/bundles.ts";
import { writeBundle } from "../../test/writing.ts";

const NEXT_MONTH = addMonths(startOfMonth(today("America/New_York")), 1);
const inMonths = (months: number) => addMonths(NEXT_MONTH, months);
const START = inMonths(-10);
/** Last day of the first term, and the day after it. */
const [END, RENEWAL] = [addDays(inMonths(2), -1), inMonths(2)];
const HEADER = "Unit,Tenant,Occupancy ID,Status,Rent,Deposit,Lease From,Lease To,Past Due";

async function prepareRoll(office: Office, [start, end, rent]: readonly [string, string, string]) {
  const { id } = await createBundle(office, "appfolio", "renewals");
  const row = `1,"Sample, Sam",9001,Current,${rent},900.00,${start},${end},0.00`;
  await uploadFiles(office, id, csvFile("rent_roll.csv", HEADER, '"Birch Row - 40 Birch Ave Salem, OR 97301",,,,,,,,', row));
  return validateBundle(office, id);
}
const writeRoll = async (office: Office, row: readonly [string, string, string]) => writeBundle(office, (await prepareRoll(office, row)).id);

/** Returns the rents of the next six months by their due dates. */
async function listRents(office: Office) {
  const { posting } = await office.call("postDueCharges", { body: { throughDate: inMonths(5), dryRun: true } });
  return posting.lines.map(({ dueDate, amountCents }) => [dueDate, amountCents / 100] as const).toSorted(([one], [other]) => one.localeCompare(other));
}
/** Returns rents by their due dates, from the next month on. */
const rentsOf = (...rents: number[]) => rents.map((rent, index) => [inMonths(index), rent]);

test.each([
  ["is withdrawn, so that the lease is month to month", [START, "", "1000.00"], rentsOf(1000, 1000, 1000, 1000, 1000, 1000), null],
  ["is withdrawn for a longer first term", [START, addDays(inMonths(8), -1), "1000.00"], rentsOf(1000, 1000, 1000, 1000, 1000, 1000), addDays(inMonths(8), -1)],
  ["is withdrawn for the former term", [START, END, "1000.00"], rentsOf(1000, 1000), END],
  ["begins later", [inMonths(3), addDays(inMonths(15), -1), "1100.00"], rentsOf(1000, 1000, 1000, 1100, 1100, 1100), addDays(inMonths(15), -1)],
  ["begins earlier", [inMonths(1), addDays(inMonths(13), -1), "1100.00"], rentsOf(1000, 1100, 1100, 1100, 1100, 1100), addDays(inMonths(13), -1)],
  [
    "begins later with another rent",
    [inMonths(3), addDays(inMonths(15), -1), "1200.00"],
    rentsOf(1000, 1000, 1000, 1200, 1200, 1200),
    addDays(inMonths(15), -1),
  ],
] as const)("a renewal that %s takes its rent with it", async (_, row, rents, endDate) => {
  const office = await anOffice();
  await writeRoll(office, [START, END, "1000.00"]);
  await writeRoll(office, [RENEWAL, addDays(inMonths(14), -1), "1100.00"]);
  expect(await listRents(office)).toEqual(rentsOf(1000, 1000, 1100, 1100, 1100, 1100));
  expect(await writeRoll(office, row)).toMatchObject({ status: "completed", counts: { byEntity: { lease: { ready_update: 1 } } } });
  expect(await listRents(office)).toEqual(rents);
  expect((await office.call("listLeases")).leases).toMatchObject([{ startDate: START, endDate, status: "active" }]);
  expect((await prepareRoll(office, row)).counts).toMatchObject({ ready_create: 0, ready_update: 0, invalid: 0 });
});

test("a renewal with the rent that its lease could not take before it ended is charged with it", async () => {
  const office = await anOffice();
  await writeRoll(office, [START, END, "1000.00"]);
  const lastDay = addDays(NEXT_MONTH, -1);
  await writeRoll(office, [START, lastDay, "1100.00"]);
  await writeRoll(office, [NEXT_MONTH, addDays(inMonths(12), -1), "1100.00"]);
  expect(await listRents(office)).toEqual(rentsOf(1100, 1100, 1100, 1100, 1100, 1100));
});

test("a rent that the office has announced stays when an imported renewal is withdrawn", async () => {
  const office = await anOffice();
  await writeRoll(office, [START, END, "1000.00"]);
  await writeRoll(office, [RENEWAL, addDays(inMonths(14), -1), "1100.00"]);
  const [lease] = (await office.call("listLeases")).leases;
  await office.call("createRentChange", { params: { id: lease!.id }, body: { effectiveDate: inMonths(4), rentCents: 125_000 } });
  await writeRoll(office, [START, "", "1000.00"]);
  expect(await listRents(office)).toEqual(rentsOf(1000, 1000, 1000, 1000, 1250, 1250));
});
