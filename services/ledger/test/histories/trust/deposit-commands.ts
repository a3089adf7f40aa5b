/** Commands of histories of trust on security deposits. */
import type { Attempt } from "../../../../../test/support/client.ts";
import { aboutCents, FIRST_DAY, noonOn, randomAccount, randomDay, type HeldProperty, type TrustContext } from "./trust-office.ts";
import type { Effect, TrustCommand } from "./trust-command.ts";

/** Returns an open charge of a property. */
async function pickOpenCharge({ office, random }: TrustContext, { leaseId }: HeldProperty) {
  const { charges } = await office.call("listCharges", { query: { leaseId, pageSize: 100, sortBy: "createdAt", sortDirection: "asc" } });
  return random.pick(charges.filter(({ balanceCents, chargeType }) => balanceCents > 0 && chargeType !== "deposit"));
}

const depositOf = async ({ office }: TrustContext, id: string) => (await office.call("getSecurityDeposit", { params: { id } })).securityDeposit;

/** Receives money for a deposit, in a bank account or undeposited. */
export async function receive({ office, records }: TrustContext, id: string, amountCents: number, receivedOn: string, bankAccountId?: string) {
  const body = { amountCents, paymentMethod: "check" as const, receivedAt: noonOn(receivedOn), ...(bankAccountId && { bankAccountId }) };
  const response = await office.attempt("recordSecurityDepositReceipt", { params: { id }, body });
  if (response.status !== 200) return response;
  const known = new Set(records.payments.map((payment) => payment.id));
  const { payments } = await office.call("listPayments", { query: { pageSize: 100 } });
  records.payments.push({ id: payments.find((payment) => !known.has(payment.id))!.id, receivedOn, amountCents });
  return response;
}

export const receiveDeposit: TrustCommand = (context) => {
  const { random, properties, accounts } = context;
  const place = random.pick([accounts.escrow, accounts.escrow, accounts.pooled, undefined]);
  return receive(context, random.pick(properties)!.depositId, 10_000 + random.integer(40_000), randomDay(context), place);
};

/** Records the day on which the tenant moves out, from which the deposit is due back. */
export const moveOut: TrustCommand = (context) => {
  const { office, random, properties } = context;
  const moveOutDate = random.chance(0.8) ? FIRST_DAY : randomDay(context);
  return office.attempt("updateSecurityDeposit", { params: { id: random.pick(properties)!.depositId }, body: { moveOutDate } });
};

export const addDeduction: TrustCommand = async (context) => {
  const { office, random, properties } = context;
  const property = random.pick(properties)!;
  const { depositId: id } = property;
  const charge = random.chance(0.4) ? await pickOpenCharge(context, property) : undefined;
  const terms = charge ? { category: "rent" as const, chargeId: charge.id } : { category: "cleaning" as const };
  const body = { ...terms, description: "Cleaning", amountCents: random.integer(12_000) };
  const response = await office.attempt("createSecurityDepositDeduction", { params: { id }, body });
  const undo = () => office.attempt("deleteSecurityDepositDeduction", { params: { id, deductionId: response.body.securityDeposit.deductions.at(-1)!.id } });
  return { ...response, undo };
};

export const finalizeDeposit: TrustCommand = async (context) => {
  const { office, random, properties } = context;
  const { depositId: id } = random.pick(properties)!;
  const body = { sentAt: noonOn(randomDay(context)), method: "mail" as const, forwardingAddress: "9 Oak Street, Troy, NY 12180" };
  const response = await office.attempt("finalizeSecurityDeposit", { params: { id }, body });
  return { ...response, undo: () => office.attempt("reopenSecurityDeposit", { params: { id }, body: { reason: "miscounted" } }) };
};

export const reopenDeposit: TrustCommand = ({ office, random, properties }) =>
  office.attempt("reopenSecurityDeposit", { params: { id: random.pick(properties)!.depositId }, body: { reason: "miscounted" } });

/** Adds the void of the latest transaction of a deposit as the undo of its response. */
function withVoid({ office }: TrustContext, id: string, response: Attempt<"refundSecurityDeposit">): Effect {
  const undo = () => {
    const transactionId = response.body.securityDeposit.transactions.at(-1)!.id;
    return office.attempt("voidSecurityDepositTransaction", { params: { id, transactionId }, body: { reason: "a mistake" } });
  };
  return { ...response, undo };
}

export const refundDeposit: TrustCommand = async (context) => {
  const { office, random, properties } = context;
  const { depositId: id } = random.pick(properties)!;
  const { heldCents } = await depositOf(context, id);
  const bankAccountId = random.chance(0.6) ? context.accounts.escrow : randomAccount(context);
  const body = { amountCents: aboutCents(context, heldCents), method: "check" as const, bankAccountId, paidAt: noonOn(randomDay(context)) };
  return withVoid(context, id, await office.attempt("refundSecurityDeposit", { params: { id }, body }));
};

export const applyDeposit: TrustCommand = async (context) => {
  const { office, random, properties } = context;
  const property = random.pick(properties)!;
  const { depositId: id } = property;
  const charge = await pickOpenCharge(context, property);
  if (!charge) return undefined;
  const { heldCents } = await depositOf(context, id);
  const allocations = [{ chargeId: charge.id, amountCents: aboutCents(context, Math.min(charge.balanceCents, heldCents)) }];
  return withVoid(context, id, await office.attempt("applySecurityDeposit", { params: { id }, body: { allocations, occurredOn: randomDay(context) } }));
};

/** Transfers a deposit to the lease of another property or to an owner. */
export const transferDeposit: TrustCommand = async (context) => {
  const { office, random, properties } = context;
  const [{ depositId: id, ownerIds }, other] = [random.pick(properties)!, random.pick(properties)!];
  const target = random.chance(0.5) ? { toLeaseId: other.leaseId } : { toOwnerId: random.pick(ownerIds)! };
  const response = await office.attempt("transferSecurityDeposit", { params: { id }, body: { ...target, occurredOn: randomDay(context) } });
  return withVoid(context, id, response);
};

/** Voids a random transaction of a deposit, whose money may have been used since. */
export const voidDepositTransaction: TrustCommand = async (context) => {
  const { office, random, properties } = context;
  const { depositId: id } = random.pick(properties)!;
  const transactionId = random.pick((await depositOf(context, id)).transactions)?.id;
  if (!transactionId) return undefined;
  return office.attempt("voidSecurityDepositTransaction", { params: { id, transactionId }, body: { reason: "a mistake" } });
};
