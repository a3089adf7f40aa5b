/** Renewals that keep the id of their lease, as those of AppFolio keep the occupancy id. */
import { describe, expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { addDays, addMonths, startOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { createBundle, csvFile, listAllCandidates, uploadFiles, validateBundle } from "../../test/bundles.ts";
import { writeBundle } from "../../test/writing.ts";

const DAY = today("America/New_York");
const NEXT_MONTH = addMonths(startOfMonth(DAY), 1);
const HEADER = "Unit,Tenant,Occupancy ID,Status,Rent,Deposit,Lease From,Lease To,Past Due";

async function prepareRoll(office: Office, ...rows: string[]) {
  const { id } = await createBundle(office, "appfolio", "renewals");
  await uploadFiles(office, id, csvFile("rent_roll.csv", HEADER, '"Birch Row - 40 Birch Ave Salem, OR 97301",,,,,,,,', ...rows));
  return validateBundle(office, id);
}
const term = (start: string, end: string, rent = "1000.00") => `1,"Sample, Sam & Sample, Alex",9001,Current,${rent},900.00,${start},${end},0.00`;
const leasesOf = async (office: Office) => (await office.call("listLeases", { query: { sortBy: "startDate", sortDirection: "asc" } })).leases;
const NOTHING_NEW = { ready_create: 0, ready_update: 0, invalid: 0, ambiguous: 0, blocked: 0 };

describe("a row with the next term of a lease", () => {
  const START = addDays(DAY, -300);

  test.each([
    ["begins after today", addDays(DAY, 40), NEXT_MONTH <= addDays(DAY, 40) ? addDays(DAY, 40) : NEXT_MONTH],
    ["has begun", addDays(DAY, -20), NEXT_MONTH],
  ])("that %s extends the lease, with the new rent and everybody and everything on it", async (_, start, effectiveDate) => {
    const office = await anOffice();
    await writeBundle(office, (await prepareRoll(office, term(START, addDays(start, -1 + 60)))).id);
    const [before] = await leasesOf(office);
    const renewed = term(start, addDays(start, 364), "1100.00");
    const { id, counts } = await prepareRoll(office, renewed);
    expect(counts.byEntity).toMatchObject({ lease: { ready_update: 1 }, deposit: { unchanged: 1 }, occupant: { unchanged: 1 } });
    expect(await writeBundle(office, id)).toMatchObject({ status: "completed" });
    expect(await leasesOf(office)).toMatchObject([{ id: before!.id, status: "active", startDate: START, endDate: addDays(start, 364) }]);
    const { rentChanges } = await office.call("listRentChanges", { params: { id: before!.id } });
    expect(rentChanges).toMatchObject([{ effectiveDate, rentCents: 110_000 }]);
    expect((await prepareRoll(office, renewed)).counts).toMatchObject(NOTHING_NEW);
  });

  test("is the renewal that the office has entered", async () => {
    const office = await anOffice();
    const end = addDays(DAY, 20);
    await writeBundle(office, (await prepareRoll(office, term(START, end))).id);
    const [lease] = await leasesOf(office);
    const terms = { startDate: addDays(end, 1), endDate: addDays(end, 365), rentCents: 110_000, termType: "fixed" as const };
    const { lease: renewal } = await office.call("renewLease", { params: { id: lease!.id }, body: terms });
    const row = term(terms.startDate, terms.endDate, "1100.00");
    const { id } = await prepareRoll(office, row);
    const candidates = await listAllCandidates(office, id, { entityType: "lease" });
    expect(candidates).toMatchObject([{ chosenEntityId: renewal.id, errors: [] }]);
    expect(await writeBundle(office, id)).toMatchObject({ status: "completed" });
    expect((await leasesOf(office)).map(({ startDate }) => startDate)).toEqual([START, terms.startDate]);
    expect((await prepareRoll(office, row)).counts).toMatchObject(NOTHING_NEW);
  });

  test("of a lease whose tenant holds over after its term extends it with everybody on it", async () => {
    const office = await anOffice();
    const [first, end] = [addDays(DAY, -400), addDays(DAY, -36)];
    await writeBundle(office, (await prepareRoll(office, term(first, end))).id);
    const renewed = term(addDays(end, 1), addDays(end, 365), "1100.00");
    const { id, counts } = await prepareRoll(office, renewed);
    expect(counts.byEntity).toMatchObject({ lease: { ready_update: 1 }, deposit: { unchanged: 1 }, occupant: { unchanged: 1 } });
    expect(await writeBundle(office, id)).toMatchObject({ status: "completed" });
    const leases = await leasesOf(office);
    expect(leases).toMatchObject([{ status: "active", startDate: first, endDate: addDays(end, 365), termType: "fixed", isHoldover: false }]);
    expect(leases[0]!.occupants.map(({ fullName }) => fullName).toSorted()).toEqual(["Alex Sample", "Sam Sample"]);
    expect((await prepareRoll(office, renewed)).counts).toMatchObject(NOTHING_NEW);
  });
});

test("another first day of a lease with the same end is an error of the row, as before", async () => {
  const office = await anOffice();
  const [start, end] = [addDays(DAY, -300), addDays(DAY, 100)];
  await writeBundle(office, (await prepareRoll(office, term(start, end))).id);
  const { counts } = await prepareRoll(office, term(addDays(start, 3), end));
  expect(counts.byEntity["lease"]).toEqual({ invalid: 1 });
});

test("a new rent of a lease that ends before it would take effect changes nothing", async () => {
  const office = await anOffice();
  const start = addDays(DAY, -300);
  await writeBundle(office, (await prepareRoll(office, term(start, addDays(DAY, 200)))).id);
  const shortened = await prepareRoll(office, term(start, DAY, "1100.00"));
  expect(await writeBundle(office, shortened.id)).toMatchObject({ status: "completed" });
  const [lease] = await leasesOf(office);
  expect(lease).toMatchObject({ endDate: DAY, rentCents: 100_000 });
  expect((await office.call("listRentChanges", { params: { id: lease!.id } })).rentChanges).toEqual([]);
});
