/** A recurring charge that is created while its lease is terminated: it is refused, or it ends with the lease. */
import { expect, test } from "@jest/globals";
import { addDays, startOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { withLockedRow } from "../../../test/lock-waiters.fixtures.ts";
import { todayInOffice, waitForDailyJobs } from "../../../test/ledger.fixtures.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";

async function aLease() {
  const office = await anOffice();
  await waitForDailyJobs(office);
  const { leaseId } = await aTenancy(office);
  const categoryId = (await accountIdsByCode(office))["4010"]!;
  const create = () =>
    office.attempt("createRecurringCharge", {
      body: { leaseId, amountCents: 500, categoryId, dayOfMonth: 1, startDate: "2026-01-01", kind: "fee", label: "Garage", postMissed: true },
    });
  const terminate = () =>
    office.call("terminateLease", { params: { id: leaseId }, body: { terminationDate: addDays(todayInOffice(), -200), reason: "mutual" } as never });
  /** Posts due charges, and returns the due dates of the lease's charges after its end. */
  const postDueAfterEnd = async () => {
    await office.call("postDueCharges", { body: {} });
    const { charges } = await office.call("listCharges", { query: { leaseId, pageSize: 100 } });
    return charges.filter(({ status, dueDate }) => status !== "voided" && dueDate > addDays(todayInOffice(), -200)).map(({ dueDate }) => dueDate);
  };
  const statuses = async () => (await office.call("listRecurringCharges", { query: { leaseId } })).recurringChargeRules.map(({ status }) => status);
  return { office, leaseId, categoryId, create, terminate, postDueAfterEnd, statuses };
}

test("control: a recurring charge that was created before the termination ends with the lease", async () => {
  const { create, terminate, postDueAfterEnd, statuses } = await aLease();
  expect((await create()).status).toBe(200);
  await terminate();
  expect([await statuses(), await postDueAfterEnd()]).toEqual([["ended"], []]);
});

test("control: a recurring charge of a terminated lease is refused", async () => {
  const { create, terminate } = await aLease();
  await terminate();
  expect((await create()).body.code).toBe("lease_not_active");
});

test("a recurring charge of a lease that is terminated for a later day is charged until that day", async () => {
  const { office, create, leaseId } = await aLease();
  const terminationDate = addDays(todayInOffice(), 40);
  await office.call("terminateLease", { params: { id: leaseId }, body: { terminationDate } });
  expect(await create()).toMatchObject({ status: 200, body: { recurringChargeRule: { status: "active", endDate: terminationDate } } });
  await office.call("postDueCharges", { body: { throughDate: addDays(terminationDate, 60) } });
  const { charges } = await office.call("listCharges", { query: { leaseId, pageSize: 100, sortBy: "dueDate", sortDirection: "desc" } });
  expect(charges.map(({ dueDate }) => dueDate)).toContain(startOfMonth(todayInOffice()));
  expect(charges.filter(({ dueDate }) => dueDate > terminationDate)).toEqual([]);
});

test("a recurring charge that is created during the termination charges nothing after it", async () => {
  const { office, categoryId, create, terminate, postDueAfterEnd, statuses } = await aLease();
  await withLockedRow(office, "category", categoryId, async (row) => {
    const creation = create();
    await row.waitForWaiters(1);
    const termination = terminate();
    await row.waitForWaiters(2);
    await row.release();
    await Promise.all([creation, termination]);
  });
  expect([(await statuses()).filter((status) => status !== "ended"), await postDueAfterEnd()]).toEqual([[], []]);
});
