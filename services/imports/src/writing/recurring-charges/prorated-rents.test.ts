/** Proration of rents that a lease has as several recurring charges. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { addDays, addMonths, daysInMonth, startOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { prepareBundle, writeBundle } from "../../../test/writing.ts";

const NEXT_MONTH = addMonths(startOfMonth(today("America/New_York")), 1);
const inMonths = (months: number) => addMonths(NEXT_MONTH, months);
const PAST = inMonths(-9);
/** The tenth of the next month, the fifteenth of the month after it, and the last day of a term that ends on that day. */
const [START, STEP] = [addDays(NEXT_MONTH, 9), addDays(inMonths(1), 14)];
const END = STEP;

const LEASES = [
  `L-1,U-1,T-1,fixed,pending,${START},${addDays(inMonths(13), -1)},1000.00`,
  `L-2,U-2,T-2,fixed,pending,${START},${addDays(inMonths(13), -1)},1000.00`,
  ...["3", "4", "5", "6"].map((number) => `L-${number},U-${number},T-${number},fixed,active,${PAST},${END},1000.00`),
];
const partsOf = (number: string, start: string) => [
  `R-${number}a,L-${number},Rent,rent,700.00,1,${start},`,
  `R-${number}b,L-${number},Subsidy,rent,300.00,1,${start},`,
];
const CHARGES = [
  `R-1a,L-1,Rent,rent,1000.00,1,${START},${addDays(STEP, -1)}`,
  `R-1b,L-1,Rent,rent,1100.00,1,${STEP},`,
  ...partsOf("2", START),
  ...["3", "4", "5", "6"].flatMap((number) => partsOf(number, PAST)),
];
const NUMBERS = ["1", "2", "3", "4", "5", "6"];
const sheets = {
  properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
  units: ["source_id,property_source_id,unit_number,monthly_rent", ...NUMBERS.map((number) => `U-${number},P-1,${number},1000.00`)],
  tenants: ["source_id,full_name", ...NUMBERS.map((number) => `T-${number},Tenant ${number}`)],
  leases: ["source_id,unit_source_id,primary_tenant_source_id,term_type,status,start_date,end_date,rent", ...LEASES],
  recurring_charges: ["source_id,lease_source_id,label,kind,amount,day_of_month,start_date,end_date", ...CHARGES],
};

const share = (amount: number, days: number, month: string) => Math.round((amount * 100 * days) / daysInMonth(month)) / 100;
const [FIRST, LAST] = [daysInMonth(NEXT_MONTH) - 9, 15];

describe("several rents of an imported lease", () => {
  let office: Office;
  const leaseOf = async (number: string) =>
    (await office.call("listLeases", { query: { pageSize: 100 } })).leases.find(({ unitNumber }) => unitNumber === number)!;
  /** Returns the rents of the next three months with their due dates. */
  async function listRents(number: string, leaseId?: string) {
    const id = leaseId ?? (await leaseOf(number)).id;
    const { posting } = await office.call("postDueCharges", { body: { throughDate: addDays(inMonths(3), -1), dryRun: true } });
    const lines = posting.lines.filter(({ leaseId, dueDate }) => leaseId === id && dueDate >= NEXT_MONTH);
    return lines
      .map(({ dueDate, amountCents }) => [dueDate, amountCents / 100] as const)
      .toSorted(([day, rent], [otherDay, otherRent]) => day.localeCompare(otherDay) || otherRent - rent);
  }

  beforeAll(async () => {
    office = await anOffice();
    expect(await writeBundle(office, (await prepareBundle(office, sheets)).id)).toMatchObject({ status: "completed" });
  });

  test("that follow each other are charged by days, from the first day of a future lease on", async () => {
    const month = inMonths(1);
    expect(await listRents("1")).toEqual(
      [
        [START, share(1000, FIRST, START)],
        [STEP, share(1100, daysInMonth(month) - 14, month)],
        [month, share(1000, 14, month)],
        [inMonths(2), 1100],
      ].toSorted(([day], [otherDay]) => String(day).localeCompare(String(otherDay))),
    );
    expect(await leaseOf("1")).toMatchObject({ nextRentDueOn: START });
  });

  test("side by side are prorated in the first month of a future lease", async () => {
    expect(await listRents("2")).toEqual([
      [START, share(700, FIRST, START)],
      [START, share(300, FIRST, START)],
      [inMonths(1), 700],
      [inMonths(1), 300],
      [inMonths(2), 700],
      [inMonths(2), 300],
    ]);
    expect(await leaseOf("2")).toMatchObject({ nextRentDueOn: START });
  });

  test("side by side are prorated in the last month of the lease", async () => {
    expect(await listRents("3")).toEqual([
      [NEXT_MONTH, 700],
      [NEXT_MONTH, 300],
      [inMonths(1), share(700, LAST, END)],
      [inMonths(1), share(300, LAST, END)],
    ]);
    expect(await leaseOf("3")).toMatchObject({ nextRentDueOn: NEXT_MONTH });
  });

  test("go on when the lease is extended", async () => {
    const { id } = await leaseOf("4");
    await office.call("updateLease", { params: { id }, body: { endDate: addDays(inMonths(2), 9) } });
    expect((await listRents("4")).slice(2)).toEqual([
      [inMonths(1), 700],
      [inMonths(1), 300],
      [inMonths(2), share(700, 10, inMonths(2))],
      [inMonths(2), share(300, 10, inMonths(2))],
    ]);
  });

  test("end with a termination within a month by days", async () => {
    const { id } = await leaseOf("5");
    await office.call("terminateLease", { params: { id }, body: { terminationDate: addDays(NEXT_MONTH, 9) } });
    expect(await listRents("5")).toEqual([
      [NEXT_MONTH, share(700, 10, NEXT_MONTH)],
      [NEXT_MONTH, share(300, 10, NEXT_MONTH)],
    ]);
  });

  test("go on with the renewal within a month, and as before when the renewal is cancelled", async () => {
    const { id } = await leaseOf("6");
    const before = await listRents("6", id);
    const body = { startDate: addDays(END, 1), endDate: addDays(inMonths(13), -1) };
    const { lease: renewal } = await office.call("renewLease", { params: { id }, body });
    await office.call("activateLease", { params: { id: renewal.id }, body: {} });
    const { posting } = await office.call("postDueCharges", { body: { throughDate: addDays(inMonths(3), -1), dryRun: true } });
    const lines = posting.lines.filter(({ leaseId }) => leaseId === renewal.id).map(({ dueDate, amountCents }) => [dueDate, amountCents / 100]);
    const rest = daysInMonth(END) - LAST;
    const byDay = (one: (string | number)[], other: (string | number)[]) => String(one[0]).localeCompare(String(other[0])) || Number(other[1]) - Number(one[1]);
    expect(lines.toSorted(byDay)).toEqual([
      [body.startDate, share(700, rest, END)],
      [body.startDate, share(300, rest, END)],
      [inMonths(2), 700],
      [inMonths(2), 300],
    ]);
    expect(await listRents("6", id)).toEqual(before);
    await office.call("cancelLease", { params: { id: renewal.id } });
    expect(await listRents("6", id)).toEqual(before);
    await office.call("updateLease", { params: { id }, body: { endDate: addDays(inMonths(2), -1) } });
    expect((await listRents("6", id)).slice(2)).toEqual([
      [inMonths(1), 700],
      [inMonths(1), 300],
    ]);
  });

  test("are unchanged in the next export", async () => {
    expect(
      (await prepareBundle(office, { ...sheets, leases: sheets.leases.slice(0, 3), recurring_charges: sheets.recurring_charges.slice(0, 5) })).counts,
    ).toMatchObject({ ready_create: 0, ready_update: 0, invalid: 0 });
  });
});
