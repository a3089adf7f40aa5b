/** What was owed, held and paid in the old system. */
import { cents, noon, said, type Create, type Row } from "./writable-row.ts";
import type { Asked, Perform } from "./operation-batcher.ts";

/** The account of what was earned before the books were kept here. */
const RETAINED_EARNINGS = "3900";

const charge = async (perform: Perform, key: string, asked: Asked): Promise<string> =>
  (await perform<{ charge: { id: string } }>("ledger", "createCharge", key, asked)).charge.id;
const payment = async (perform: Perform, key: string, body: object): Promise<string> =>
  (await perform<{ payment: { id: string } }>("ledger", "recordPayment", key, { body: { ...body, idempotencyKey: `import ${key}` } })).payment.id;

/** Who pays for a lease where the row names nobody: its first tenant. */
const payerOf = async ({ linked }: Row, perform: Perform): Promise<string> =>
  linked["tenant"] ?? (await perform<{ lease: { tenantId: string } }>("portfolio", "getLease", "read", { params: { id: linked["lease"]! } })).lease.tenantId;

/** A deposit that is held: charged and paid on the day that it was received, so that the liability is kept for the lease. */
export const createDeposit: Create = async (row, perform, { today }) => {
  const { id, data, linked } = row;
  const [day, amountCents, leaseId] = [data["received_date"] ?? today, cents(data["amount_held"])!, linked["lease"]];
  const tenantId = await payerOf(row, perform);
  const chargeId = await charge(perform, id, { body: { leaseId, amountCents, dueDate: day, chargeType: "deposit", name: "Security deposit" } });
  const allocations = [{ chargeId, amountCents }];
  await payment(perform, `${id} payment`, { tenantId, leaseId, amountCents, paymentMethod: "other", receivedAt: noon(day), allocations });
  return chargeId;
};

/** What a lease owes when the books begin, as a charge of its own; what was paid ahead, as a payment that is not allocated. */
export const createOpeningBalance: Create = async (row, perform, { accountOf }) => {
  const { id, data, linked } = row;
  const [balance, day, leaseId] = [cents(data["balance"])!, data["as_of"]!, linked["lease"]!];
  const ahead = (cents(data["prepaid"]) ?? 0) + Math.max(0, -balance);
  const tenantId = ahead > 0 ? await payerOf(row, perform) : undefined;
  const terms = { leaseId, amountCents: balance, dueDate: day, chargeType: "other", name: "Opening balance", categoryId: accountOf(RETAINED_EARNINGS) };
  const owed = balance > 0 ? await charge(perform, id, { body: terms }) : undefined;
  if (tenantId === undefined) return owed ?? leaseId;
  const paid = await payment(perform, `${id} prepaid`, { tenantId, leaseId, amountCents: ahead, paymentMethod: "other", receivedAt: noon(day) });
  return owed ?? paid;
};

export const createCharge: Create = ({ id, data, linked }, perform, { accountOf }) => {
  const categoryId = data["category_code"] === undefined ? undefined : accountOf(data["category_code"]);
  const terms = {
    leaseId: linked["lease"],
    amountCents: cents(data["amount"]),
    dueDate: data["due_date"] ?? data["date"],
    chargeType: data["type"] ?? "other",
  };
  return charge(perform, id, { body: said({ ...terms, name: data["label"], categoryId }) });
};

/** A payment, allocated to the charge that it names as far as that is open, and otherwise to the oldest first. */
export const createPayment: Create = async (row, perform) => {
  const { id, data, linked } = row;
  const [amountCents, chargeId] = [cents(data["amount"])!, linked["charge"]];
  const tenantId = await payerOf(row, perform);
  const terms = { tenantId, leaseId: linked["lease"], amountCents, paymentMethod: data["method"] ?? "other", receivedAt: noon(data["received_date"]!) };
  const paymentId = await payment(perform, id, said({ ...terms, checkNumber: data["check_number"], autoAllocate: chargeId === undefined }));
  if (chargeId !== undefined) {
    const { charge: paid } = await perform<{ charge: { balanceCents: number } }>("ledger", "getCharge", "read", { params: { id: chargeId } });
    const allocations = [{ chargeId, amountCents: Math.min(paid.balanceCents, amountCents) }];
    if (paid.balanceCents > 0) await perform("ledger", "allocatePayment", `${id} allocation`, { params: { id: paymentId }, body: { allocations } });
  }
  return paymentId;
};
