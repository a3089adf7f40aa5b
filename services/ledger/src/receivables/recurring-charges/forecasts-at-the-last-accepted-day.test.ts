/**
 * Forecasts of a recurring charge that starts at the end of the accepted years: the contract accepts dates of 1900 to 2199 and 1 to 36 months.
 * A rule that starts in November 2199 has months that can be shown: November and December 2199. Later ones lie outside of the accepted dates.
 */
import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";

test.each([2, 3, 12])("a charge on a unit from November 2199 on has a forecast of %s months", async (months) => {
  const office = await anOffice();
  const { unitId } = await aTenancy(office, { endDate: "2199-12-31" });
  const { categories } = await office.call("listCategories");
  const categoryId = categories.find(({ code }) => code === "4010")!.id;
  const body = { unitId, amountCents: 1_000, categoryId, dayOfMonth: 30, startDate: "2199-11-01", kind: "fee" as const, label: "Parking" };
  const { recurringChargeRule } = await office.call("createRecurringCharge", { body });
  const forecast = await office.attempt("getRecurringChargeForecast", { params: { id: recurringChargeRule.id }, query: { months } });
  expect(forecast.status).toBe(200);
  expect(forecast.body.forecast.slice(0, 2)).toMatchObject([{ dueDate: "2199-11-30" }, { dueDate: "2199-12-30" }]);
});
