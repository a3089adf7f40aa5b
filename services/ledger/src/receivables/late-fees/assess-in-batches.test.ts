/** Assessment of late fees in batches, of which one fails. */
import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { waitForDailyJobs } from "../../../test/ledger.fixtures.ts";
import { withLockedRow } from "../../../test/lock-waiters.fixtures.ts";

/** Number of charges in a full batch, and in the batch after it. */
const [BATCH_SIZE, LAST_BATCH_SIZE] = [50, 5];

test("a batch of late fees that fails does not hold up the others, and is assessed by the next request", async () => {
  const office = await anOffice();
  await waitForDailyJobs(office);
  const { leaseId } = await aTenancy(office);
  await office.call("updateLease", { params: { id: leaseId }, body: { lateFeeType: "flat", lateFeeAmountCents: 5_000, lateFeeGraceDays: 0 } });
  const rent = { leaseId, amountCents: 10_000, dueDate: "2026-01-01", chargeType: "rent" as const };
  const { charges } = await office.call("createCharges", { body: { charges: Array.from({ length: BATCH_SIZE + LAST_BATCH_SIZE }, () => rent) } });
  const [firstId] = charges.map(({ id }) => id).toSorted((one, other) => (one < other ? -1 : 1));
  const countFees = async () => (await office.call("listCharges", { query: { leaseId, chargeType: "late_fee" } })).total;
  const assess = () => office.attempt("assessLateFees", { body: { asOf: "2026-01-06" } });
  await withLockedRow(office, "charge", firstId!, async (firstCharge) => {
    const assessment = assess();
    await firstCharge.waitForWaiters(1);
    await firstCharge.breakWaiters();
    await eventually("late fees of the other batch", async () => (await countFees()) === LAST_BATCH_SIZE);
    await firstCharge.release();
    await assessment;
  });
  expect((await assess()).status).toBe(200);
  expect(await countFees()).toBe(BATCH_SIZE + LAST_BATCH_SIZE);
});
