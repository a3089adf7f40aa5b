/**
 * Deposits whose payments add up to more than the largest amount: 2 payments of 2^53 - 1 cents are 18,014,398,509,481,982 cents. The deposit
 * is refused with a reason, as journal entries of that size are ("The lines add up to more than the largest supported amount"), or made;
 * it does not end in an internal error. Contract 1.5: 500 `internal` is for faults of the service; a field out of its range is a 400.
 */
import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";

const LARGEST_CENTS = Number.MAX_SAFE_INTEGER;

async function depositOf(count: number): Promise<number> {
  const office = await anOffice();
  const payer = await aTenancy(office);
  const { categories } = await office.call("listCategories");
  const bankAccountId = categories.find(({ code }) => code === "1000")!.id;
  const paymentIds: string[] = [];
  for (let payment = 0; payment < count; payment++) paymentIds.push((await office.call("recordPayment", { body: aPayment(payer, LARGEST_CENTS) })).payment.id);
  return (await office.attempt("createDeposit", { body: { bankAccountId, depositedOn: "2026-02-02", paymentIds } })).status;
}

test("control: a payment of the largest amount is deposited", async () => {
  expect(await depositOf(1)).toBe(200);
});

test("two payments of the largest amount are deposited, or refused with a reason", async () => {
  expect([200, 400]).toContain(await depositOf(2));
});
