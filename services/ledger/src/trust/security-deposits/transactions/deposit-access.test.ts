/** Security deposits of merged tenants, of other organizations and for other roles. */
import { expect, test } from "@jest/globals";
import { waitForIdleJobs } from "../../../../../../test/support/jobs.ts";
import { aCharge, aPayment } from "../../../../../../test/support/tenancy.ts";
import { aDepositOffice, aLetter, aReceipt, aRefund, booksOf } from "../security-deposits.fixtures.ts";

test("the deposit of a tenant who was merged into another is refunded once", async () => {
  const deposit = await aDepositOffice();
  const { office, tenancy, escrow, id } = deposit;
  const { tenant } = await office.call("createTenant", { body: { fullName: "Tess T" } });
  await office.call("mergeTenants", { params: { id: tenant.id }, body: { duplicateTenantId: tenancy.tenantId } });
  for (const service of ["portfolio", "ledger"] as const) await waitForIdleJobs(service, office);
  await office.call("updateSecurityDeposit", { params: { id }, body: { moveOutDate: "2026-02-20" } });
  await office.call("finalizeSecurityDeposit", { params: { id }, body: aLetter });
  const refund = async () => (await office.attempt("refundSecurityDeposit", { params: { id }, body: aRefund(150_000, escrow) })).status;
  expect([await refund(), await refund()]).toEqual([200, 409]);
  expect((await booksOf(deposit)).totals).toEqual([0, 0, 0]);
});

test("records of another organization are unknown in each member of a request", async () => {
  const [{ office, id }, foreign] = [await aDepositOffice(), await aDepositOffice()];
  const charge = await aCharge(foreign.office, foreign.tenancy.leaseId, 1_000);
  const { payment } = await foreign.office.call("recordPayment", { body: aPayment(foreign.tenancy, 1_000) });
  const { owner } = await foreign.office.call("createOwner", { body: { fullName: "Olga Owner", email: `${id}@example.com` } });
  const params = { id };
  const deduction = { category: "rent" as const, description: "Rent", amountCents: 1, chargeId: charge };
  const unknown = [
    await office.attempt("createSecurityDeposit", { body: { leaseId: foreign.tenancy.leaseId, requiredCents: 1 } }),
    await office.attempt("updateSecurityDeposit", { params, body: { bankAccountId: foreign.escrow } }),
    await office.attempt("recordSecurityDepositReceipt", { params, body: { paymentId: payment.id } }),
    await office.attempt("recordSecurityDepositReceipt", { params, body: aReceipt(1, foreign.escrow) }),
    await office.attempt("createSecurityDepositDeduction", { params, body: deduction }),
    await office.attempt("applySecurityDeposit", { params, body: { allocations: [{ chargeId: charge, amountCents: 1 }] } }),
    await office.attempt("transferSecurityDeposit", { params, body: { toLeaseId: foreign.tenancy.leaseId } }),
    await office.attempt("transferSecurityDeposit", { params, body: { toOwnerId: owner.id } }),
  ];
  for (const { status, body } of unknown) expect({ status, errors: body.errors }).toMatchObject({ status: 400, errors: [{ code: "not_found" }] });
  expect((await office.attempt("getSecurityDeposit", { params: { id: foreign.id } })).status).toBe(404);
});

test("the staff reads deposits, and refunds none; a tenant does neither by these operations", async () => {
  const { office, tenancy, escrow, id } = await aDepositOffice();
  const users = [await office.colleague("staff"), await office.tenantUser(tenancy.tenantId)];
  const statuses = [];
  for (const user of users) {
    statuses.push((await user.attempt("getSecurityDeposit", { params: { id } })).status);
    statuses.push((await user.attempt("refundSecurityDeposit", { params: { id }, body: aRefund(1, escrow) })).status);
  }
  expect(statuses).toEqual([200, 403, 403, 403]);
});
