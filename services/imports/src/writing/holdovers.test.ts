/** Leases of tenants who are current although the term of their lease has passed. */
import { describe, expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { addDays, addMonths, daysInMonth, startOfMonth } from "@freehold/kit/time/plain-date";
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

describe("the renewal of a holdover that is still to come", () => {
  const [RENEWED, RENEWAL_END] = [addDays(inMonths(1), 15), addDays(inMonths(13), 14)];
  const current = `1,"Sample, Sam",,Current,1000.00,900.00,${START},${END},${START},0.00`;
  const coming = `1,"Sample, Sam",,Future,1200.00,,${RENEWED},${RENEWAL_END},,0.00`;
  const prorated = (cents: number, days: number) => Math.round((cents * days) / daysInMonth(RENEWED));

  /** Returns the rents that are charged from the next month on to the end of the first whole month of the renewal. */
  async function chargeRents(office: Office) {
    await office.call("postDueCharges", { body: { throughDate: addDays(inMonths(3), -1) } });
    const { charges } = await office.call("listCharges", { query: { chargeType: "rent", sortBy: "dueDate", sortDirection: "asc", pageSize: 100 } });
    return charges.filter(({ dueDate, status }) => dueDate >= NEXT_MONTH && status !== "voided").map(({ dueDate, amountCents }) => [dueDate, amountCents]);
  }
  const expectedRents = [
    [NEXT_MONTH, 100_000],
    [inMonths(1), prorated(100_000, 15)],
    [RENEWED, prorated(120_000, daysInMonth(RENEWED) - 15)],
    [inMonths(2), 120_000],
  ];

  /** Requires a holdover that runs until its renewal, which is charged from its first day on. */
  async function requireRenewedHoldover(office: Office): Promise<void> {
    const [holdover, renewal] = await leasesOf(office);
    expect([holdover, renewal]).toMatchObject([
      { status: "active", termType: "month_to_month", isHoldover: true, depositHeldCents: 90_000, renewedToLeaseId: renewal!.id },
      { status: "pending", startDate: RENEWED, renewedFromLeaseId: holdover!.id },
    ]);
    expect(await chargeRents(office)).toEqual(expectedRents);
  }

  test.each([
    ["before rent is charged", NEXT_MONTH, 0],
    ["after rent is charged ahead, of which only the month of the renewal is divided", addDays(inMonths(2), -1), 1],
  ])("is added by the next export %s, and lets the holdover go on until the day before", async (_, throughDate, voidedCount) => {
    const office = await anOffice();
    await writeBundle(office, (await prepareRoll(office, current)).id);
    if (voidedCount > 0) await office.call("postDueCharges", { body: { throughDate } });
    const next = await prepareRoll(office, current, coming);
    expect(next.counts.byEntity["lease"]).toMatchObject({ ready_create: 1, unchanged: 1 });
    expect(await writeBundle(office, next.id)).toMatchObject({ status: "completed" });
    await requireRenewedHoldover(office);
    const { charges } = await office.call("listCharges", { query: { status: "voided", pageSize: 100 } });
    expect(charges.map(({ periodStart }) => periodStart)).toEqual(voidedCount > 0 ? [inMonths(1)] : []);
    expect((await prepareRoll(office, current, coming)).counts).toMatchObject({ ready_create: 0, ready_update: 0, invalid: 0 });
  });

  test("is imported together with the holdover, in any order of the rows", async () => {
    for (const rows of [
      [current, coming],
      [coming, current],
    ]) {
      const office = await anOffice();
      const bundle = await prepareRoll(office, ...rows);
      expect(warningsOf(bundle)).toEqual([[expect.any(Number), expect.stringContaining("imported as a holdover")]]);
      expect(await writeBundle(office, bundle.id)).toMatchObject({ status: "completed" });
      await requireRenewedHoldover(office);
    }
  });
});

test("the renewal of a holdover that has begun by the next export takes over on its first day", async () => {
  const office = await anOffice();
  const current = `1,"Sample, Sam",,Current,1000.00,900.00,${START},${END},${START},0.00`;
  await writeBundle(office, (await prepareRoll(office, current)).id);
  const firstDay = today("America/New_York");
  const renewal = `1,"Sample, Sam",,Current,1200.00,900.00,${firstDay},${addDays(inMonths(12), -1)},${START},0.00`;
  expect(await writeBundle(office, (await prepareRoll(office, current, renewal)).id)).toMatchObject({ status: "completed", counts: { invalid: 0 } });
  const leases = await leasesOf(office);
  expect(leases).toMatchObject([{ status: "renewed" }, { status: "active", renewedFromLeaseId: leases[0]!.id }]);
  expect(await countRents(office)).toEqual([120_000]);
  expect((await prepareRoll(office, current, renewal)).counts).toMatchObject({ ready_create: 0, ready_update: 0, invalid: 0 });
});

test("a holdover before the coming lease of another tenant in the next export is charged until the day before, also after a further export", async () => {
  const office = await anOffice();
  const current = `1,"Sample, Sam",9001,Notice-Rented,1000.00,900.00,${START},${END},${START},0.00`;
  await writeBundle(office, (await prepareRoll(office, current)).id);
  const next = `1,"Next, Nat",9003,Future,1200.00,0.00,${inMonths(1)},${addDays(inMonths(12), -1)},${inMonths(1)},0.00`;
  for (let exports = 0; exports < 2; exports++) {
    expect(await writeBundle(office, (await prepareRoll(office, current, next)).id)).toMatchObject({ status: "completed", counts: { invalid: 0 } });
    expect(await leasesOf(office)).toMatchObject([{ status: "active", endDate: addDays(inMonths(1), -1), depositHeldCents: 90_000 }, { status: "pending" }]);
    expect(await countRents(office)).toEqual([100_000]);
  }
});

test("a passed term that the lease of another tenant follows in the unit, or that the file calls fixed, expires with a warning", async () => {
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
