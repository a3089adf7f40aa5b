/** Automatic allocation of credit to recurring charges that one run posts in several batches. */
import { expect, test } from "@jest/globals";
import { addMonths, endOfMonth, startOfMonth } from "@freehold/kit/time/plain-date";
import { waitForIdleJobs } from "../../../../../test/support/jobs.ts";
import { anOffice } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { todayInOffice, waitForDailyJobs } from "../../../test/ledger.fixtures.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";

test("credit settles the oldest charges first, also when a run posts more charges than one transaction", async () => {
  const office = await anOffice();
  await waitForDailyJobs(office);
  const startDate = addMonths(startOfMonth(todayInOffice()), 1);
  const tenancy = await aTenancy(office, { startDate, createRecurringRent: true });
  // Rent of other leases, whose recurring charges are older than the parking of the tenant: the run posts 11 × (1 + 9) + 11 charges.
  for (let count = 0; count < 9; count++) await aTenancy(office, { startDate, createRecurringRent: true });
  const categoryId = (await accountIdsByCode(office))["4010"]!;
  const parking = { amountCents: 5_000, categoryId, dayOfMonth: 1, startDate, kind: "fee" as const, label: "Parking" };
  await office.call("createRecurringCharge", { body: { leaseId: tenancy.leaseId, ...parking } });
  // The ledger receives the policy asynchronously: charges of one cent show when it is in effect.
  await office.call("updateOrganization", { body: { policies: { autoAllocatePayments: true } } });
  const other = await aTenancy(office);
  await office.call("recordPayment", { body: aPayment(other, 10_000) });
  await eventually(
    "policy",
    async () => (await office.call("getCharge", { params: { id: await aCharge(office, other.leaseId, 1) } })).charge.status === "paid",
  );
  await office.call("recordPayment", { body: aPayment(tenancy, 315_000) });
  await office.call("postDueCharges", { body: { throughDate: endOfMonth(addMonths(startDate, 10)) } });
  await waitForIdleJobs("ledger", office);
  const query = { leaseId: tenancy.leaseId, dueBefore: addMonths(startDate, 3), sortBy: "dueDate" as const, sortDirection: "asc" as const };
  const { charges } = await office.call("listCharges", { query });
  // 3,150.00 are three months of rent of 1,000.00 and parking of 50.00: oldest due date first, so nothing is open of the first three
  // months, and all of the fourth.
  const openCents = (chargeType: string) => charges.filter((charge) => charge.chargeType === chargeType).map(({ balanceCents }) => balanceCents);
  expect({ rent: openCents("rent"), parking: openCents("fee") }).toEqual({ rent: [0, 0, 0, 100_000], parking: [0, 0, 0, 5_000] });
});
