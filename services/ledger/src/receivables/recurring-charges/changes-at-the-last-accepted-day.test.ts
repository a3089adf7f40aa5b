/**
 * Changes of a recurring charge from the last accepted day on: the contract accepts dates of the years 1900 to 2199. A charge due on the 30th
 * that changes from 2199-12-31 on would first change in January 2200, which no response can contain. The change is made or refused with a
 * 400; it neither fails with an internal error nor leaves a recurring charge that can no longer be read.
 */
import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";

/** Creates a fee of a lease until the last accepted day. */
async function aFee(terms: { dayOfMonth: number; startDate: string }) {
  const office = await anOffice();
  const { leaseId } = await aTenancy(office, { endDate: "2199-12-31" });
  const { categories } = await office.call("listCategories");
  const categoryId = categories.find(({ code }) => code === "4010")!.id;
  const body = { leaseId, amountCents: 1_000, categoryId, kind: "fee" as const, label: "Parking", ...terms };
  const { recurringChargeRule } = await office.call("createRecurringCharge", { body });
  return { office, leaseId, id: recurringChargeRule.id };
}

async function changeFrom(applyFrom: string) {
  const { office, leaseId, id } = await aFee({ dayOfMonth: 30, startDate: "2199-11-01" });
  const change = await office.attempt("updateRecurringCharge", { params: { id }, body: { amountCents: 1_100, applyFrom } });
  const list = await office.attempt("listRecurringCharges", { query: { leaseId } });
  const lease = await office.attempt("getLease", { params: { id: leaseId } });
  return { change: change.status, list: list.status, lease: lease.status };
}

test("control: a charge changes from December 2199 on", async () => {
  expect(await changeFrom("2199-12-30")).toEqual({ change: 200, list: 200, lease: 200 });
});

test("a change from the last accepted day on is made or refused, and the recurring charges can be read", async () => {
  const { change, ...reads } = await changeFrom("2199-12-31");
  expect([200, 400]).toContain(change);
  expect(reads).toEqual({ list: 200, lease: 200 });
});

test("a charge whose first due date is after the last accepted day can be renamed", async () => {
  const { office, id } = await aFee({ dayOfMonth: 1, startDate: "2199-12-15" });
  const params = { id };
  const { recurringChargeRule: renamed } = await office.call("updateRecurringCharge", { params, body: { label: "Garage", dayOfMonth: 1 } });
  expect(renamed.label).toBe("Garage");
  expect((await office.attempt("updateRecurringCharge", { params, body: { applyFrom: "2199-12-20", amountCents: 900 } })).status).toBe(400);
});
