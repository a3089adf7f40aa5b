/**
 * Late fees of rent that is paid while it is assessed. The test holds the rent locked until both requests wait for it, so that both
 * have started before either commits. In either order, rent that was paid in time bears no late fee, and rent paid late keeps its fee.
 */
import { beforeEach, describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { waitForDailyJobs, withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { withLockedRow } from "../../../test/lock-waiters.fixtures.ts";

const RENT_CENTS = 100_000;
const FEE_CENTS = 5_000;
/** Receipts before and after 2026-01-05, the day of the late fee of rent due on 2026-01-01. */
const [IN_TIME, LATE] = ["2026-01-04T15:00:00.000Z", "2026-01-06T15:00:00.000Z"];

type Rent = Tenancy & { chargeId: string };
let office: Office;

beforeEach(async () => {
  office = await anOffice();
  await waitForDailyJobs(office);
});

async function overdueRent(): Promise<Rent> {
  const tenancy = await aTenancy(office);
  await office.call("updateLease", {
    params: { id: tenancy.leaseId },
    body: { lateFeeType: "flat", lateFeeAmountCents: FEE_CENTS, lateFeeGraceDays: 3 },
  });
  return { ...tenancy, chargeId: await aCharge(office, tenancy.leaseId, RENT_CENTS) };
}

/** Assesses late fees and returns those of a rent charge, each as its amount and the reason to charge none. */
async function assess({ chargeId }: Rent, dryRun = false) {
  const { assessment } = await office.call("assessLateFees", { body: { asOf: "2026-01-10", dryRun } });
  return assessment.lines.filter((line) => line.chargeId === chargeId).map(({ amountCents, reason }) => [amountCents, reason]);
}
const pay = (rent: Rent, receivedAt: string) =>
  office.call("recordPayment", {
    body: { ...aPayment(rent, RENT_CENTS), receivedAt, allocations: [{ chargeId: rent.chargeId, amountCents: RENT_CENTS }] },
  });
/** Returns the statuses of the late fees of a rent charge that is paid. */
async function feesOfPaid({ chargeId, leaseId }: Rent) {
  expect((await office.call("getCharge", { params: { id: chargeId } })).charge).toMatchObject({ status: "paid", balanceCents: 0 });
  const { charges } = await office.call("listCharges", { query: { leaseId, chargeType: "late_fee" } });
  return charges.map(({ status, balanceCents }) => (status === "voided" ? status : balanceCents));
}
const violations = () => withOwnerConnection(office, findViolations);

/** Starts two requests in this order, both of which wait for the rent before either commits. Returns their results. */
const meetAt = <First, Second>({ chargeId }: Rent, first: () => Promise<First>, second: () => Promise<Second>): Promise<[First, Second]> =>
  withLockedRow(office, "charge", chargeId, async (row) => {
    const started = first();
    await row.waitForWaiters(1);
    const following = second();
    await row.waitForWaiters(2);
    await row.release();
    return Promise.all([started, following]);
  });

describe("rent that is paid while its late fee is assessed", () => {
  test("bears no late fee when the payment comes first and was received in time", async () => {
    const late = await overdueRent();
    const [, lateFees] = await meetAt(
      late,
      () => pay(late, LATE),
      () => assess(late),
    );
    const punctual = await overdueRent();
    const [, punctualFees] = await meetAt(
      punctual,
      () => pay(punctual, IN_TIME),
      () => assess(punctual),
    );
    expect([lateFees, punctualFees]).toEqual([[[FEE_CENTS, null]], [[0, "paid_in_time"]]]);
    expect([await feesOfPaid(late), await feesOfPaid(punctual)]).toEqual([[FEE_CENTS], []]);
    expect(await violations()).toEqual([]);
  });

  test("has its late fee voided when the assessment comes first and the payment was received in time", async () => {
    const late = await overdueRent();
    const [lateFees] = await meetAt(
      late,
      () => assess(late),
      () => pay(late, LATE),
    );
    const punctual = await overdueRent();
    const [punctualFees] = await meetAt(
      punctual,
      () => assess(punctual),
      () => pay(punctual, IN_TIME),
    );
    expect([lateFees, punctualFees]).toEqual([[[FEE_CENTS, null]], [[FEE_CENTS, null]]]);
    await eventually("void of the late fee", async () => (await feesOfPaid(punctual))[0] === "voided");
    // The same review has seen the other fee, and left it.
    expect([await feesOfPaid(late), await feesOfPaid(punctual)]).toEqual([[FEE_CENTS], ["voided"]]);
    expect(await violations()).toEqual([]);
  });

  test("control: an assessment that does not wait for the payment charges the fee", async () => {
    const rent = await overdueRent();
    const unlocked = await withLockedRow(office, "charge", rent.chargeId, async (row) => {
      const payment = pay(rent, IN_TIME);
      await row.waitForWaiters(1);
      // A dry run reads the rent without a lock.
      const fees = await assess(rent, true);
      await row.release();
      await payment;
      return fees;
    });
    expect([unlocked, await assess(rent)]).toEqual([[[FEE_CENTS, null]], [[0, "paid_in_time"]]]);
  });
});
