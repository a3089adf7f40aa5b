import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../../test/support/office.ts";
import { aCharge, aTenancy } from "../../../../../../test/support/tenancy.ts";
import { closeMonth } from "../../../periods/periods.fixtures.ts";
import { aBankAccount, subLedgersOf } from "../../trust.fixtures.ts";
import { aDepositOffice, aLetter, aReceipt, aReceivedDeposit, aRefund, booksOf, depositOf, expectNoViolations } from "../security-deposits.fixtures.ts";

describe("applySecurityDeposit", () => {
  test("settles open charges from what is held and not deducted, and its void restores them", async () => {
    const deposit = await aDepositOffice();
    const { office, tenancy, id } = deposit;
    const rent = await aCharge(office, tenancy.leaseId, 100_000, "2026-02-01");
    const before = await booksOf(deposit);
    await office.call("createSecurityDepositDeduction", { params: { id }, body: { category: "cleaning", description: "Cleaning", amountCents: 70_000 } });
    const apply = (amountCents: number) =>
      office.attempt("applySecurityDeposit", { params: { id }, body: { allocations: [{ chargeId: rent, amountCents }], occurredOn: "2026-02-10" } });
    expect(await apply(80_001)).toMatchObject({ status: 400, body: { errors: [{ path: "allocations", code: "sum_exceeded" }] } });
    const { body } = await apply(80_000);
    expect(body.securityDeposit).toMatchObject({ heldCents: 70_000, transactions: [{ kind: "application", chargeId: rent, occurredOn: "2026-02-10" }] });
    expect((await office.call("getCharge", { params: { id: rent } })).charge).toMatchObject({ status: "partially_paid", balanceCents: 20_000 });
    expect(await booksOf(deposit)).toEqual({
      balances: { "1010": 150_000, "1100": 20_000, "2100": -70_000, "4000": -100_000 },
      subLedgers: [
        ["owner", 80_000],
        ["deposit", 70_000],
      ],
      totals: [150_000, 150_000, 0],
    });
    await expectNoViolations(office);
    const { credits } = await office.call("getCharge", { params: { id: rent } });
    const reverse = office.attempt("reverseCredit", { params: { id: rent, creditId: credits[0]!.id } });
    expect(await reverse).toMatchObject({ status: 409, body: { code: "resource_in_use" } });
    const transactionId = body.securityDeposit!.transactions[0]!.id;
    const undo = () => office.attempt("voidSecurityDepositTransaction", { params: { id, transactionId }, body: { reason: "wrong charge" } });
    expect(await undo()).toMatchObject({ status: 200, body: { securityDeposit: { heldCents: 150_000 } } });
    expect(await undo()).toMatchObject({ status: 409, body: { code: "invalid_transition" } });
    expect(await booksOf(deposit)).toEqual(before);
    await expectNoViolations(office);
  });
});

test("a cancelled lease takes no deposit: neither a receipt of its owner, nor a transfer from another lease", async () => {
  const { office, id } = await aDepositOffice();
  const [owned, next] = [await aTenancy(office, { startDate: "2099-01-01" }), await aTenancy(office, { startDate: "2099-01-01" })];
  const { securityDeposit } = await office.call("createSecurityDeposit", {
    body: { leaseId: owned.leaseId, requiredCents: 150_000, holder: "owner", chargeTenant: false },
  });
  for (const { leaseId } of [owned, next]) await office.call("cancelLease", { params: { id: leaseId } });
  const refusal = (path: string) => ({ status: 400, body: { errors: [{ path, code: "not_allowed" }] } });
  expect(await office.attempt("recordSecurityDepositReceipt", { params: { id: securityDeposit.id }, body: aReceipt(150_000) })).toMatchObject(
    refusal("leaseId"),
  );
  expect(await office.attempt("transferSecurityDeposit", { params: { id }, body: { toLeaseId: next.leaseId } })).toMatchObject(refusal("toLeaseId"));
  expect((await office.call("getSecurityDeposit", { params: { id: securityDeposit.id } })).securityDeposit).toMatchObject({ receivedCents: 0 });
  expect((await office.call("getSecurityDeposit", { params: { id } })).securityDeposit).toMatchObject({ heldCents: 150_000 });
});

describe("transferSecurityDeposit", () => {
  test("moves the deposit and its money to the deposit of another lease, whose charge it settles, and its void moves both back", async () => {
    const deposit = await aDepositOffice();
    const { office, tenancy, escrow, id } = deposit;
    const next = await aTenancy(office, { tenantId: tenancy.tenantId });
    const { charge } = await office.call("createCharge", {
      body: { leaseId: next.leaseId, amountCents: 180_000, dueDate: "2026-01-10", chargeType: "deposit" },
    });
    const before = await booksOf(deposit);
    const { securityDeposit } = await office.call("transferSecurityDeposit", { params: { id }, body: { toLeaseId: next.leaseId, occurredOn: "2026-02-01" } });
    expect(securityDeposit).toMatchObject({ status: "transferred", heldCents: 0, transactions: [{ kind: "transfer_out", amountCents: 150_000 }] });
    const [target] = (await office.call("listSecurityDeposits", { query: { leaseId: next.leaseId } })).securityDeposits;
    expect(target).toMatchObject({ status: "held", requiredCents: 180_000, receivedCents: 150_000, heldCents: 150_000, chargeIds: [charge.id] });
    expect((await office.call("getCharge", { params: { id: charge.id } })).charge).toMatchObject({ balanceCents: 30_000 });
    expect(await subLedgersOf(office, escrow)).toEqual({ rows: [["deposit", next.propertyId, tenancy.tenantId, 150_000]], totals: [150_000, 150_000, 0] });
    await expectNoViolations(office);
    const [transaction] = securityDeposit.transactions;
    const undo = (of: string, transactionId: string) =>
      office.attempt("voidSecurityDepositTransaction", { params: { id: of, transactionId }, body: { reason: "wrong lease" } });
    expect(await undo(target!.id, target!.transactions[0]!.id)).toMatchObject({ status: 409, body: { code: "invalid_transition" } });
    expect(await undo(id, transaction!.id)).toMatchObject({ status: 200, body: { securityDeposit: { status: "held", heldCents: 150_000 } } });
    expect(await booksOf(deposit)).toEqual(before);
    expect((await office.call("getSecurityDeposit", { params: { id: target!.id } })).securityDeposit).toMatchObject({ status: "expected", heldCents: 0 });
    await expectNoViolations(office);
  });

  test("pays the money to an owner of the property alone, and its void takes it back", async () => {
    const deposit = await aDepositOffice();
    const { office, tenancy, id } = deposit;
    const { owner } = await office.call("createOwner", { body: { fullName: "Olga Owner", email: `${tenancy.propertyId}@example.com` } });
    const before = await booksOf(deposit);
    const transfer = (body: object) => office.attempt("transferSecurityDeposit", { params: { id }, body: body as never });
    expect(await transfer({ toOwnerId: owner.id })).toMatchObject({ status: 400, body: { errors: [{ path: "toOwnerId", code: "mismatch" }] } });
    await office.call("replaceOwnership", {
      params: { id: tenancy.propertyId },
      body: { effectiveDate: "2026-01-01", shares: [{ ownerId: owner.id, shareBps: 10_000 }] },
    });
    expect(await transfer({ toOwnerId: owner.id, toLeaseId: tenancy.leaseId })).toMatchObject({
      status: 400,
      body: { errors: [{ path: "toOwnerId", code: "not_allowed" }] },
    });
    expect(await transfer({ toLeaseId: tenancy.leaseId })).toMatchObject({ status: 400, body: { errors: [{ path: "toLeaseId", code: "mismatch" }] } });
    const { body } = await transfer({ toOwnerId: owner.id, occurredOn: "2026-02-01" });
    expect(body.securityDeposit).toMatchObject({ status: "transferred", heldCents: 0, transactions: [{ kind: "owner_transfer", ownerId: owner.id }] });
    expect(await booksOf(deposit)).toEqual({ balances: {}, subLedgers: [], totals: [0, 0, 0] });
    const params = { id, transactionId: body.securityDeposit!.transactions[0]!.id };
    await office.call("voidSecurityDepositTransaction", { params, body: { reason: "not sent" } });
    expect(await booksOf(deposit)).toEqual(before);
    expect(await depositOf(deposit)).toMatchObject({ status: "held", heldCents: 150_000 });
    await expectNoViolations(office);
  });
});

describe("money of a security deposit", () => {
  test("cannot be used before it is at a bank, in a closed period, or from an account that holds too little of it", async () => {
    const office = await anOffice();
    const [tenancy, escrow, operating] = [await aTenancy(office), await aBankAccount(office, "security_deposit"), await aBankAccount(office)];
    const { securityDeposit } = await office.call("createSecurityDeposit", { body: { leaseId: tenancy.leaseId, requiredCents: 1_000, chargeTenant: false } });
    const params = { id: securityDeposit.id };
    await office.call("recordSecurityDepositReceipt", { params, body: aReceipt(400) });
    await office.call("updateSecurityDeposit", { params, body: { moveOutDate: "2026-02-20" } });
    await office.call("createSecurityDepositDeduction", { params, body: { category: "cleaning", description: "Cleaning", amountCents: 100 } });
    const finalize = (change: object = {}) => office.attempt("finalizeSecurityDeposit", { params, body: { ...aLetter, ...change } });
    expect(await finalize()).toMatchObject({ status: 409, body: { code: "insufficient_trust_funds" } });
    await office.call("recordSecurityDepositReceipt", { params, body: aReceipt(600, escrow) });
    expect(await finalize({ bankAccountId: operating })).toMatchObject({ status: 409, body: { code: "insufficient_trust_funds" } });
    await closeMonth(office, "2026-01");
    expect(await finalize({ sentAt: "2026-01-20T17:00:00.000Z" })).toMatchObject({ status: 409, body: { code: "period_closed" } });
    expect((await finalize()).status).toBe(200);
    const refund = (amountCents: number) => office.attempt("refundSecurityDeposit", { params, body: aRefund(amountCents, escrow) });
    expect(await refund(901)).toMatchObject({ status: 400, body: { errors: [{ path: "amountCents", code: "sum_exceeded" }] } });
    // The escrow account holds 600 less the deduction of 100.
    expect(await refund(501)).toMatchObject({ status: 409, body: { code: "insufficient_trust_funds" } });
    expect(await refund(500)).toMatchObject({ status: 200, body: { securityDeposit: { status: "disposed", refundPayableCents: 400 } } });
    await expectNoViolations(office);
  });

  test("keeps its payment allocated while it is used or its disposition is finalized", async () => {
    const deposit = await aDepositOffice();
    const { office, tenancy, id } = deposit;
    const rent = await aCharge(office, tenancy.leaseId, 1_000);
    const [payment] = (await office.call("listPayments", { query: { leaseId: tenancy.leaseId } })).payments;
    const { body } = await office.attempt("applySecurityDeposit", { params: { id }, body: { allocations: [{ chargeId: rent, amountCents: 1_000 }] } });
    const remove = () => office.attempt("deletePaymentAllocation", { params: { id: payment!.id, allocationId: payment!.allocations[0]!.id } });
    expect(await remove()).toMatchObject({ status: 409, body: { code: "resource_in_use" } });
    const params = { id, transactionId: body.securityDeposit!.transactions[0]!.id };
    await office.call("voidSecurityDepositTransaction", { params, body: { reason: "wrong" } });
    await office.call("updateSecurityDeposit", { params: { id }, body: { moveOutDate: "2026-02-20" } });
    await office.call("finalizeSecurityDeposit", { params: { id }, body: aLetter });
    expect(await remove()).toMatchObject({ status: 409, body: { code: "resource_in_use" } });
    await office.call("reopenSecurityDeposit", { params: { id }, body: { reason: "wrong letter" } });
    expect((await remove()).status).toBe(200);
    expect(await depositOf(deposit)).toMatchObject({ status: "expected", receivedCents: 0, heldCents: 0 });
    await expectNoViolations(office);
  });

  test("goes with the tenant to a renewal, with what was used of it", async () => {
    const office = await anOffice();
    const { propertyId, unitId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
    const { tenant } = await office.call("createTenant", { body: { fullName: "Ann Tenant" } });
    const terms = { propertyId, unitId, tenantId: tenant.id, rentCents: 100_000, createRecurringRent: false, startDate: "2026-01-01" };
    const { lease } = await office.call("createLease", { body: { ...terms, termType: "month_to_month", activate: true } });
    const escrow = await aBankAccount(office, "security_deposit");
    const id = await aReceivedDeposit(office, { leaseId: lease.id }, escrow);
    const rent = await aCharge(office, lease.id, 50_000, "2026-02-01");
    const { body } = await office.attempt("applySecurityDeposit", {
      params: { id },
      body: { allocations: [{ chargeId: rent, amountCents: 50_000 }], occurredOn: "2026-02-10" },
    });
    const renewalTerms = { startDate: "2026-06-01", endDate: "2099-12-31", termType: "fixed" as const };
    const { lease: renewal } = await office.call("renewLease", { params: { id: lease.id }, body: renewalTerms });
    // As after an expiry before the renewal is activated.
    await office.call("updateSecurityDeposit", { params: { id }, body: { moveOutDate: "2026-05-31" } });
    await office.call("activateLease", { params: { id: renewal.id }, body: {} });
    const { securityDeposit } = await office.call("getSecurityDeposit", { params: { id } });
    expect(securityDeposit).toMatchObject({ leaseId: renewal.id, heldCents: 100_000, moveOutDate: null, dispositionDueOn: null, status: "held" });
    expect((await office.call("getLease", { params: { id: renewal.id } })).lease).toMatchObject({ depositHeldCents: 100_000 });
    await expectNoViolations(office);
    const params = { id, transactionId: body.securityDeposit!.transactions[0]!.id };
    await office.call("voidSecurityDepositTransaction", { params, body: { reason: "wrong" } });
    expect((await office.call("getLease", { params: { id: renewal.id } })).lease).toMatchObject({ depositHeldCents: 150_000 });
    await expectNoViolations(office);
  });
});
