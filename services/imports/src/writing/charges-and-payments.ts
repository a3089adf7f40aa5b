/** Writers of deposits, opening balances, charges and payments. */
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { completeRecord, isRefusal } from "./incomplete-record.ts";
import type { ExecuteOperation } from "./operation-batcher.ts";
import { receiptTimeOf, toCents, type WritableRow, type Writer } from "./writable-row.ts";

/** Equity account of the earnings before the first entry in the ledger. */
const RETAINED_EARNINGS_ACCOUNT = "3900";

const createCharge = async (execute: ExecuteOperation, key: string, body: object): Promise<string> =>
  (await execute<{ charge: { id: string } }>("ledger", "createCharge", key, { body })).charge.id;
const recordPayment = async (execute: ExecuteOperation, key: string, body: object): Promise<string> =>
  (await execute<{ payment: { id: string } }>("ledger", "recordPayment", key, { body: { ...body, idempotencyKey: `import ${key}` } })).payment.id;

/** Returns the tenant of the row, or the primary tenant of its lease. */
const getPayerId = async ({ linkedIds }: WritableRow, execute: ExecuteOperation): Promise<string> =>
  linkedIds["tenant"] ??
  (await execute<{ lease: { tenantId: string } }>("portfolio", "getLease", "read", { params: { id: linkedIds["lease"]! } })).lease.tenantId;

interface NewDeposit {
  leaseId: string;
  amountCents: number;
  receivedAt: string;
  bankAccountId: string | undefined;
  holder: "organization" | "owner";
}

/** Creates a deposit that a bank account or the owner holds, and records its receipt. Refused while the tenancy has an open deposit. */
async function createHeldDeposit(execute: ExecuteOperation, key: string, { receivedAt, bankAccountId, ...deposit }: NewDeposit): Promise<string> {
  const { leaseId, amountCents, holder } = deposit;
  const body = omitUndefined({ leaseId, requiredCents: amountCents, holder, bankAccountId, chargeTenant: false });
  const { securityDeposit } = await execute<{ securityDeposit: { id: string } }>("ledger", "createSecurityDeposit", key, { body });
  const receipt = omitUndefined({ amountCents, paymentMethod: "other", receivedAt, bankAccountId });
  const outcome = "The security deposit was created, but its receipt was refused. Record the receipt by hand.";
  await completeRecord(securityDeposit.id, outcome, () =>
    execute("ledger", "recordSecurityDepositReceipt", `${key} receipt`, { params: { id: securityDeposit.id }, body: receipt }),
  );
  return securityDeposit.id;
}

export const depositWriter: Writer = {
  /**
   * Records a deposit on the date it was received, so that the ledger holds it as a liability: in its bank account, with its owner, or in
   * undeposited funds by a charge and a payment.
   */
  create: async (row, execute, context) => {
    const { id, data, linkedIds } = row;
    const [date, amountCents, leaseId] = [data["received_date"] ?? context.importDate, toCents(data["amount_held"])!, linkedIds["lease"]!];
    const receivedAt = receiptTimeOf(date, context);
    const bankAccountId = context.depositAccountIdOf(data);
    const holder = data["holder"] === "owner" ? "owner" : "organization";
    if (bankAccountId !== undefined || holder === "owner") return createHeldDeposit(execute, id, { leaseId, amountCents, receivedAt, bankAccountId, holder });
    const tenantId = await getPayerId(row, execute);
    const charge = { leaseId, amountCents, dueDate: date, chargeType: "deposit", name: "Security deposit" };
    const chargeId = await createCharge(execute, id, charge);
    const payment = { tenantId, leaseId, amountCents, paymentMethod: "other", receivedAt, allocations: [{ chargeId, amountCents }] };
    const outcome = "The charge of the deposit was created, but its payment was refused. Record the payment by hand.";
    await completeRecord(chargeId, outcome, async () => void (await recordPayment(execute, `${id} payment`, payment)));
    return chargeId;
  },
};

export const openingBalanceWriter: Writer = {
  /** Creates a charge for the balance due of a lease, against retained earnings, and an unallocated payment for a prepayment. */
  create: async (row, execute, context) => {
    const { id, data, linkedIds } = row;
    const [balanceCents, date, leaseId] = [toCents(data["balance"]) ?? 0, data["as_of"] ?? context.importDate, linkedIds["lease"]!];
    const prepaidCents = (toCents(data["prepaid"]) ?? 0) + Math.max(0, -balanceCents);
    const tenantId = prepaidCents > 0 ? await getPayerId(row, execute) : undefined;
    const categoryId = context.categoryIdOf(RETAINED_EARNINGS_ACCOUNT);
    const charge = { leaseId, amountCents: balanceCents, dueDate: date, chargeType: "other", name: "Opening balance", categoryId };
    const chargeId = balanceCents > 0 ? await createCharge(execute, id, charge) : undefined;
    if (tenantId === undefined) return chargeId ?? leaseId;
    const payment = { tenantId, leaseId, amountCents: prepaidCents, paymentMethod: "other", receivedAt: receiptTimeOf(date, context) };
    const recordPrepayment = () => recordPayment(execute, `${id} prepaid`, payment);
    if (chargeId === undefined) return recordPrepayment();
    const outcome = "The charge of the balance was created, but the prepayment was refused. Record the prepayment by hand.";
    await completeRecord(chargeId, outcome, async () => void (await recordPrepayment()));
    return chargeId;
  },
};

export const chargeWriter: Writer = {
  create: ({ id, data, linkedIds }, execute, { categoryIdOf }) => {
    // A deposit is always credited to the deposit liability.
    const categoryCode = data["type"] === "deposit" ? undefined : data["category_code"];
    const categoryId = categoryCode === undefined ? undefined : categoryIdOf(categoryCode);
    const requiredFields = {
      leaseId: linkedIds["lease"],
      amountCents: toCents(data["amount"]),
      dueDate: data["due_date"] ?? data["date"],
      chargeType: data["type"] ?? "other",
    };
    return createCharge(execute, id, omitUndefined({ ...requiredFields, name: data["label"], categoryId }));
  },
};

export const paymentWriter: Writer = {
  /** Records a payment and allocates it to the charge of the row, up to the charge's balance, or to the oldest charges if the row has no charge. */
  create: async (row, execute, context) => {
    const { id, data, linkedIds } = row;
    const [amountCents, chargeId] = [toCents(data["amount"])!, linkedIds["charge"]];
    const tenantId = await getPayerId(row, execute);
    const receivedAt = receiptTimeOf(data["received_date"]!, context);
    const requiredFields = { tenantId, leaseId: linkedIds["lease"], amountCents, paymentMethod: data["method"] ?? "other", receivedAt };
    const payment = omitUndefined({ ...requiredFields, checkNumber: data["check_number"], autoAllocate: chargeId === undefined });
    const paymentId = await recordPayment(execute, id, payment);
    const outcome = "The payment was recorded as credit, but its allocation was refused. Allocate the payment by hand.";
    if (chargeId !== undefined) await completeRecord(paymentId, outcome, () => allocateToCharge(execute, id, { paymentId, chargeId, amountCents }));
    return paymentId;
  },
};

/**
 * Allocates a payment to a charge, up to the balance of the charge. Payments of one charge are written at the same time, so a
 * refused allocation is repeated with the new balance, until the balance no longer changes.
 */
async function allocateToCharge(
  execute: ExecuteOperation,
  key: string,
  { paymentId, chargeId, amountCents }: { paymentId: string; chargeId: string; amountCents: number },
): Promise<void> {
  for (let refusedBalanceCents = 0; ;) {
    const { charge } = await execute<{ charge: { balanceCents: number } }>("ledger", "getCharge", "read", { params: { id: chargeId } });
    const { balanceCents } = charge;
    if (balanceCents === 0) return;
    const allocations = [{ chargeId, amountCents: Math.min(balanceCents, amountCents) }];
    try {
      return await execute("ledger", "allocatePayment", `${key} allocation`, { params: { id: paymentId }, body: { allocations } });
    } catch (error) {
      if (!isRefusal(error) || balanceCents === refusedBalanceCents) throw error;
      refusedBalanceCents = balanceCents;
    }
  }
}
