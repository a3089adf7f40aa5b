import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";

test("the forecast of a lease's fee ends with the lease, as its postings do", async () => {
  const office = await anOffice();
  const { leaseId } = await aTenancy(office, { startDate: "2090-01-01", endDate: "2090-03-31" });
  const categoryId = (await accountIdsByCode(office))["4010"]!;
  const body = { leaseId, amountCents: 500, categoryId, dayOfMonth: 5, startDate: "2090-01-01", kind: "fee" as const, label: "Parking" };
  const { recurringChargeRule } = await office.call("createRecurringCharge", { body });
  const { forecast } = await office.call("getRecurringChargeForecast", { params: { id: recurringChargeRule.id }, query: { months: 12 } });
  expect(forecast.map(({ dueDate }) => dueDate)).toEqual(["2090-01-05", "2090-02-05", "2090-03-05"]);
});
