/**
 * Changes of a recurring charge from the last accepted day on: the contract accepts dates of the years 1900 to 2199. A charge due on the 30th
 * that changes from 2199-12-31 on would change in January 2200, which no answer can show. The change is refused with a reason, or made; it
 * neither ends in an internal error nor leaves a recurring charge that cannot be read any more.
 */
import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";

async function changeFrom(applyFrom: string) {
  const office = await anOffice();
  const { leaseId } = await aTenancy(office, { endDate: "2199-12-31" });
  const { categories } = await office.call("listCategories");
  const categoryId = categories.find(({ code }) => code === "4010")!.id;
  const fee = { leaseId, amountCents: 1_000, categoryId, dayOfMonth: 30, startDate: "2199-11-01", kind: "fee" as const, label: "Parking" };
  const { recurringChargeRule } = await office.call("createRecurringCharge", { body: fee });
  const change = await office.attempt("updateRecurringCharge", { params: { id: recurringChargeRule.id }, body: { amountCents: 1_100, applyFrom } });
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

test("after it, whatever became of it, the recurring charges and the lease can be read", async () => {
  const { list, lease } = await changeFrom("2199-12-31");
  expect({ list, lease }).toEqual({ list: 200, lease: 200 });
});
