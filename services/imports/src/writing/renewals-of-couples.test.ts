/** Consecutive terms of a couple are a lease and its renewal, in whichever order the names come. */
import { describe, expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { addDays, addMonths, startOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { prepareBundle, writeBundle } from "../../test/writing.ts";

const NEXT_MONTH = addMonths(startOfMonth(today("America/New_York")), 1);
const inMonths = (months: number) => addMonths(NEXT_MONTH, months);
/** A running term and the next one, and a term that is over with the one that runs now. */
const coming = [inMonths(-10), addDays(inMonths(1), -1), inMonths(1), addDays(inMonths(13), -1)] as const;
const begun = [inMonths(-20), addDays(inMonths(-8), -1), inMonths(-8), addDays(inMonths(4), -1)] as const;

const HEADER = "Property,Address,City,State,ZIP,Unit,Tenant,Lease Status,Lease From,Lease To,Rent,Deposit,Balance";
const row = (tenants: string, status: string, start: string, end: string, deposit = "") =>
  `Oak,9 Oak St,Albany,NY,12207,1,${tenants},${status},${start},${end},1200,${deposit},`;

const importRows = async (office: Office, ...rows: string[]) => {
  const bundle = await writeBundle(office, (await prepareBundle(office, { rent_roll: [HEADER, ...rows] })).id);
  expect(bundle.status).toBe("completed");
};

/** Expects a lease of Ann and its renewal by the couple, which has its deposit once it has begun. */
async function expectRenewal(office: Office, hasBegun: boolean) {
  const { leases } = await office.call("listLeases", { query: { sortBy: "startDate", sortDirection: "asc" } });
  expect(leases).toMatchObject([{ renewedToLeaseId: leases[1]!.id }, { renewedFromLeaseId: leases[0]!.id, status: hasBegun ? "active" : "pending" }]);
  expect(leases.map(({ occupants }) => occupants.map(({ fullName }) => fullName).toSorted())).toEqual([COUPLE, COUPLE]);
  expect(leases.map(({ depositHeldCents }) => depositHeldCents)).toEqual(hasBegun ? [0, 120_000] : [120_000, 0]);
}
const COUPLE = ["Ann Ash", "Bo Ash"];

describe.each(["Ann Ash & Bo Ash", "Bo Ash & Ann Ash"])("the next term is that of %s", (couple) => {
  test("in one file, before it begins", async () => {
    const office = await anOffice();
    const [start, end, nextStart, nextEnd] = coming;
    const rows = [row("Ann Ash & Bo Ash", "Current", start, end, "1200"), row(couple, "Future", nextStart, nextEnd)];
    await importRows(office, ...rows);
    await expectRenewal(office, false);
    expect((await prepareBundle(office, { rent_roll: [HEADER, ...rows] })).counts).toMatchObject({ ready_create: 0, ready_update: 0, invalid: 0 });
  });

  test("in the next file, before it begins", async () => {
    const office = await anOffice();
    const [start, end, nextStart, nextEnd] = coming;
    const first = row("Ann Ash & Bo Ash", "Current", start, end, "1200");
    await importRows(office, first);
    await importRows(office, first, row(couple, "Future", nextStart, nextEnd));
    await expectRenewal(office, false);
  });

  test("in one file, once it has begun", async () => {
    const office = await anOffice();
    const [start, end, nextStart, nextEnd] = begun;
    await importRows(office, row("Ann Ash & Bo Ash", "Past", start, end), row(couple, "Current", nextStart, nextEnd, "1200"));
    await expectRenewal(office, true);
  });

  test("in a file without the former term", async () => {
    const office = await anOffice();
    const [start, end, nextStart, nextEnd] = coming;
    await importRows(office, row("Ann Ash & Bo Ash", "Current", start, end, "1200"));
    await importRows(office, row(couple, "Future", nextStart, nextEnd));
    await expectRenewal(office, false);
  });
});

test("the next term of other people is no renewal", async () => {
  const office = await anOffice();
  const [start, end, nextStart, nextEnd] = coming;
  await importRows(office, row("Ann Ash & Bo Ash", "Current", start, end, "1200"), row("Bo Ash & Cy Cole", "Future", nextStart, nextEnd));
  const { leases } = await office.call("listLeases");
  expect(leases.map(({ renewedFromLeaseId }) => renewedFromLeaseId)).toEqual([null, null]);
});
