/** Commands of random histories on payments and their allocations. */
import { expect } from "@jest/globals";
import type { payments } from "@freehold/contract/ledger/payments";
import type { Output } from "@freehold/contract/operation";
import { randomUUID } from "node:crypto";
import { aPayment } from "../../../../test/support/tenancy.ts";
import { attemptExpecting, expectedOutcome, DAY_AFTER_LAST_DATE, randomDate, type Command, type CommandContext } from "./command-context.ts";
import { laterDate, openCents, statusOf } from "./ledger.model.ts";
import { todayInOffice } from "../ledger.fixtures.ts";

/** Returns allocations to one to three charges, of their balance, less or more; a few are to a charge of another lease or organization. */
function randomAllocations({ model, models, random, foreign }: CommandContext): { chargeId: string; amountCents: number }[] {
  const charges = new Set(Array.from({ length: random.integer(3) }, () => random.pick(model.charges.values())).filter((charge) => charge !== undefined));
  const allocations = [...charges].map((charge) => {
    const open = openCents(charge);
    return { chargeId: charge.id, amountCents: Math.max(1, random.pick([open, Math.ceil(open / 2), open, open + 1, open])!) };
  });
  const invalidChargeId = random.chance(0.03)
    ? foreign.chargeId
    : random.chance(0.03)
      ? random.pick(models.find((other) => other !== model)?.charges.keys() ?? [])
      : undefined;
  return invalidChargeId ? [...allocations, { chargeId: invalidChargeId, amountCents: 1 }] : allocations;
}

/**
 * Returns the body of a payment with the day of its receipt and the leases whose charges it can settle. The tenant or the co-tenant
 * pays; a quarter of the payments name no lease.
 */
function aRandomPayment({ random, tenancy: { leaseId, otherLeaseId, tenantId, coTenantId } }: CommandContext, amountCents: number) {
  const receivedOn = randomDate(random);
  const payerId = random.pick([tenantId, tenantId, coTenantId])!;
  const leasesOfPayer = payerId === tenantId ? [leaseId, otherLeaseId] : [leaseId];
  const named = random.chance(0.25) ? undefined : random.pick([leaseId, ...leasesOfPayer]);
  const payment = { ...aPayment({ tenantId: payerId, leaseId }, amountCents), leaseId: named, receivedAt: `${receivedOn}T15:00:00.000Z` };
  return { receivedOn, payment, namesLease: named !== undefined, leaseIds: named ? [named] : leasesOfPayer };
}

export const recordPayment: Command = async (context) => {
  const { office, foreign, model, random } = context;
  const isForeign = random.chance(0.03);
  const allocations = isForeign ? [] : randomAllocations(context);
  const allocatedCents = allocations.reduce((sum, { amountCents }) => sum + amountCents, 0);
  const amountCents = Math.max(1, random.pick([allocatedCents, allocatedCents + random.integer(100), allocatedCents, allocatedCents - 1])!);
  const { payment, ...terms } = aRandomPayment(context, amountCents);
  const isAllowed = !isForeign && model.canAllocate(terms.leaseIds, amountCents, allocations);
  const { tenantId, leaseId } = isForeign ? foreign.tenancy : payment;
  const body = { ...payment, tenantId, leaseId, allocations };
  const first = await attemptExpecting(context, isAllowed, () => office.attempt("recordPayment", { body }));
  if (isAllowed) model.pay({ id: first.body.payment.id, amountCents, ...terms }, allocations);
  // A repeated request replays the response, and another body with the same key is refused. A refused request does not use its key.
  if (random.chance(0.2)) {
    const repeated = await office.attempt("recordPayment", { body });
    expect([repeated.status, isAllowed ? repeated.text : ""]).toEqual([first.status, isAllowed ? first.text : ""]);
    const changed = await office.attempt("recordPayment", {
      body: { ...body, amountCents: amountCents + 1, ...(!isAllowed && { allocations: [{ chargeId: randomUUID(), amountCents: 1 }] }) },
    });
    expect([changed.status, isAllowed ? changed.body.code : ""]).toEqual(isAllowed ? [409, "idempotency_key_reused"] : [400, ""]);
  }
  return expectedOutcome(isAllowed);
};

export const recordPaymentWithAutoAllocate: Command = async (context) => {
  const { office, model, random } = context;
  const amountCents = random.integer(800);
  const { payment: body, ...terms } = aRandomPayment(context, amountCents);
  const open = model.openCentsOf(terms.leaseIds);
  const { payment } = await office.call("recordPayment", { body: { ...body, autoAllocate: true } });
  const allocations = payment.allocations.map(({ chargeId, amountCents: cents }) => ({ chargeId, amountCents: cents }));
  expect([model.canAllocate(terms.leaseIds, amountCents, allocations), payment.unallocatedCents]).toEqual([true, Math.max(0, amountCents - open)]);
  model.pay({ id: payment.id, amountCents, ...terms }, allocations);
  return "accepted";
};

export const allocatePayment: Command = async (context) => {
  const { office, model, random } = context;
  const payment = random.pick(model.payments.values());
  const [allocation] = payment ? randomAllocations(context).toReversed() : [];
  if (!payment || !allocation) return undefined;
  const { chargeId } = allocation;
  const amountCents = random.chance(0.7) ? Math.max(1, Math.min(allocation.amountCents, payment.unallocatedCents)) : allocation.amountCents;
  const isAllowed = statusOf(payment) === "received" && model.canAllocate(payment.leaseIds, payment.unallocatedCents, [{ chargeId, amountCents }]);
  await attemptExpecting(context, isAllowed, () =>
    office.attempt("allocatePayment", { params: { id: payment.id }, body: { allocations: [{ chargeId, amountCents }] } }),
  );
  if (isAllowed) model.allocate(payment.id, [{ chargeId, amountCents }]);
  return expectedOutcome(isAllowed);
};

export const autoAllocatePayment: Command = async (context) => {
  const { office, model, random } = context;
  const payment = random.pick(model.payments.values());
  if (!payment) return undefined;
  const before = payment.unallocatedCents;
  const request = { params: { id: payment.id }, body: { dryRun: random.chance(0.3) } };
  const isAllowed = statusOf(payment) === "received";
  const { body } = await attemptExpecting(context, isAllowed, () => office.attempt("autoAllocatePayment", request));
  if (!isAllowed) return "refused";
  const allocatedCents = body.allocations.reduce((sum, { amountCents }) => sum + amountCents, 0);
  const open = model.openCentsOf(payment.leaseIds);
  expect([model.canAllocate(payment.leaseIds, before, body.allocations), allocatedCents]).toEqual([true, Math.min(before, open)]);
  if (!request.body.dryRun) model.allocate(payment.id, body.allocations);
  return "accepted";
};

/** Removes an allocation, or attempts to remove one of a reversed payment. */
export const deletePaymentAllocation: Command = async (context) => {
  const { office, model, random } = context;
  const payment = random.pick([...model.payments.values()].filter(({ allocations }) => allocations.length > 0));
  const allocation = payment && random.pick(payment.allocations);
  if (!allocation) return undefined;
  const ofCharge = <A extends { chargeId: string }>(allocations: readonly A[]) => allocations.filter(({ chargeId }) => chargeId === allocation.chargeId);
  const { allocations } = (await office.call("getPayment", { params: { id: payment.id } })).payment;
  // Both lists are in the order in which the charge was paid.
  const { id } = ofCharge(allocations)[ofCharge(payment.allocations).indexOf(allocation)]!;
  const isKnown = random.chance(0.9);
  const params = { id: payment.id, allocationId: isKnown ? id : randomUUID() };
  await attemptExpecting(context, isKnown, () => office.attempt("deletePaymentAllocation", { params }));
  if (isKnown) model.removeAllocation(payment.id, allocation, todayInOffice());
  return expectedOutcome(isKnown);
};

type Charges = Output<typeof payments.operations.reversePayment>["charges"];

/** Reverses a payment, in some cases with an NSF fee for the tenant or with a fee of the bank. */
export const reversePayment: Command = async (context) => {
  const { office, model, random } = context;
  const payment = random.pick(model.payments.values());
  if (!payment) return undefined;
  const date = random.pick([payment.receivedOn, DAY_AFTER_LAST_DATE])!;
  const isAfterVoids = payment.refundVoidedOn === undefined || model.postingDate(date) >= payment.refundVoidedOn;
  // A payment without a lease has no lease to which a fee can be charged; its refunds are charged to a lease of the payer.
  const [nsfFeeCents, bankFeeCents] = [random.pick([undefined, random.integer(50)]), random.pick([undefined, random.integer(50)])];
  const isAllowed = !payment.isReversed && isAfterVoids && (payment.namesLease || !nsfFeeCents);
  const body = { reason: "nsf" as const, reversedAt: `${date}T16:00:00.000Z`, ...(nsfFeeCents && { nsfFeeCents }), ...(bankFeeCents && { bankFeeCents }) };
  const response = await attemptExpecting(context, isAllowed, () => office.attempt("reversePayment", { params: { id: payment.id }, body }));
  if (!isAllowed) return "refused";
  const reversedOn = model.reverse(payment.id, date);
  const [fees, refundCharges] = [true, false].map((isFee) =>
    response.body.charges.filter(({ id, chargeType }) => !model.charges.has(id) && (chargeType === "nsf_fee") === isFee),
  ) as [Charges, Charges];
  expect(fees.map(({ dueDate, amountCents }) => [dueDate, amountCents])).toEqual(nsfFeeCents ? [[reversedOn, nsfFeeCents]] : []);
  if (bankFeeCents) model.payBankFee(bankFeeCents);
  for (const { id, leaseId, dueDate, amountCents } of fees) model.charge({ id, leaseId, isDeposit: false, dueDate, amountCents });
  expect(refundCharges.map(({ dueDate, amountCents }) => [dueDate, amountCents])).toEqual(model.returnedRefunds(payment, reversedOn));
  model.moveReturnedRefunds(payment, reversedOn);
  for (const { id, leaseId, dueDate, amountCents } of refundCharges) model.charge({ id, leaseId, isDeposit: false, dueDate, amountCents }, true);
  return "accepted";
};

/** Refunds credit of a payment, less or more than it has, at a random time or now; some times are before the receipt or the removal of an allocation. */
export const refundPayment: Command = async (context) => {
  const { office, accountIds, model, random } = context;
  const payment = random.pick(model.payments.values());
  if (!payment) return undefined;
  const { id, unallocatedCents } = payment;
  const amountCents = Math.max(1, random.pick([unallocatedCents, Math.ceil(unallocatedCents / 2), unallocatedCents, unallocatedCents + 1])!);
  const date = randomDate(random);
  const requestedOn = random.pick([undefined, payment.receivedOn, laterDate(payment.receivedOn, date), date]);
  const refundedOn = model.refundDate(payment, amountCents, requestedOn, todayInOffice());
  const isAllowed = statusOf(payment) === "received" && amountCents <= unallocatedCents && refundedOn !== undefined;
  const bank = random.pick(["1000", "1010"])!;
  const time = requestedOn && { refundedAt: `${requestedOn}T16:00:00.000Z` };
  const body = { amountCents, method: "check" as const, bankAccountId: accountIds[bank]!, ...time };
  const response = await attemptExpecting(context, isAllowed, () => office.attempt("refundPayment", { params: { id }, body }));
  if (isAllowed) model.refund(id, { id: response.body.refund.id, amountCents, bank, requestedOn, refundedOn });
  return expectedOutcome(isAllowed);
};

/** Voids a refund now, on a random date, on the day of the refund, or on the day after the last random date. */
export const voidRefund: Command = async (context) => {
  const { office, model, random } = context;
  const payment = random.pick([...model.payments.values()].filter(({ refunds }) => refunds.length > 0));
  const refund = random.pick(payment?.refunds ?? []);
  if (!payment || !refund) return undefined;
  const date = random.pick([undefined, randomDate(random), refund.requestedOn && refund.refundedOn, DAY_AFTER_LAST_DATE]);
  const body = { reason: "never cashed", ...(date && { voidedAt: `${date}T16:00:00.000Z` }) };
  const isAllowed = !payment.isReversed && (date === undefined || (refund.requestedOn !== undefined && date >= refund.requestedOn));
  await attemptExpecting(context, isAllowed, () => office.attempt("voidRefund", { params: { id: payment.id, refundId: refund.id }, body }));
  if (isAllowed) model.voidRefund(payment.id, refund, date ?? todayInOffice());
  return expectedOutcome(isAllowed);
};
