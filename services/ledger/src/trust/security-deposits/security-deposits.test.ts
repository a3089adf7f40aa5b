import { describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { anOffice } from "../../../../../test/support/office.ts";
import { aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { recordEvents, todayInOffice } from "../../../test/ledger.fixtures.ts";
import { aBankAccount } from "../trust.fixtures.ts";
import { aDepositOffice, aLetter, aReceipt, aRefund, booksOf, depositOf, expectNoViolations } from "./security-deposits.fixtures.ts";

const moveOut = { moveOutDate: "2026-02-20" };

describe("a security deposit of 1,500.00 with cleaning of 120.00 and damage of 300.00", () => {
  test("leaves 1,080.00 to refund, and every step and its undo keep the books exact to the cent", async () => {
    const deposit = await aDepositOffice();
    const { office, tenancy, escrow, id } = deposit;
    const params = { id };
    const { charge } = await office.call("createCharge", {
      body: { leaseId: tenancy.leaseId, amountCents: 30_000, dueDate: "2026-02-25", chargeType: "damage", name: "Broken window" },
    });
    const received = {
      balances: { "1010": 150_000, "1100": 30_000, "2100": -150_000, "4090": -30_000 },
      subLedgers: [["deposit", 150_000]],
      totals: [150_000, 150_000, 0],
    };
    expect(await booksOf(deposit)).toEqual(received);
    expect(await depositOf(deposit)).toMatchObject({ status: "held", receivedCents: 150_000, heldCents: 150_000, refundPayableCents: 150_000 });

    await office.call("updateSecurityDeposit", { params, body: moveOut });
    const deduct = (category: "cleaning" | "damage", amountCents: number, chargeId?: string) =>
      office.call("createSecurityDepositDeduction", { params, body: { category, description: `The ${category}`, amountCents, ...(chargeId && { chargeId }) } });
    await deduct("cleaning", 12_000);
    await deduct("damage", 30_000, charge.id);
    expect(await depositOf(deposit)).toMatchObject({ status: "disposition_due", deductionsCents: 42_000, heldCents: 150_000, refundPayableCents: 108_000 });
    expect(await booksOf(deposit)).toEqual(received);

    await office.call("finalizeSecurityDeposit", { params, body: aLetter });
    const finalized = {
      balances: { "1010": 150_000, "2100": -108_000, "4050": -12_000, "4090": -30_000 },
      subLedgers: [
        ["owner", 42_000],
        ["deposit", 108_000],
      ],
      totals: [150_000, 150_000, 0],
    };
    expect(await booksOf(deposit)).toEqual(finalized);
    expect(await depositOf(deposit)).toMatchObject({
      status: "disposed",
      heldCents: 108_000,
      refundPayableCents: 108_000,
      disposition: { sentAt: aLetter.sentAt, method: "mail", documentId: null },
      forwardingAddress: aLetter.forwardingAddress,
    });
    expect((await office.call("getCharge", { params: { id: charge.id } })).charge).toMatchObject({ status: "paid", creditedCents: 30_000, balanceCents: 0 });
    const cash = await office.call("getTrialBalance", { query: { asOf: "2199-12-31", basis: "cash" } });
    expect(Object.fromEntries(cash.trialBalance.rows.filter((row) => row.closingCents !== 0).map((row) => [row.accountCode, row.closingCents]))).toEqual({
      "1010": 150_000,
      "2100": -108_000,
      "4050": -12_000,
      "4090": -30_000,
    });
    await expectNoViolations(office);

    const { securityDeposit } = await office.call("refundSecurityDeposit", {
      params,
      body: { ...aRefund(108_000, escrow), referenceNumber: "1042", payees: ["Tess Tenant"] },
    });
    expect(securityDeposit).toMatchObject({ status: "refunded", refundedCents: 108_000, heldCents: 0, refundPayableCents: 0 });
    const [refund] = securityDeposit.transactions;
    expect(refund).toMatchObject({
      kind: "refund",
      amountCents: 108_000,
      occurredOn: "2026-03-05",
      bankAccountId: escrow,
      referenceNumber: "1042",
      payees: ["Tess Tenant"],
    });
    expect(await booksOf(deposit)).toEqual({
      balances: { "1010": 42_000, "4050": -12_000, "4090": -30_000 },
      subLedgers: [["owner", 42_000]],
      totals: [42_000, 42_000, 0],
    });
    await expectNoViolations(office);

    const reopen = () => office.attempt("reopenSecurityDeposit", { params, body: { reason: "wrong amount" } });
    expect(await reopen()).toMatchObject({ status: 409, body: { code: "resource_in_use" } });
    await office.call("voidSecurityDepositTransaction", { params: { id, transactionId: refund!.id }, body: { reason: "check lost" } });
    expect(await booksOf(deposit)).toEqual(finalized);
    expect(await depositOf(deposit)).toMatchObject({ status: "disposed", refundedCents: 0, heldCents: 108_000 });
    expect(await reopen()).toMatchObject({ status: 200 });
    expect(await booksOf(deposit)).toEqual(received);
    expect(await depositOf(deposit)).toMatchObject({ status: "disposition_due", deductionsCents: 42_000, heldCents: 150_000, disposition: null });
    expect((await office.call("getCharge", { params: { id: charge.id } })).charge).toMatchObject({ status: "pending", balanceCents: 30_000 });
    await expectNoViolations(office);
  });

  test("is forfeited when nothing is left to refund", async () => {
    const deposit = await aDepositOffice();
    const { office, escrow, id } = deposit;
    const params = { id };
    await office.call("updateSecurityDeposit", { params, body: moveOut });
    await office.call("createSecurityDepositDeduction", { params, body: { category: "other", description: "Lease broken", amountCents: 150_000 } });
    const { securityDeposit } = await office.call("finalizeSecurityDeposit", { params, body: aLetter });
    expect(securityDeposit).toMatchObject({ status: "forfeited", heldCents: 0, refundPayableCents: 0 });
    expect(await office.attempt("refundSecurityDeposit", { params, body: aRefund(1, escrow) })).toMatchObject({
      status: 409,
      body: { code: "invalid_transition" },
    });
    expect((await booksOf(deposit)).balances).toEqual({ "1010": 150_000, "4050": -150_000 });
  });
});

describe("createSecurityDeposit", () => {
  test("charges the tenant today, once for a tenancy, and replays a repeated key", async () => {
    const office = await anOffice();
    const { leaseId, tenantId, propertyId, unitId } = await aTenancy(office);
    const body = { leaseId, requiredCents: 90_000 };
    const headers = { "Idempotency-Key": randomUUID() };
    const { securityDeposit } = await office.call("createSecurityDeposit", { body, headers });
    expect(securityDeposit).toMatchObject({
      leaseId,
      tenantId,
      propertyId,
      unitId,
      status: "expected",
      holder: "organization",
      requiredCents: 90_000,
      heldCents: 0,
    });
    const { charge } = await office.call("getCharge", { params: { id: securityDeposit.chargeIds[0]! } });
    expect(charge).toMatchObject({ chargeType: "deposit", amountCents: 90_000, dueDate: todayInOffice() });
    expect((await office.call("createSecurityDeposit", { body, headers })).securityDeposit.id).toBe(securityDeposit.id);
    expect(await office.attempt("createSecurityDeposit", { body })).toMatchObject({ status: 409, body: { code: "duplicate" } });
  });

  test("is done by the first charge of type deposit, and later ones raise the required amount", async () => {
    const office = await anOffice();
    const { leaseId } = await aTenancy(office);
    const charge = (amountCents: number) => office.call("createCharge", { body: { leaseId, amountCents, dueDate: "2026-01-01", chargeType: "deposit" } });
    const [first, second] = [(await charge(1_000)).charge, (await charge(200)).charge];
    const { securityDeposits } = await office.call("listSecurityDeposits", { query: { leaseId } });
    expect(securityDeposits).toMatchObject([{ requiredCents: 1_200, status: "expected", chargeIds: [first.id, second.id].sort() }]);
    await expectNoViolations(office);
  });
});

describe("recordSecurityDepositReceipt", () => {
  test("allocates credit of a payment, charges what is not charged yet, and takes no more than the deposit lacks", async () => {
    const office = await anOffice();
    const tenancy = await aTenancy(office);
    const { securityDeposit } = await office.call("createSecurityDeposit", { body: { leaseId: tenancy.leaseId, requiredCents: 1_000, chargeTenant: false } });
    const params = { id: securityDeposit.id };
    const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 700) });
    const receive = (body: object) => office.attempt("recordSecurityDepositReceipt", { params, body: body as never });
    expect(await receive({ paymentId: payment.id })).toMatchObject({
      status: 200,
      body: { securityDeposit: { status: "held", receivedCents: 700, heldCents: 700 } },
    });
    expect(await receive({ paymentId: payment.id })).toMatchObject({ status: 409, body: { code: "already_allocated" } });
    expect(await receive(aReceipt(301))).toMatchObject({ status: 400, body: { errors: [{ path: "amountCents", code: "sum_exceeded" }] } });
    expect(await receive({ ...aReceipt(300), paymentId: payment.id })).toMatchObject({
      status: 400,
      body: { errors: [{ path: "paymentMethod", code: "not_allowed" }] },
    });
    expect(await receive(aReceipt(300))).toMatchObject({ status: 200, body: { securityDeposit: { receivedCents: 1_000 } } });
    expect(await receive({})).toMatchObject({ status: 400 });
    await expectNoViolations(office);
  });

  test("of a deposit that the owner holds settles its charge without money of the organization", async () => {
    const office = await anOffice();
    const [tenancy, escrow] = [await aTenancy(office), await aBankAccount(office, "security_deposit")];
    const { securityDeposit } = await office.call("createSecurityDeposit", { body: { leaseId: tenancy.leaseId, requiredCents: 1_000, holder: "owner" } });
    const deposit = { office, tenancy, escrow, id: securityDeposit.id };
    const params = { id: deposit.id };
    await office.call("recordSecurityDepositReceipt", { params, body: aReceipt(1_000) });
    expect(await depositOf(deposit)).toMatchObject({
      status: "held",
      receivedCents: 1_000,
      heldCents: 1_000,
      transactions: [{ kind: "receipt", journalEntryId: null }],
    });
    expect(await booksOf(deposit)).toEqual({ balances: {}, subLedgers: [], totals: [0, 0, 0] });
    await office.call("updateSecurityDeposit", { params, body: moveOut });
    await office.call("createSecurityDepositDeduction", { params, body: { category: "cleaning", description: "Cleaning", amountCents: 100 } });
    await office.call("finalizeSecurityDeposit", { params, body: aLetter });
    await office.call("refundSecurityDeposit", { params, body: aRefund(900, escrow) });
    expect(await depositOf(deposit)).toMatchObject({ status: "refunded", heldCents: 0, refundedCents: 900 });
    expect(await booksOf(deposit)).toEqual({ balances: {}, subLedgers: [], totals: [0, 0, 0] });
    await expectNoViolations(office);
  });
});

describe("deductions", () => {
  test("never exceed what is held, settle open charges of the tenancy only, and are deleted while they are drafts", async () => {
    const deposit = await aDepositOffice();
    const { office, id } = deposit;
    const params = { id };
    const other = await aTenancy(office);
    const { charge } = await office.call("createCharge", { body: { leaseId: other.leaseId, amountCents: 100, dueDate: "2026-01-01", chargeType: "damage" } });
    const add = (amountCents: number, chargeId?: string) =>
      office.attempt("createSecurityDepositDeduction", {
        params,
        body: { category: "damage", description: "Damage", amountCents, ...(chargeId && { chargeId }) },
      });
    expect(await add(150_001)).toMatchObject({ status: 400, body: { errors: [{ path: "amountCents", code: "sum_exceeded" }] } });
    expect(await add(100, charge.id)).toMatchObject({ status: 400, body: { errors: [{ path: "chargeId", code: "mismatch" }] } });
    expect((await add(150_000)).status).toBe(200);
    expect(await add(1)).toMatchObject({ status: 400, body: { errors: [{ code: "sum_exceeded" }] } });
    const [deduction] = (await depositOf(deposit)).deductions;
    const remove = () => office.attempt("deleteSecurityDepositDeduction", { params: { id, deductionId: deduction!.id } });
    expect(await remove()).toMatchObject({ status: 200, body: { securityDeposit: { deductions: [], deductionsCents: 0 } } });
    expect(await remove()).toMatchObject({ status: 404 });
    expect(await office.attempt("finalizeSecurityDeposit", { params, body: aLetter })).toMatchObject({ status: 409, body: { code: "invalid_transition" } });
  });
});

describe("events of a security deposit", () => {
  test("tell the office of each change, and the tenant of the money", async () => {
    const deposit = await aDepositOffice();
    const { office, tenancy, id } = deposit;
    const events = await recordEvents(office);
    const params = { id };
    await office.call("updateSecurityDeposit", { params, body: moveOut });
    await office.call("finalizeSecurityDeposit", { params, body: aLetter });
    expect(await events.waitForEvent("security_deposit.finalized", id)).toMatchObject({
      data: { leaseId: tenancy.leaseId },
      audience: { tenantIds: [tenancy.tenantId] },
    });
    expect((await events.waitForEvent("security_deposit.updated", id)).audience?.tenantIds ?? []).toEqual([]);
    await events.close();
  });
});

describe("the security deposit of a lease that has not started", () => {
  /** Returns a draft lease and the property, unit and tenant of another lease. Both units are vacant. */
  async function aDraftAndOtherTerms() {
    const office = await anOffice();
    const past = { startDate: "2024-01-01", endDate: "2024-01-31" };
    const [{ leaseId: _, ...premises }, { leaseId: __, ...others }] = [await aTenancy(office, past), await aTenancy(office, past)];
    const terms = { ...premises, tenantId: (await office.call("createTenant", { body: { fullName: "Ann Tenant" } })).tenant.id };
    const { lease } = await office.call("createLease", {
      body: { ...terms, startDate: "2026-01-01", termType: "month_to_month", rentCents: 0, createRecurringRent: false },
    });
    const change = (body: object) => office.attempt("updateLease", { params: { id: lease.id }, body });
    return { office, leaseId: lease.id, terms, others, change };
  }

  test("follows its tenant once the charge of the former one is voided, so that what the new one pays is the new one's", async () => {
    const { office, leaseId, terms, others, change } = await aDraftAndOtherTerms();
    const charge = async () =>
      (await office.call("createCharge", { body: { leaseId, chargeType: "deposit", amountCents: 100_000, dueDate: "2026-01-01" } })).charge.id;
    const depositsOf = async ({ tenantId }: { tenantId: string }) =>
      (await office.call("listSecurityDeposits", { query: { tenantId } })).securityDeposits.map(({ heldCents }) => heldCents);
    const formerChargeId = await charge();
    expect(await depositsOf(terms)).toEqual([0]);
    expect((await change({ tenantId: others.tenantId })).body.code).toBe("resource_in_use");
    await office.call("voidCharge", { params: { id: formerChargeId }, body: { reason: "Withdrawn" } });
    expect((await change({ tenantId: others.tenantId })).status).toBe(200);
    const chargeId = await charge();
    const body = { ...aPayment({ tenantId: others.tenantId, leaseId }, 100_000), allocations: [{ chargeId, amountCents: 100_000 }] };
    await office.call("recordPayment", { body });
    expect([await depositsOf(terms), await depositsOf(others)]).toEqual([[], [100_000]]);
    expect((await office.attempt("deleteTenant", { params: { id: terms.tenantId } })).status).toBe(200);
    await expectNoViolations(office);
  });

  test("follows its property and unit, so that it can be refunded where it was received", async () => {
    const { office, leaseId, others, change } = await aDraftAndOtherTerms();
    const escrow = await aBankAccount(office, "security_deposit");
    const { securityDeposit } = await office.call("createSecurityDeposit", { body: { leaseId, requiredCents: 150_000, chargeTenant: false } });
    const params = { id: securityDeposit.id };
    expect((await change(others)).status).toBe(200);
    await office.call("activateLease", { params: { id: leaseId }, body: {} });
    await office.call("recordSecurityDepositReceipt", { params, body: aReceipt(150_000, escrow) });
    expect((await office.call("getSecurityDeposit", { params })).securityDeposit).toMatchObject(others);
    await office.call("updateSecurityDeposit", { params, body: moveOut });
    await office.call("finalizeSecurityDeposit", { params, body: aLetter });
    await office.call("refundSecurityDeposit", { params, body: aRefund(150_000, escrow) });
    await expectNoViolations(office);
  });

  test("keeps the lease with its tenant, property and unit while it has a receipt of the owner, until this is voided", async () => {
    const { office, leaseId, others, change } = await aDraftAndOtherTerms();
    const end = async (id: "deleteLease" | "cancelLease") => (await office.attempt(id, { params: { id: leaseId } })).status;
    const terms = { leaseId, requiredCents: 150_000, chargeTenant: false, holder: "owner" as const };
    const params = { id: (await office.call("createSecurityDeposit", { body: terms })).securityDeposit.id };
    const { securityDeposit } = await office.call("recordSecurityDepositReceipt", { params, body: aReceipt(150_000) });
    const { status, body } = await change(others);
    expect([status, body.code]).toEqual([409, "resource_in_use"]);
    expect(body.message).toContain(params.id);
    expect([await end("deleteLease"), await end("cancelLease")]).toEqual([409, 409]);
    const transactionId = securityDeposit.transactions[0]!.id;
    await office.call("voidSecurityDepositTransaction", { params: { ...params, transactionId }, body: { reason: "Not received" } });
    expect((await change(others)).status).toBe(200);
    expect((await office.call("getSecurityDeposit", { params })).securityDeposit).toMatchObject({ ...others, heldCents: 0 });
    expect(await end("deleteLease")).toBe(200);
  });
});
