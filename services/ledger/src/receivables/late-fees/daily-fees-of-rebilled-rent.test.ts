import { expect, test } from "@jest/globals";
import { addDays, addMonths, startOfMonth, withDayOfMonth } from "@freehold/kit/time/plain-date";
import { waitForIdleJobs } from "../../../../../test/support/jobs.ts";
import { anOffice } from "../../../../../test/support/office.ts";
import { aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { todayInOffice, waitForDailyJobs, withOwnerConnection } from "../../../test/ledger.fixtures.ts";

/** Creates a lease of last month with late fees, and functions that terminate it in that month, by default on the 20th, and run the daily jobs. */
async function aLeaseOfLastMonth(lateFeeType: "daily" | "flat", rentChargeDay = 1) {
  const office = await anOffice();
  await waitForDailyJobs(office);
  const month = addMonths(startOfMonth(todayInOffice()), -1);
  const first = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Dan Tenant" } });
  const terms = { propertyId: first.propertyId, unitId: first.unitId, tenantId: tenant.id, startDate: month, rentCents: 100_000 };
  const lateFee = { lateFeeType, lateFeeAmountCents: 1_000, lateFeeGraceDays: 3 };
  const { lease } = await office.call("createLease", { body: { ...terms, ...lateFee, termType: "month_to_month", rentChargeDay, activate: true } });
  const dueDate = withDayOfMonth(month, rentChargeDay);
  await office.call("postDueCharges", { body: { throughDate: dueDate } });
  const [rent] = (await office.call("listCharges", { query: { leaseId: lease.id, chargeType: "rent", dueBefore: dueDate } })).charges;
  const tenancy = { tenantId: tenant.id, leaseId: lease.id };
  const readFees = async (dueAfter: string) =>
    (await office.call("listCharges", { query: { leaseId: lease.id, chargeType: "late_fee", dueAfter, pageSize: 100 } })).charges;
  const terminate = (day = 20) => office.attempt("terminateLease", { params: { id: lease.id }, body: { terminationDate: withDayOfMonth(month, day) } });
  const runDailyJobs = async () => {
    await waitForIdleJobs("ledger", office);
    await withOwnerConnection(office, (owner) =>
      owner.query("insert into work_request (job, organization_id) values ('postDueCharges', $1)", [office.organizationId]),
    );
    await waitForIdleJobs("ledger", office);
  };
  return { office, month, tenancy, rentId: rent!.id, readFees, terminate, runDailyJobs };
}

// Rent of last month is unpaid and bears 10 a day; the fees through yesterday are paid. The lease is terminated on the 20th, so that
// two thirds of the rent stay unpaid. Today bears 10, too.
test("a daily late fee goes on when the rent is prorated after its fees up to yesterday were paid", async () => {
  const { office, month, tenancy, readFees, terminate, runDailyJobs } = await aLeaseOfLastMonth("daily");
  const today = todayInOffice();
  await office.call("assessLateFees", { body: { asOf: addDays(today, -1) } });
  const allocations = (await readFees(month)).map(({ id, balanceCents }) => ({ chargeId: id, amountCents: balanceCents as number }));
  const payment = { ...aPayment(tenancy, allocations.length * 1_000), receivedAt: `${addDays(today, -1)}T17:00:00.000Z` };
  await office.call("recordPayment", { body: { ...payment, allocations } });
  await terminate();
  await runDailyJobs();
  expect((await readFees(today)).map(({ dueDate, amountCents }) => [dueDate, amountCents])).toEqual([[today, 1_000]]);
});

// Rent of last month was posted and paid by check in time. The lease is terminated on the 20th, which replaces the rent, and the check bounces.
test("rent that was replaced after its fee day bears its late fee when the check that paid it bounces", async () => {
  const { office, month, tenancy, rentId, readFees, terminate, runDailyJobs } = await aLeaseOfLastMonth("flat");
  await withOwnerConnection(office, (owner) => owner.query("update charge set posted_at = due_date where id = $1", [rentId]));
  const body = { ...aPayment(tenancy, 100_000), receivedAt: `${month}T17:00:00.000Z`, allocations: [{ chargeId: rentId, amountCents: 100_000 }] };
  const { payment } = await office.call("recordPayment", { body });
  await terminate();
  await runDailyJobs();
  expect(await readFees(month)).toEqual([]);
  await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "nsf" } });
  await runDailyJobs();
  expect((await readFees(month)).map(({ dueDate, amountCents }) => [dueDate, amountCents])).toEqual([[withDayOfMonth(month, 5), 1_000]]);
});

// Rent of last month is due on the 15th, and bears 10 a day from the 19th. The lease is terminated on the 10th: what is left of the rent is due
// on that day, so that the fees of the 14th to the 18th are owed as well.
test.each([
  ["unpaid", false],
  ["paid", true],
])("%s daily late fees stay on their days when the rent that replaces theirs is due earlier", async (_, isPaid) => {
  const { office, month, tenancy, readFees, terminate, runDailyJobs } = await aLeaseOfLastMonth("daily", 15);
  await office.call("assessLateFees", { body: { asOf: withDayOfMonth(month, 21) } });
  const assessed = (await readFees(month)).toSorted((one, other) => (one.dueDate < other.dueDate ? -1 : 1));
  expect(assessed.map(({ dueDate }) => dueDate)).toEqual([19, 20, 21].map((day) => withDayOfMonth(month, day)));
  const allocations = assessed.map(({ id }) => ({ chargeId: id, amountCents: 1_000 }));
  const payment = { ...aPayment(tenancy, 3_000), receivedAt: `${withDayOfMonth(month, 22)}T17:00:00.000Z`, allocations };
  if (isPaid) await office.call("recordPayment", { body: payment });
  expect((await terminate(10)).status).toBe(200);
  await runDailyJobs();
  const fees = (await readFees(month)).filter(({ status }) => status !== "voided");
  const days = fees.map(({ dueDate }) => dueDate).toSorted();
  expect(days.slice(0, 8)).toEqual([14, 15, 16, 17, 18, 19, 20, 21].map((day) => withDayOfMonth(month, day)));
  expect(new Set(days).size).toBe(days.length);
  const { charges } = await office.call("listCharges", { query: { leaseId: tenancy.leaseId, chargeType: "rent", status: "pending,partially_paid" } });
  expect(charges.map(({ dueDate, periodEnd }) => [dueDate, periodEnd])).toEqual([[withDayOfMonth(month, 10), withDayOfMonth(month, 10)]]);
});
