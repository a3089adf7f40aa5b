/**
 * Reasons for voiding a refund: the memo of the reversal is "Refund voided: " (15 code units) with the reason, cut to 500. A reason of
 * 484 letters and an emoji, 486 units, is within the 500 that the contract accepts, and its emoji is cut in half at unit 485.
 */
import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";

test.each([
  ["control: letters", "a".repeat(486)],
  ["an emoji where the memo ends", `${"a".repeat(484)}🏠`],
])("a refund is voided for a long reason: %s", async (_name, reason) => {
  const office = await anOffice();
  const payer = await aTenancy(office);
  const { categories } = await office.call("listCategories");
  const bankAccountId = categories.find(({ code }) => code === "1000")!.id;
  const { payment } = await office.call("recordPayment", { body: aPayment(payer, 1_000) });
  const { refund } = await office.call("refundPayment", { params: { id: payment.id }, body: { amountCents: 400, method: "check", bankAccountId } });
  const voided = await office.attempt("voidRefund", { params: { id: payment.id, refundId: refund.id }, body: { reason } });
  expect(voided.status).toBe(200);
  // 1,000 received, 400 refunded and voided again: 1,000 are credit.
  expect(voided.body.payment.unallocatedCents).toBe(1_000);
});
