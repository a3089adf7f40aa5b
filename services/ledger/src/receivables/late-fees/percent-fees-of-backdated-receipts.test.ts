/**
 * Percent late fees of rent that a receipt of an earlier day settles in part, once it is recorded, and of rent whose receipt is returned.
 * Rent of 1,000.00 is due on January 1 with three days of grace and a fee of 5 %, at most 60.00, from January 5 on.
 */
import { beforeAll, describe, expect, test } from "@jest/globals";
import { waitForIdleJobs } from "../../../../../test/support/jobs.ts";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { waitForDailyJobs, withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { closeMonth } from "../../periods/periods.fixtures.ts";

type Rent = Tenancy & { chargeId: string };
let office: Office;

beforeAll(async () => {
  office = await anOffice();
  await office.call("updateOrganization", { body: { policies: { lateFeeMaxCents: 6_000 } } });
  await waitForDailyJobs(office);
});

const percent = { lateFeeType: "percent" as const, lateFeePercentBps: 500, lateFeeGraceDays: 3 };

async function overdueRent(terms: object = percent): Promise<Rent> {
  const tenancy = await aTenancy(office);
  await office.call("updateLease", { params: { id: tenancy.leaseId }, body: terms });
  return { ...tenancy, chargeId: await aCharge(office, tenancy.leaseId, 100_000) };
}
/** Assesses the late fees through January 10, and waits for the review. */
async function assess(): Promise<void> {
  await office.call("assessLateFees", { body: { asOf: "2026-01-10" } });
  await waitForIdleJobs("ledger", office);
}
/** Records a receipt of a day for a charge, and waits for the review. */
async function pay(rent: Rent, amountCents: number, receivedOn: string, chargeId = rent.chargeId): Promise<string> {
  const allocations = [{ chargeId, amountCents }];
  const { payment } = await office.call("recordPayment", { body: { ...aPayment(rent, amountCents), receivedAt: `${receivedOn}T15:00:00.000Z`, allocations } });
  await waitForIdleJobs("ledger", office);
  return payment.id;
}
const returnPayment = (id: string) => office.call("reversePayment", { params: { id }, body: { reason: "nsf", reversedAt: "2026-01-20T15:00:00.000Z" } });
const lateFeesOf = async ({ leaseId }: Rent) =>
  (await office.call("listCharges", { query: { leaseId, chargeType: "late_fee", sortBy: "createdAt", sortDirection: "asc" } })).charges;
const summariesOf = async (rent: Rent) => (await lateFeesOf(rent)).map(({ dueDate, amountCents, status }) => `${dueDate} ${amountCents} ${status}`);

/** Returns the receivables of a property at the end of the days around that of the fee and of the return. */
async function receivablesOf({ propertyId }: Rent): Promise<number[]> {
  const days = ["2026-01-02", "2026-01-03", "2026-01-04", "2026-01-05", "2026-01-19", "2026-01-20"];
  const balances = await Promise.all(days.map((asOf) => office.call("getTrialBalance", { query: { asOf, propertyId } })));
  return balances.map(({ trialBalance }) => trialBalance.rows.find(({ accountCode }) => accountCode === "1100")?.closingCents ?? 0);
}

/** Returns the records that the journal lines of the late fees of a lease carry, each combination once. */
const recordsOfLines = ({ leaseId }: Rent) =>
  withOwnerConnection(office, async (client) => {
    const statement = `select distinct l.lease_id as "leaseId", l.tenant_id as "tenantId", l.property_id as "propertyId", l.unit_id as "unitId"
      from charge c join journal_entry e on e.source_id = c.id join journal_line l on l.entry_id = e.id where c.lease_id = $1 and c.charge_type = 'late_fee'`;
    return (await client.query(statement, [leaseId])).rows;
  });

describe("an unpaid percent fee", () => {
  test("has the amount that was open on its day when a receipt of the grace period is recorded later, and again when it is returned", async () => {
    const rent = await overdueRent();
    await assess();
    expect(await summariesOf(rent)).toEqual(["2026-01-05 5000 pending"]);
    const paymentId = await pay(rent, 60_000, "2026-01-03");
    expect(await summariesOf(rent)).toEqual(["2026-01-05 5000 voided", "2026-01-05 2000 pending"]);
    expect(await receivablesOf(rent)).toEqual([100_000, 40_000, 40_000, 42_000, 42_000, 42_000]);
    await returnPayment(paymentId);
    await assess();
    expect(await summariesOf(rent)).toEqual(["2026-01-05 5000 voided", "2026-01-05 2000 voided", "2026-01-05 5000 pending"]);
    expect(await receivablesOf(rent)).toEqual([100_000, 40_000, 40_000, 45_000, 45_000, 105_000]);
    const { chargeId, ...records } = rent;
    for (const fee of await lateFeesOf(rent)) expect(fee).toMatchObject({ ...records, lateFeeForChargeId: chargeId });
    expect(await recordsOfLines(rent)).toEqual([records]);
    expect(await withOwnerConnection(office, findViolations)).toEqual([]);
    // Another run changes nothing.
    await assess();
    expect(await lateFeesOf(rent)).toHaveLength(3);
  });

  test("has the full amount when a receipt that was recorded in time is returned", async () => {
    const rent = await overdueRent();
    const paymentId = await pay(rent, 60_000, "2026-01-03");
    await assess();
    expect(await summariesOf(rent)).toEqual(["2026-01-05 2000 pending"]);
    await returnPayment(paymentId);
    await assess();
    expect(await summariesOf(rent)).toEqual(["2026-01-05 2000 voided", "2026-01-05 5000 pending"]);
  });

  test("has the amount of its day also when the rent was paid in full after that day", async () => {
    const rent = await overdueRent();
    await assess();
    await pay(rent, 40_000, "2026-01-08");
    expect(await summariesOf(rent)).toEqual(["2026-01-05 5000 pending"]);
    await pay(rent, 60_000, "2026-01-03");
    expect(await summariesOf(rent)).toEqual(["2026-01-05 5000 voided", "2026-01-05 2000 pending"]);
  });

  test("stays within the limit of the policies, and less by what was waived of it", async () => {
    const rent = await overdueRent({ ...percent, lateFeePercentBps: 1_000 });
    await assess();
    const [fee] = await lateFeesOf(rent);
    await office.call("creditCharge", { params: { id: fee!.id }, body: { amountCents: 1_000, reason: "waive", creditedOn: "2026-01-08" } });
    // 10 % of 700.00 is above the limit, too.
    await pay(rent, 30_000, "2026-01-03");
    expect(await lateFeesOf(rent)).toMatchObject([{ id: fee!.id, amountCents: 6_000, balanceCents: 5_000 }]);
    await pay(rent, 30_000, "2026-01-04");
    expect((await lateFeesOf(rent)).map(({ amountCents, balanceCents }) => [amountCents, balanceCents])).toEqual([
      [6_000, 0],
      [4_000, 3_000],
    ]);
  });

  test("is voided and not charged again when it rounds down to nothing", async () => {
    const rent = await overdueRent();
    await assess();
    await pay(rent, 99_990, "2026-01-03");
    await assess();
    expect(await summariesOf(rent)).toEqual(["2026-01-05 5000 voided"]);
  });
});

describe("a late fee keeps its amount when a receipt of the grace period settles a part of its rent", () => {
  test("when it is flat, or paid in part", async () => {
    const [flat, paid] = [await overdueRent({ lateFeeType: "flat", lateFeeAmountCents: 5_000, lateFeeGraceDays: 3 }), await overdueRent()];
    await assess();
    await pay(paid, 100, "2026-01-10", (await lateFeesOf(paid))[0]!.id);
    for (const rent of [flat, paid]) await pay(rent, 60_000, "2026-01-03");
    for (const rent of [flat, paid])
      expect((await lateFeesOf(rent)).map(({ amountCents, status }) => [amountCents, status])).toEqual([[5_000, rent === flat ? "pending" : "partially_paid"]]);
  });

  test("when its accounting period is closed", async () => {
    const rent = await overdueRent();
    await assess();
    await closeMonth(office, "2026-01");
    await pay(rent, 60_000, "2026-01-03");
    expect(await summariesOf(rent)).toEqual(["2026-01-05 5000 pending"]);
  });
});
