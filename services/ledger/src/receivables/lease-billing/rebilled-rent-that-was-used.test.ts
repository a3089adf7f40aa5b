/** Rent whose lease ends earlier after the owners have used its money. */
import { expect, test } from "@jest/globals";
import { addDays } from "@freehold/kit/time/plain-date";
import { randomUUID } from "node:crypto";
import { eventually } from "../../../../../test/support/eventually.ts";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { raisedKeys } from "../../../test/ledger.fixtures.ts";
import { aBillPayment, anExpense } from "../../payables/payables.fixtures.ts";
import { aBankAccount, subLedgersOf } from "../../trust/trust.fixtures.ts";

test("rent that a termination makes prepaid after it was spent raises the diagnostic of the owners' money at once", async () => {
  const office = await anOffice();
  const [lastMonth, month] = ["2026-01-01", "2026-02-01"];
  const { propertyId, tenantId, leaseId } = await aTenancy(office, { startDate: lastMonth, createRecurringRent: true });
  const bankAccountId = await aBankAccount(office);
  await office.call("postDueCharges", { body: { throughDate: month, propertyId } });
  const receivedAt = `${month}T05:00:00.000Z`;
  const receipt = { paymentMethod: "check" as const, receivedAt, idempotencyKey: randomUUID(), autoAllocate: true };
  const { payment } = await office.call("recordPayment", { body: { tenantId, leaseId, amountCents: 200_000, ...receipt } });
  expect(payment.unallocatedCents).toBe(0);
  await office.call("createDeposit", { body: { bankAccountId, depositedOn: month, paymentIds: [payment.id] } });
  const { id } = await anExpense(office, propertyId, 200_000, { incurredOn: month });
  const allocations = [{ expenseId: id, amountCents: 200_000 }];
  await office.call("recordExpensePayment", { body: aBillPayment(bankAccountId, 200_000, allocations, { paidAt: receivedAt }) });
  await office.call("terminateLease", { params: { id: leaseId }, body: { terminationDate: addDays(month, -1) } });
  const owners = async () => (await subLedgersOf(office, bankAccountId)).rows;
  await eventually("prepaid rent", async () => (await owners()).some(([kind, , , cents]) => kind === "prepaid" && cents === 100_000));
  expect(await owners()).toContainEqual(["owner", propertyId, null, -100_000]);
  await eventually("the diagnostic", async () => (await raisedKeys(office)).includes("negative_owner_ledger"));
});
