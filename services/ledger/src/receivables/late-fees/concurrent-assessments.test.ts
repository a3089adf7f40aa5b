/** Assessments of late fees that run concurrently with each other or with a change of the due date: no day of a charge is lost. */
import { describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aTenancy } from "../../../../../test/support/tenancy.ts";
import { withLockedRow } from "../../../test/lock-waiters.fixtures.ts";
import { waitForDailyJobs } from "../../../test/ledger.fixtures.ts";

const daily = { lateFeeType: "daily" as const, lateFeeAmountCents: 1_000, lateFeeGraceDays: 3 };
const flat = { lateFeeType: "flat" as const, lateFeeAmountCents: 5_000, lateFeeGraceDays: 3 };

async function overdueRent(terms: object): Promise<{ office: Office; leaseId: string; chargeId: string }> {
  const office = await anOffice();
  await waitForDailyJobs(office);
  const { leaseId } = await aTenancy(office);
  await office.call("updateLease", { params: { id: leaseId }, body: terms });
  return { office, leaseId, chargeId: await aCharge(office, leaseId, 100_000) };
}
const assess = (office: Office, asOf: string) => office.call("assessLateFees", { body: { asOf } });
const feeDays = async (office: Office, leaseId: string) =>
  (await office.call("listCharges", { query: { leaseId, chargeType: "late_fee", sortDirection: "asc" } })).charges.map(({ dueDate }) => dueDate);

describe("a daily late fee is charged for each day on which the rent is open", () => {
  test("control: when it is assessed twice, one after the other", async () => {
    const { office, leaseId } = await overdueRent(daily);
    await assess(office, "2026-01-06");
    await assess(office, "2026-01-06");
    await assess(office, "2026-01-08");
    expect(await feeDays(office, leaseId)).toEqual(["2026-01-05", "2026-01-06", "2026-01-07", "2026-01-08"]);
  });

  test("also when it is assessed twice concurrently", async () => {
    const { office, leaseId, chargeId } = await overdueRent(daily);
    await withLockedRow(office, "charge", chargeId, async (row) => {
      const both = Promise.all([assess(office, "2026-01-06"), assess(office, "2026-01-06")]);
      await row.waitForWaiters(2);
      await row.release();
      await both;
    });
    await assess(office, "2026-01-08");
    expect(await feeDays(office, leaseId)).toEqual(["2026-01-05", "2026-01-06", "2026-01-07", "2026-01-08"]);
  });
});

describe("rent whose due date was moved bears its late fee after the new one", () => {
  const moveDueDate = (office: Office, id: string) => office.call("updateCharge", { params: { id }, body: { dueDate: "2026-02-01" } });

  test("control: when the assessment follows the change", async () => {
    const { office, leaseId, chargeId } = await overdueRent(flat);
    await moveDueDate(office, chargeId);
    await assess(office, "2026-01-06");
    await assess(office, "2026-02-10");
    expect(await feeDays(office, leaseId)).toEqual(["2026-02-05"]);
  });

  test("also when the assessment waits for the change", async () => {
    const { office, leaseId, chargeId } = await overdueRent(flat);
    await withLockedRow(office, "charge", chargeId, async (row) => {
      const change = moveDueDate(office, chargeId);
      await row.waitForWaiters(1);
      const assessment = assess(office, "2026-01-06");
      await row.waitForWaiters(2);
      await row.release();
      await Promise.all([change, assessment]);
    });
    await assess(office, "2026-02-10");
    expect(await feeDays(office, leaseId)).toEqual(["2026-02-05"]);
  });
});
