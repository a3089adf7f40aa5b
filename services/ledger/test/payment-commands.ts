/** Commands of random histories on payments and their allocations. */
import { expect } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { aPayment, type Tenancy } from "../../../test/support/tenancy.ts";
import { attemptExpecting, expectedOutcome, LAST_DATE, randomDate, type Command, type CommandContext } from "./command-context.ts";
import { laterDate, openCents, statusOf } from "./ledger.model.ts";
import { todayInOffice } from "./ledger.fixtures.ts";

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

/** Returns the body of a payment and the day of its receipt. A quarter of the payments name no lease. */
function aRandomPayment({ random }: Pick<CommandContext, "random">, tenancy: Tenancy, amountCents: number) {
  const receivedOn = randomDate(random);
  const payment = { ...aPayment(tenancy, amountCents), receivedAt: `${receivedOn}T15:00:00.000Z` };
  return { receivedOn, payment: random.chance(0.25) ? { ...payment, leaseId: undefined } : payment };
}

export const recordPayment: Command = async (context) => {
  const { office, tenancy, foreign, model, random } = context;
  const isForeign = random.chance(0.03);
  const allocations = isForeign ? [] : randomAllocations(context);
  const allocatedCents = allocations.reduce((sum, { amountCents }) => sum + amountCents, 0);
  const amountCents = Math.max(1, random.pick([allocatedCents, allocatedCents + random.integer(100), allocatedCents, allocatedCents - 1])!);
  const isAllowed = !isForeign && model.canAllocate(tenancy.leaseId, amountCents, allocations);
  const { receivedOn, payment } = aRandomPayment(context, isForeign ? foreign.tenancy : tenancy, amountCents);
  const body = { ...payment, allocations };
  const first = await attemptExpecting(context, isAllowed, () => office.attempt("recordPayment", { body }));
  if (isAllowed)
    model.pay({ id: first.body.payment.id, leaseId: tenancy.leaseId, namesLease: payment.leaseId !== undefined, amountCents, receivedOn }, allocations);
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

export const recordPaymentWithAutoAllocate: Command = async ({ office, tenancy, model, random }) => {
  const amountCents = random.integer(800);
  const open = [...model.charges.values()].reduce((sum, charge) => sum + openCents(charge), 0);
  const { receivedOn, payment: body } = aRandomPayment({ random }, tenancy, amountCents);
  const { payment } = await office.call("recordPayment", { body: { ...body, autoAllocate: true } });
  const allocations = payment.allocations.map(({ chargeId, amountCents: cents }) => ({ chargeId, amountCents: cents }));
  expect([model.canAllocate(tenancy.leaseId, amountCents, allocations), payment.unallocatedCents]).toEqual([true, Math.max(0, amountCents - open)]);
  model.pay({ id: payment.id, leaseId: tenancy.leaseId, namesLease: payment.leaseId !== null, amountCents, receivedOn }, allocations);
  return "accepted";
};

export const allocatePayment: Command = async (context) => {
  const { office, model, random } = context;
  const payment = random.pick(model.payments.values());
  const [allocation] = payment ? randomAllocations(context).toReversed() : [];
  if (!payment || !allocation) return undefined;
  const { chargeId } = allocation;
  const amountCents = random.chance(0.7) ? Math.max(1, Math.min(allocation.amountCents, payment.unallocatedCents)) : allocation.amountCents;
  const isAllowed = statusOf(payment) === "received" && model.canAllocate(payment.leaseId, payment.unallocatedCents, [{ chargeId, amountCents }]);
  await attemptExpecting(context, isAllowed, () =>
    office.attempt("allocatePayment", { params: { id: payment.id }, body: { allocations: [{ chargeId, amountCents }] } }),
  );
  if (isAllowed) model.allocate(payment.id, [{ chargeId, amountCents }]);
  return expectedOutcome(isAllowed);
};

export const autoAllocatePayment: Command = async (context) => {
  const { office, tenancy, model, random } = context;
  const payment = random.pick(model.payments.values());
  if (!payment) return undefined;
  const before = payment.unallocatedCents;
  const request = { params: { id: payment.id }, body: { dryRun: random.chance(0.3) } };
  const isAllowed = statusOf(payment) === "received";
  const { body } = await attemptExpecting(context, isAllowed, () => office.attempt("autoAllocatePayment", request));
  if (!isAllowed) return "refused";
  const allocatedCents = body.allocations.reduce((sum, { amountCents }) => sum + amountCents, 0);
  const open = [...model.charges.values()].reduce((sum, charge) => sum + openCents(charge), 0);
  expect([model.canAllocate(tenancy.leaseId, before, body.allocations), allocatedCents]).toEqual([true, Math.min(before, open)]);
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

export const reversePayment: Command = async (context) => {
  const { office, model, random } = context;
  const payment = random.pick(model.payments.values());
  if (!payment) return undefined;
  const date = random.pick([payment.receivedOn, LAST_DATE])!;
  const isAfterVoids = payment.refundVoidedOn === undefined || model.postingDate(date) >= payment.refundVoidedOn;
  // Without a lease there is nobody to charge what was refunded to.
  const isAllowed = !payment.isReversed && isAfterVoids && (payment.namesLease || payment.refunds.length === 0);
  const body = { reason: "other" as const, reversedAt: `${date}T16:00:00.000Z` };
  const response = await attemptExpecting(context, isAllowed, () => office.attempt("reversePayment", { params: { id: payment.id }, body }));
  if (!isAllowed) return "refused";
  const reversedOn = model.reverse(payment.id, date);
  const refundCharges = response.body.charges.filter(({ id }) => !model.charges.has(id));
  expect(refundCharges.map(({ dueDate, amountCents }) => [dueDate, amountCents])).toEqual(model.returnedRefunds(payment, reversedOn));
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

/** Voids a refund now, on a random date, on the day of the refund, or on the last date. */
export const voidRefund: Command = async (context) => {
  const { office, model, random } = context;
  const payment = random.pick([...model.payments.values()].filter(({ refunds }) => refunds.length > 0));
  const refund = random.pick(payment?.refunds ?? []);
  if (!payment || !refund) return undefined;
  const date = random.pick([undefined, randomDate(random), refund.requestedOn && refund.refundedOn, LAST_DATE]);
  const body = { reason: "never cashed", ...(date && { voidedAt: `${date}T16:00:00.000Z` }) };
  const isAllowed = !payment.isReversed && (date === undefined || (refund.requestedOn !== undefined && date >= refund.requestedOn));
  await attemptExpecting(context, isAllowed, () => office.attempt("voidRefund", { params: { id: payment.id, refundId: refund.id }, body }));
  if (isAllowed) model.voidRefund(payment.id, refund, date ?? todayInOffice());
  return expectedOutcome(isAllowed);
};
