/** Change of the day of the month of a recurring charge. */
import { beforeAll, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";

let office: Office;
let leaseId: string;
let categoryId: string;
beforeAll(async () => {
  office = await anOffice();
  ({ leaseId } = await aTenancy(office, { startDate: "2026-01-01" }));
  categoryId = (await accountIdsByCode(office))["4010"]!;
});
const createRule = async (dayOfMonth: number, startDate: string, status: "active" | "draft" = "active") => {
  const body = { leaseId, amountCents: 500, categoryId, dayOfMonth, startDate, kind: "fee" as const, label: "Parking", status };
  return (await office.call("createRecurringCharge", { body })).recurringChargeRule.id;
};
const dueDates = async (id: string) =>
  (await office.call("getRecurringChargeForecast", { params: { id }, query: { months: 3 } })).forecast.map(({ dueDate }) => dueDate);

test("no charge with the changed terms is due before applyFrom", async () => {
  const id = await createRule(31, "2090-01-01");
  const body = { applyFrom: "2090-03-15", dayOfMonth: 1, amountCents: 900 };
  const { recurringChargeRule } = await office.call("updateRecurringCharge", { params: { id }, body });
  expect((await dueDates(recurringChargeRule.id)).filter((dueDate) => dueDate < "2090-03-15")).toEqual([]);
});

test("the first month is charged once with the previous or with the changed day, not lost", async () => {
  const id = await createRule(15, "2090-03-10");
  expect((await dueDates(id))[0]).toBe("2090-03-15");
  await office.call("updateRecurringCharge", { params: { id }, body: { dayOfMonth: 5 } });
  expect((await dueDates(id))[0]!.slice(0, 7)).toBe("2090-03");
});

test("a draft with another day is forecast with the first month that it charges once it is active", async () => {
  const id = await createRule(5, "2090-03-10", "draft");
  await office.call("updateRecurringCharge", { params: { id }, body: { dayOfMonth: 20 } });
  expect((await dueDates(id))[0]).toBe("2090-03-20");
  await office.call("activateRecurringCharge", { params: { id }, body: {} });
  expect((await dueDates(id))[0]).toBe("2090-03-20");
});

test.each(["draft", "active"] as const)("a %s charge keeps its day and its amount before applyFrom", async (status) => {
  const id = await createRule(20, "2090-05-01", status);
  const { recurringChargeRule, previousRule } = await office.call("updateRecurringCharge", {
    params: { id },
    body: { dayOfMonth: 5, amountCents: 900, applyFrom: "2090-05-10" },
  });
  expect(previousRule).toMatchObject({ amountCents: 500, dayOfMonth: 20, endDate: "2090-05-31" });
  expect([await dueDates(id), (await dueDates(recurringChargeRule.id))[0]]).toEqual([["2090-05-20"], "2090-06-05"]);
});
