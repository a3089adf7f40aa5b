/**
 * Names of late fees: the name of the rent is cut to fit. An emoji at the cut consists of two UTF-16 code units, and half of it cannot
 * be stored: the fee, and with it the batch of fifty charges in which it is assessed, must not fail for it.
 *
 * "Late fee: " has 10 code units and a name at most 160, so 150 units of the rent's name are kept. The name below has 149 letters and
 * an emoji at the units 150 and 151, 151 in all: within the 160 that the contract accepts.
 */
import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { waitForDailyJobs } from "../../../test/ledger.fixtures.ts";

async function assessTwoRents(nameOfFirst: string) {
  const office = await anOffice();
  await waitForDailyJobs(office);
  const { leaseId } = await aTenancy(office);
  await office.call("updateLease", { params: { id: leaseId }, body: { lateFeeType: "flat", lateFeeAmountCents: 5_000, lateFeeGraceDays: 0 } });
  const rent = { leaseId, amountCents: 10_000, dueDate: "2026-01-01", chargeType: "rent" as const };
  await office.call("createCharge", { body: { ...rent, name: nameOfFirst } });
  await office.call("createCharge", { body: { ...rent, name: "Rent of the neighbour" } });
  const assessment = await office.attempt("assessLateFees", { body: { asOf: "2026-01-06" } });
  const { total } = await office.call("listCharges", { query: { leaseId, chargeType: "late_fee" } });
  return { status: assessment.status, lateFees: total };
}

test("control: rents with long names of letters bear their late fees", async () => {
  expect(await assessTwoRents("a".repeat(151))).toEqual({ status: 200, lateFees: 2 });
});

test("rents bear their late fees also when one of them has an emoji in its long name", async () => {
  // A flat fee for each of the two rents.
  expect(await assessTwoRents(`${"a".repeat(149)}🏠`)).toEqual({ status: 200, lateFees: 2 });
});
