/** Commands of histories of trust on money of tenants and owners: receipts, bank deposits, transfers, adjustments and contributions. */
import { maxDate } from "@freehold/kit/time/plain-date";
import { randomUUID } from "node:crypto";
import { AFTER_ALL, aboutCents, noonOn, randomAccount, randomDay, type HeldProperty, type TrustContext } from "./trust-office.ts";
import type { TrustCommand } from "./trust-command.ts";

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

export const createCharge: TrustCommand = (context) => {
  const property = context.random.pick(context.properties)!;
  return chargeRent(context, property, 20_000 + context.random.integer(60_000), randomDay(context));
};

export const recordPayment: TrustCommand = async (context) => {
  const { office, random, properties } = context;
  const response = await receive(context, random.pick(properties)!, 20_000 + random.integer(60_000), randomDay(context));
  if (response.status !== 200) return response;
  const { id, receivedAt } = response.body.payment;
  const body = { reason: "entry_error" as const, reversedAt: receivedAt };
  return { ...response, undo: () => office.attempt("reversePayment", { params: { id }, body }) };
};

/** Removes the allocation of a payment, so that its money is prepaid rent again. */
export const deletePaymentAllocation: TrustCommand = async ({ office, random, records }) => {
  const id = random.pick(records.payments)?.id;
  const allocationId = id && random.pick((await office.call("getPayment", { params: { id } })).payment.allocations)?.id;
  if (!allocationId) return undefined;
  return office.attempt("deletePaymentAllocation", { params: { id, allocationId } });
};

export const autoAllocatePayment: TrustCommand = async ({ office, random, records }) => {
  const id = random.pick(records.payments)?.id;
  return id ? office.attempt("autoAllocatePayment", { params: { id }, body: {} }) : undefined;
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

/** Voids the bank deposit of some payment, whose money may have been spent. */
export const voidDeposit: TrustCommand = async ({ office, random, records }) => {
  const id = random.pick(records.payments)?.id;
  const depositId = id && (await office.call("getPayment", { params: { id } })).payment.depositId;
  return depositId ? office.attempt("voidDeposit", { params: { id: depositId }, body: { reason: "miscounted" } }) : undefined;
};

/** Reverses a payment that its bank has returned, in some cases after its money was paid out. The contract permits it whatever is missing then. */
export const returnPayment: TrustCommand = async (context) => {
  const { office, random, records } = context;
  const payment = random.pick(records.payments);
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
  const { office, random, properties } = context;
  const [from, to] = [randomAccount(context), randomAccount(context)];
  const occurredOn = randomDay(context);
  const { subLedgers } = await office.call("listSubLedgers", { params: { id: from }, query: { asOf: AFTER_ALL } });
  const chosen = subLedgers.filter(({ balanceCents }) => balanceCents > 0).filter(() => random.chance(0.6));
  const allocations = chosen.flatMap(({ kind, propertyId, tenantId, balanceCents }): RequestedAllocation[] => {
    const amountCents = aboutCents(context, balanceCents);
    if (kind === "owner") return [{ kind, propertyId: propertyId!, amountCents }];
    const leaseId = properties.find((property) => property.propertyId === propertyId)?.leaseId;
    return kind === "manager" || !leaseId || !tenantId ? [] : [{ kind, leaseId, tenantId, amountCents }];
  });
  const manager = chosen.find(({ kind }) => kind === "manager");
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
