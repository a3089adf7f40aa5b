/** Commands of histories of trust on security deposits. */
import type { Attempt } from "../../../../../test/support/client.ts";
import { aboutCents, FIRST_DAY, noonOn, randomAccount, randomDay, type HeldProperty, type TrustContext } from "./trust-office.ts";
import { pickSuitable, type Effect, type TrustCommand } from "./trust-command.ts";

/** Returns the open charges of a property, apart from those of its deposit. */
async function readOpenCharges({ office }: TrustContext, { leaseId }: HeldProperty) {
  const { charges } = await office.call("listCharges", { query: { leaseId, pageSize: 100, sortBy: "createdAt", sortDirection: "asc" } });
  return charges.filter(({ balanceCents, chargeType }) => balanceCents > 0 && chargeType !== "deposit");
}

const pickOpenCharge = async (context: TrustContext, property: HeldProperty) => context.random.pick(await readOpenCharges(context, property));

type DepositStatus = Awaited<ReturnType<typeof depositOf>>["status"];

/** Returns a property whose deposit has one of the statuses, mostly. */
async function pickProperty(context: TrustContext, statuses: readonly DepositStatus[]): Promise<HeldProperty | undefined> {
  const { office, properties } = context;
  const { securityDeposits } = await office.call("listSecurityDeposits", { query: { pageSize: 100 } });
  const suitable = new Set(securityDeposits.filter(({ status }) => statuses.includes(status)).map(({ id }) => id));
  return pickSuitable(
    context,
    properties,
    properties.filter(({ depositId }) => suitable.has(depositId)),
  );
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

export const receiveDeposit: TrustCommand = async (context) => {
  const { random, accounts } = context;
  const property = await pickProperty(context, ["expected", "held", "disposition_due"]);
  if (!property) return undefined;
  const place = random.pick([accounts.escrow, accounts.escrow, accounts.pooled, undefined]);
  return receive(context, property.depositId, 10_000 + random.integer(40_000), randomDay(context), place);
};

/** Records the day on which the tenant moves out, from which the deposit is due back. */
export const moveOut: TrustCommand = async (context) => {
  const { office, random } = context;
  const property = await pickProperty(context, ["expected", "held"]);
  if (!property) return undefined;
  const moveOutDate = random.chance(0.8) ? FIRST_DAY : randomDay(context);
  return office.attempt("updateSecurityDeposit", { params: { id: property.depositId }, body: { moveOutDate } });
};

export const addDeduction: TrustCommand = async (context) => {
  const { office, random } = context;
  const property = await pickProperty(context, ["held", "disposition_due"]);
  if (!property) return undefined;
  const { depositId: id } = property;
  const charge = random.chance(0.4) ? await pickOpenCharge(context, property) : undefined;
  const terms = charge ? { category: "rent" as const, chargeId: charge.id } : { category: "cleaning" as const };
  const body = { ...terms, description: "Cleaning", amountCents: random.integer(12_000) };
  const response = await office.attempt("createSecurityDepositDeduction", { params: { id }, body });
  const undo = () => office.attempt("deleteSecurityDepositDeduction", { params: { id, deductionId: response.body.securityDeposit.deductions.at(-1)!.id } });
  return { ...response, undo };
};

export const finalizeDeposit: TrustCommand = async (context) => {
  const { office } = context;
  const property = await pickProperty(context, ["disposition_due"]);
  if (!property) return undefined;
  const { depositId: id } = property;
  const body = { sentAt: noonOn(randomDay(context)), method: "mail" as const, forwardingAddress: "9 Oak Street, Troy, NY 12180" };
  const response = await office.attempt("finalizeSecurityDeposit", { params: { id }, body });
  return { ...response, undo: () => office.attempt("reopenSecurityDeposit", { params: { id }, body: { reason: "miscounted" } }) };
};

/** Reopens a finalized disposition. Its undo finalizes it with the same letter. */
export const reopenDeposit: TrustCommand = async (context) => {
  const { office } = context;
  const property = await pickProperty(context, ["disposed", "forfeited"]);
  if (!property) return undefined;
  const { depositId: id } = property;
  const { disposition } = await depositOf(context, id);
  const response = await office.attempt("reopenSecurityDeposit", { params: { id }, body: { reason: "miscounted" } });
  if (!disposition) return response;
  const body = { sentAt: disposition.sentAt, method: disposition.method, forwardingAddress: "9 Oak Street, Troy, NY 12180" };
  return { ...response, undo: () => office.attempt("finalizeSecurityDeposit", { params: { id }, body }) };
};

/** Adds the void of the latest transaction of a deposit as the undo of its response. */
function withVoid({ office }: TrustContext, id: string, response: Attempt<"refundSecurityDeposit">): Effect {
  const undo = () => {
    const transactionId = response.body.securityDeposit.transactions.at(-1)!.id;
    return office.attempt("voidSecurityDepositTransaction", { params: { id, transactionId }, body: { reason: "a mistake" } });
  };
  return { ...response, undo };
}

export const refundDeposit: TrustCommand = async (context) => {
  const { office, random } = context;
  const property = await pickProperty(context, ["disposed"]);
  if (!property) return undefined;
  const { depositId: id } = property;
  const { heldCents } = await depositOf(context, id);
  const bankAccountId = random.chance(0.7) ? context.accounts.escrow : randomAccount(context);
  const body = { amountCents: aboutCents(context, heldCents), method: "check" as const, bankAccountId, paidAt: noonOn(randomDay(context)) };
  return withVoid(context, id, await office.attempt("refundSecurityDeposit", { params: { id }, body }));
};

export const applyDeposit: TrustCommand = async (context) => {
  const { office, random, properties } = context;
  const charges = await Promise.all(properties.map((each) => readOpenCharges(context, each)));
  const withCharges = properties.filter((_, index) => charges[index]!.length > 0);
  const property = await pickProperty({ ...context, properties: withCharges }, ["held", "disposition_due"]);
  const charge = property && random.pick(charges[properties.indexOf(property)]!);
  if (!property || !charge) return undefined;
  const { depositId: id } = property;
  const { heldCents } = await depositOf(context, id);
  const allocations = [{ chargeId: charge.id, amountCents: aboutCents(context, Math.min(charge.balanceCents, heldCents)) }];
  return withVoid(context, id, await office.attempt("applySecurityDeposit", { params: { id }, body: { allocations, occurredOn: randomDay(context) } }));
};

/** Transfers a deposit to the lease of another property or to an owner. */
export const transferDeposit: TrustCommand = async (context) => {
  const { office, random, properties } = context;
  const [property, other] = [await pickProperty(context, ["held", "disposition_due"]), random.pick(properties)!];
  if (!property) return undefined;
  const { depositId: id, ownerIds } = property;
  const target = random.chance(0.5) ? { toLeaseId: other.leaseId } : { toOwnerId: random.pick(ownerIds)! };
  const response = await office.attempt("transferSecurityDeposit", { params: { id }, body: { ...target, occurredOn: randomDay(context) } });
  return withVoid(context, id, response);
};

/** Voids a transaction of a deposit, whose money may have been used since. The undo of a voided refund pays it again. */
export const voidDepositTransaction: TrustCommand = async (context) => {
  const { office, properties } = context;
  const { securityDeposits } = await office.call("listSecurityDeposits", { query: { pageSize: 100 } });
  const ofDeposits = new Map(securityDeposits.map(({ id, disposition, transactions }) => [id, { disposition, transactions }]));
  const all = properties.flatMap(({ depositId }) =>
    ofDeposits.get(depositId)!.transactions.map((each) => ({ ...each, depositId, isFinalized: ofDeposits.get(depositId)!.disposition !== null })),
  );
  const voidable = all.filter(({ voidedAt, kind, isFinalized }) => !voidedAt && kind !== "transfer_in" && (kind === "refund" || !isFinalized));
  const chosen = pickSuitable(context, all, voidable);
  if (!chosen) return undefined;
  const { depositId: id, id: transactionId, amountCents, bankAccountId, occurredOn } = chosen;
  const response = await office.attempt("voidSecurityDepositTransaction", { params: { id, transactionId }, body: { reason: "a mistake" } });
  if (chosen.kind !== "refund" || !bankAccountId) return response;
  const body = { amountCents, method: "check" as const, bankAccountId, paidAt: noonOn(occurredOn) };
  return { ...response, undo: () => office.attempt("refundSecurityDeposit", { params: { id }, body }) };
};
