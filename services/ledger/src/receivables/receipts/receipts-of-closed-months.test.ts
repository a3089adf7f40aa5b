import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { closeMonth } from "../../periods/periods.fixtures.ts";

test("the receipt of money that was received in a closed month names the day on which the tenant paid", async () => {
  const office = await anOffice();
  const tenancy = await aTenancy(office);
  await aCharge(office, tenancy.leaseId, 100_000, "2026-03-01");
  await closeMonth(office, "2026-03");
  const { payment } = await office.call("recordPayment", { body: { ...aPayment(tenancy, 100_000), receivedAt: "2026-03-28T17:00:00.000Z" } });
  const { receipt } = await office.call("getPaymentReceipt", { params: { id: payment.id } });
  expect([receipt.receivedOn, receipt.number.slice(0, 10)]).toEqual(["2026-03-28", "R-20260328"]);
});
