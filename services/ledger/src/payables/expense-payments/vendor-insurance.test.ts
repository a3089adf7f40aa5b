import { expect, test } from "@jest/globals";
import { eventually } from "../../../../../test/support/eventually.ts";
import { anOffice } from "../../../../../test/support/office.ts";
import { aBillPayment, aFundedProperty, anExpense } from "../payables.fixtures.ts";

const insuredUntil = (expiresOn: string) => [{ kind: "liability" as const, provider: "Mutual", policyNumber: "P-1", expiresOn }];

test("the policy for lapsed insurance warns of payments to a vendor, or refuses them, also through its expenses and on issue", async () => {
  const office = await anOffice();
  const { propertyId, bankAccountId } = await aFundedProperty(office, 100_000);
  const { vendor } = await office.call("createVendor", { body: { name: "Vera", insurances: insuredUntil("2026-01-19") } });
  const bill = await anExpense(office, propertyId, 10_000, { vendorId: vendor.id });
  const settle = [{ expenseId: bill.id, amountCents: 100 }];
  const pay = (change: object = {}, allocations = settle) =>
    office.attempt("recordExpensePayment", { body: aBillPayment(bankAccountId, 100, allocations, { vendorId: vendor.id, ...change }) });
  const setPolicy = (vendorInsurance: "warn" | "block") => office.call("updateOrganization", { body: { policies: { vendorInsurance } } });
  const sentence = "The liability insurance of Vera expired on 2026-01-19.";
  expect((await pay()).body.warnings).toEqual([]);

  await setPolicy("warn");
  await eventually("warning", async () => (await pay()).body.warnings.length > 0);
  expect((await pay({ vendorId: null })).body.warnings).toEqual([sentence]);
  expect((await pay({ paidAt: "2026-01-19T17:00:00.000Z" })).body.warnings).toEqual([]);
  const pending = (await pay({ status: "pending" })).body.expensePayment;
  const headers = { "Idempotency-Key": "rent of the ladder" };
  const repeat = () => office.attempt("recordExpensePayment", { body: aBillPayment(bankAccountId, 100, settle, { vendorId: vendor.id }), headers });
  const first = await repeat();

  await setPolicy("block");
  const refused = await eventually("refusal", async () => {
    const response = await pay();
    return response.status === 409 && response;
  });
  expect([refused.body.code, refused.body.errors]).toMatchObject(["invalid_transition", [{ path: "vendorId", code: "not_allowed" }]]);
  expect(refused.body.message).toContain("2026-01-19");
  expect((await pay({ vendorId: null })).body.errors).toMatchObject([{ path: "allocations.0.expenseId", code: "not_allowed" }]);
  expect((await repeat()).text).toBe(first.text);
  const issue = () => office.attempt("issueExpensePayment", { params: { id: pending.id } });
  expect((await issue()).status).toBe(409);
  await office.call("updateVendor", { params: { id: vendor.id }, body: { insurances: insuredUntil("2199-12-31") } });
  expect([(await issue()).status, (await pay()).status]).toEqual([200, 200]);
});
