/** Fees between the agreement of a renewal and its beginning: pauses, and the end of the previous lease's recurring charges. */
import { expect, test } from "@jest/globals";
import { addMonths, startOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { waitForIdleJobs } from "../../../../../test/support/jobs.ts";
import { todayInOffice, withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";

async function aRenewedLeaseWithFee(status: "draft" | "pending") {
  const office = await anOffice();
  const startDate = startOfMonth(todayInOffice());
  const { leaseId } = await aTenancy(office, { startDate, endDate: addMonths(startDate, 12) });
  const categoryId = (await accountIdsByCode(office))["4010"]!;
  const fee = { leaseId, amountCents: 5_000, categoryId, dayOfMonth: 1, startDate, kind: "fee" as const, label: "Parking" };
  const { id } = (await office.call("createRecurringCharge", { body: fee })).recurringChargeRule;
  const renew = async () => {
    const body = { startDate: addMonths(startDate, 13), endDate: "2099-12-31", termType: "fixed" as const };
    const { lease } = await office.call("renewLease", { params: { id: leaseId }, body });
    if (status === "pending") await office.call("activateLease", { params: { id: lease.id }, body: {} });
    return lease.id;
  };
  const readStatus = async (renewalId: string) => {
    const { recurringChargeRules } = await office.call("listRecurringCharges", { query: { leaseId: renewalId, kind: "fee" } });
    return recurringChargeRules.map((rule) => rule.status);
  };
  const pause = () => office.call("pauseRecurringCharge", { params: { id } });
  const resume = () => office.call("resumeRecurringCharge", { params: { id }, body: {} });
  return { office, id, leaseId, categoryId, renew, pause, resume, readStatus };
}

test.each([
  ["draft", "draft"],
  ["pending", "active"],
] as const)("a fee that is paused or resumed is so on its %s renewal, too", async (renewalStatus, feeStatus) => {
  const { renew, pause, resume, readStatus } = await aRenewedLeaseWithFee(renewalStatus);
  const renewalId = await renew();
  expect(await readStatus(renewalId)).toEqual([feeStatus]);
  await pause();
  expect(await readStatus(renewalId)).toEqual(["paused"]);
  await resume();
  expect(await readStatus(renewalId)).toEqual([feeStatus]);
});

test("a fee that was paused when its renewal was drafted is charged by the renewal once it is resumed", async () => {
  const { renew, pause, resume, readStatus } = await aRenewedLeaseWithFee("pending");
  await pause();
  const renewalId = await renew();
  expect(await readStatus(renewalId)).toEqual(["paused"]);
  await resume();
  expect(await readStatus(renewalId)).toEqual(["active"]);
});

// At midnight the job may run before portfolio has activated the renewal that begins on that day.
test("a recurring charge that a renewal ends stays until the renewal begins, and continues when it is cancelled", async () => {
  const { office, id, leaseId, categoryId, renew } = await aRenewedLeaseWithFee("pending");
  const own = { leaseId, amountCents: 1_000, categoryId, dayOfMonth: 1, startDate: startOfMonth(todayInOffice()), kind: "fee" as const, label: "Pet" };
  const { recurringChargeRule: control } = await office.call("createRecurringCharge", { body: own });
  const renewalId = await renew();
  await withOwnerConnection(office, async (owner) => {
    await owner.query("update recurring_charge_rule set end_date = current_date - 3 where id = any($1)", [[id, control.id]]);
    await owner.query("update recurring_charge_rule set followed_by_lease_id = null where id = $1", [control.id]);
    await owner.query("insert into work_request (job, organization_id) values ('postDueCharges', $1)", [office.organizationId]);
  });
  await waitForIdleJobs("ledger", office);
  const read = async (ruleId: string) => (await office.call("getRecurringCharge", { params: { id: ruleId } })).recurringChargeRule;
  expect([(await read(id)).status, (await read(control.id)).status]).toEqual(["active", "ended"]);
  await office.call("cancelLease", { params: { id: renewalId } });
  expect(await read(id)).toMatchObject({ status: "active", endDate: null });
});
