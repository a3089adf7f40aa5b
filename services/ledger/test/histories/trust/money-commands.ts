/** Commands of histories of trust on money of tenants and owners: receipts, bank deposits, transfers, adjustments and contributions. */
import { addDays, maxDate } from "@freehold/kit/time/plain-date";
import type { Payment } from "@freehold/contract/ledger/payments";
import { randomUUID } from "node:crypto";
import { AFTER_ALL, aboutCents, DAYS, FIRST_DAY, noonOn, randomAccount, randomDay, type HeldProperty, type TrustContext } from "./trust-office.ts";
import { inSequence, pickSuitable, type TrustCommand } from "./trust-command.ts";

/** Charges rent of a property. */
export async function chargeRent({ office, records }: TrustContext, property: HeldProperty, amountCents: number, dueDate: string) {
  const response = await office.attempt("createCharge", { body: { leaseId: property.leaseId, amountCents, dueDate, chargeType: "rent" } });
  if (response.status === 200) records.charges.push({ id: response.body.charge.id, property, amountCents });
  return response;
}

/** Records a payment of a tenant, which settles the oldest charges, and keeps the rest as prepaid rent. */
export async function receive({ office, records }: TrustContext, { tenantId, leaseId }: HeldProperty, amountCents: number, receivedOn: string) {
  const receipt = { paymentMethod: "check" as const, receivedAt: noonOn(receivedOn), idempotencyKey: randomUUID(), autoAllocate: true };
  const response = await office.attempt("recordPayment", { body: { tenantId, leaseId, amountCents, ...receipt } });
  if (response.status === 200) records.payments.push({ id: response.body.payment.id, receivedOn, amountCents });
  return response;
}

export const createCharge: TrustCommand = async (context) => {
  const { office, random, properties } = context;
  const response = await chargeRent(context, random.pick(properties)!, 20_000 + random.integer(60_000), randomDay(context));
  if (response.status !== 200) return response;
  const { id } = response.body.charge;
  return { ...response, undo: () => office.attempt("voidCharge", { params: { id }, body: { reason: "a mistake" } }) };
};

export const recordPayment: TrustCommand = async (context) => {
  const { office, random, properties } = context;
  const response = await receive(context, random.pick(properties)!, 20_000 + random.integer(60_000), randomDay(context));
  if (response.status !== 200) return response;
  const { id, receivedAt } = response.body.payment;
  const body = { reason: "entry_error" as const, reversedAt: receivedAt };
  return { ...response, undo: () => office.attempt("reversePayment", { params: { id }, body }) };
};

/** Returns a payment of the history, mostly one that meets a condition. */
async function pickPayment(context: TrustContext, isSuitable: (payment: Payment) => boolean) {
  const { office, records } = context;
  const { payments } = await office.call("listPayments", { query: { pageSize: 100 } });
  const suitable = new Set(payments.filter((payment) => payment.status === "received" && isSuitable(payment)).map(({ id }) => id));
  return pickSuitable(
    context,
    records.payments,
    records.payments.filter(({ id }) => suitable.has(id)),
  );
}

/** Removes the allocation of a payment, so that its money is prepaid rent again. Its undo settles the charge again. */
export const deletePaymentAllocation: TrustCommand = async (context) => {
  const { office, random } = context;
  const id = (await pickPayment(context, ({ allocations }) => allocations.length > 0))?.id;
  const allocation = id && random.pick((await office.call("getPayment", { params: { id } })).payment.allocations);
  if (!allocation) return undefined;
  const { id: allocationId, chargeId, amountCents } = allocation;
  const response = await office.attempt("deletePaymentAllocation", { params: { id, allocationId } });
  return { ...response, undo: () => office.attempt("allocatePayment", { params: { id }, body: { allocations: [{ chargeId, amountCents }] } }) };
};

/** Settles charges with the credit of a payment. Its undo removes the new allocations. */
export const autoAllocatePayment: TrustCommand = async (context) => {
  const { office } = context;
  const id = (await pickPayment(context, ({ unallocatedCents }) => unallocatedCents > 0))?.id;
  if (!id) return undefined;
  const known = new Set((await office.call("getPayment", { params: { id } })).payment.allocations.map((allocation) => allocation.id));
  const response = await office.attempt("autoAllocatePayment", { params: { id }, body: {} });
  if (response.status !== 200) return response;
  const added = response.body.payment.allocations.filter((allocation) => !known.has(allocation.id));
  if (added.length === 0) return response;
  const requests = added.map(
    ({ id: allocationId }) =>
      () =>
        office.attempt("deletePaymentAllocation", { params: { id, allocationId } }),
  );
  return { ...response, undo: () => inSequence(requests) };
};

export const refundPayment: TrustCommand = async (context) => {
  const { office, random, records } = context;
  const { payments } = await office.call("listPayments", { query: { pageSize: 100, unallocatedOnly: true } });
  const withCredit = new Set(payments.map((payment) => payment.id));
  const id = random.pick(records.payments.filter((payment) => withCredit.has(payment.id) || random.chance(0.1)))?.id;
  if (!id) return undefined;
  const { payment } = await office.call("getPayment", { params: { id } });
  const receivedOn = payment.receivedAt.slice(0, 10);
  const refundedAt = noonOn(random.chance(0.8) ? maxDate(receivedOn, randomDay(context)) : randomDay(context));
  const body = { amountCents: aboutCents(context, payment.unallocatedCents), method: "check" as const, bankAccountId: randomAccount(context), refundedAt };
  const response = await office.attempt("refundPayment", { params: { id }, body });
  const undo = () =>
    office.attempt("voidRefund", { params: { id, refundId: response.body.refund.id }, body: { reason: "never cashed", voidedAt: refundedAt } });
  return { ...response, undo };
};

/** Deposits payments at a bank, mostly all that are undeposited. */
export const createDeposit: TrustCommand = async (context) => {
  const { office, random, records } = context;
  const { payments } = await office.call("listPayments", { query: { pageSize: 100 } });
  const undeposited = new Set(payments.filter(({ depositId, status }) => depositId === null && status === "received").map(({ id }) => id));
  const candidates = records.payments.filter(({ id }) => undeposited.has(id) || random.chance(0.02));
  const chosen = candidates.filter(() => random.chance(0.7));
  if (chosen.length === 0) return undefined;
  const receivedOn = chosen
    .map((payment) => payment.receivedOn)
    .toSorted()
    .at(-1)!;
  const depositedOn = random.chance(0.8) ? receivedOn : randomDay(context);
  const response = await office.attempt("createDeposit", {
    body: { bankAccountId: randomAccount(context), depositedOn, paymentIds: chosen.map(({ id }) => id) },
  });
  const undo = () => office.attempt("voidDeposit", { params: { id: response.body.deposit.id }, body: { reason: "miscounted" } });
  return { ...response, undo, isOnOwnDay: true };
};

/** Voids the bank deposit of some payment, whose money may have been spent. Its undo deposits the payments on the same day again. */
export const voidDeposit: TrustCommand = async (context) => {
  const { office } = context;
  const id = (await pickPayment(context, ({ depositId }) => depositId !== null))?.id;
  const depositId = id && (await office.call("getPayment", { params: { id } })).payment.depositId;
  if (!depositId) return undefined;
  const { deposit } = await office.call("getDeposit", { params: { id: depositId } });
  const response = await office.attempt("voidDeposit", { params: { id: depositId }, body: { reason: "miscounted" } });
  const body = { bankAccountId: deposit.bankAccountId, depositedOn: deposit.depositedOn, paymentIds: deposit.payments.map(({ paymentId }) => paymentId) };
  return { ...response, undo: () => office.attempt("createDeposit", { body }), isOnOwnDay: true };
};

/** Reverses a payment that its bank has returned, in some cases after its money was paid out. The contract permits it whatever is missing then. */
export const returnPayment: TrustCommand = async (context) => {
  const { office, random } = context;
  const payment = await pickPayment(context, () => true);
  if (!payment) return undefined;
  const reversedAt = noonOn(random.pick([payment.receivedOn, randomDay(context)])!);
  const fees = { ...(random.chance(0.3) && { nsfFeeCents: 2_500 }), ...(random.chance(0.3) && { bankFeeCents: 1_200 }) };
  const response = await office.attempt("reversePayment", { params: { id: payment.id }, body: { reason: "nsf", reversedAt, ...fees } });
  return { ...response, isBankAct: true };
};

type RequestedAllocation = { amountCents: number } & (
  | { kind: "owner"; propertyId: string }
  | { kind: "deposit" | "prepaid"; leaseId: string; tenantId: string }
);

/** Transfers money of random beneficiaries, mostly of an amount that they have in the account. */
export const createTransfer: TrustCommand = async (context) => {
  const { office, random, properties, accounts } = context;
  const from = randomAccount(context);
  const occurredOn = random.chance(0.5) ? addDays(FIRST_DAY, DAYS) : randomDay(context);
  const { subLedgers } = await office.call("listSubLedgers", { params: { id: from }, query: { asOf: AFTER_ALL } });
  const chosen = subLedgers.filter(({ balanceCents }) => balanceCents > 0).filter(() => random.chance(0.4));
  const allocations = chosen.flatMap(({ kind, propertyId, tenantId, balanceCents }): RequestedAllocation[] => {
    const amountCents = aboutCents(context, balanceCents);
    if (kind === "owner") return [{ kind, propertyId: propertyId!, amountCents }];
    const leaseId = properties.find((property) => property.propertyId === propertyId)?.leaseId;
    return kind === "manager" || !leaseId || !tenantId ? [] : [{ kind, leaseId, tenantId, amountCents }];
  });
  const manager = subLedgers.find(({ kind }) => kind === "manager");
  if (allocations.length === 0 && !manager && random.chance(0.9)) return undefined;
  const others = Object.values(accounts).filter((id) => id !== from && (allocations.length === 0 || id !== accounts.business));
  const to = random.pick(random.chance(0.9) ? others : Object.values(accounts))!;
  const allocatedCents = allocations.reduce((sum, { amountCents }) => sum + amountCents, 0);
  const amountCents = allocatedCents || aboutCents(context, manager?.balanceCents ?? 1_000);
  const body = { fromBankAccountId: from, toBankAccountId: to, amountCents, occurredAt: noonOn(occurredOn), allocations };
  const response = await office.attempt("createTransfer", { body });
  const undo = () => office.attempt("voidTransfer", { params: { id: response.body.transfer.id }, body: { reason: "a mistake" } });
  return { ...response, undo, isOnOwnDay: true, isIndependent: true };
};

/** Records interest or a fee of the bank, which the bank takes whatever is in the account. */
export const createAdjustment: TrustCommand = async (context) => {
  const { office, random, properties } = context;
  const [id, kind] = [randomAccount(context), random.pick(["bank_fee", "interest"] as const)!];
  const propertyId = random.chance(0.4) ? random.pick(properties)!.propertyId : null;
  const body = { kind, amountCents: random.integer(2_000), occurredOn: randomDay(context), propertyId };
  const response = await office.attempt("createBankAdjustment", { params: { id }, body });
  const undo = () => office.attempt("voidBankAdjustment", { params: { id, adjustmentId: response.body.adjustment.id }, body: { reason: "not ours" } });
  return { ...response, isBankAct: kind === "bank_fee", undo, isOnOwnDay: true, isIndependent: true };
};

export const createContribution: TrustCommand = async (context) => {
  const { office, random, properties, ann, ben } = context;
  const { propertyId, ownerIds } = random.pick(properties)!;
  const id = random.chance(0.9) ? random.pick(ownerIds)! : random.pick([ann, ben])!;
  const receipt = { receivedAt: noonOn(randomDay(context)), paymentMethod: "check" as const };
  const body = { propertyId, amountCents: random.integer(40_000), bankAccountId: randomAccount(context), ...receipt };
  const response = await office.attempt("createOwnerContribution", { params: { id }, body });
  const undo = () => office.attempt("voidOwnerContribution", { params: { id, contributionId: response.body.contribution.id }, body: { reason: "returned" } });
  return { ...response, undo, isOnOwnDay: true, isIndependent: true };
};
