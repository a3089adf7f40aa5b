/** Reviews of the late fees of many charges, in batches that commit one by one. */
import { expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { waitForDailyJobs, withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { withLockedRow } from "../../../test/lock-waiters.fixtures.ts";

/** Charges of the largest batch, and a few more. */
const [BATCH_SIZE, REST] = [50, 5];

/** Returns the ids of the late fees that are not voided, in the order of the charges that they are for. */
const liveLateFees = (office: Office): Promise<string[]> =>
  withOwnerConnection(office, async (client) => {
    const statement = "select id from charge where charge_type = 'late_fee' and status <> 'voided' order by late_fee_for_charge_id";
    return (await client.query<{ id: string }>(statement)).rows.map(({ id }) => id);
  });

test("late fees of many charges are voided in batches, and a batch that fails is repeated without holding up the others", async () => {
  const office = await anOffice();
  await waitForDailyJobs(office);
  const tenancy = await aTenancy(office);
  const { leaseId } = tenancy;
  await office.call("updateLease", { params: { id: leaseId }, body: { lateFeeType: "flat", lateFeeAmountCents: 5_000, lateFeeGraceDays: 3 } });
  const rent = { leaseId, amountCents: 100, dueDate: "2026-01-01", chargeType: "rent" as const };
  const { charges } = await office.call("createCharges", { body: { charges: Array.from({ length: BATCH_SIZE + REST }, () => rent) } });
  await office.call("assessLateFees", { body: { asOf: "2026-01-06" } });
  const fees = await liveLateFees(office);
  expect(fees).toHaveLength(BATCH_SIZE + REST);
  const allocations = charges.map(({ id }) => ({ chargeId: id, amountCents: 100 }));
  await withLockedRow(office, "charge", fees[0]!, async (firstFee) => {
    await office.call("recordPayment", { body: { ...aPayment(tenancy, 100 * charges.length), receivedAt: "2026-01-02T15:00:00.000Z", allocations } });
    await firstFee.waitForWaiters(1);
    await firstFee.breakWaiters();
    const left = await eventually("reviewed batch", async () => {
      const live = await liveLateFees(office);
      return live.length < fees.length && live;
    });
    expect(left).toEqual(fees.slice(0, BATCH_SIZE));
  });
  await eventually("repeated batch", async () => (await liveLateFees(office)).length === 0);
  expect(await withOwnerConnection(office, findViolations)).toEqual([]);
});
