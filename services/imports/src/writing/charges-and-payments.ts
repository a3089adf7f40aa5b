/** Writers of deposits, opening balances, charges and payments. */
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { RETAINED_EARNINGS_ACCOUNT } from "../validation/accounts/category-account.rules.ts";
import { receiptTimeOf, toCents, type Writer } from "./writable-row.ts";

export const depositWriter: Writer = {
  /**
   * Records a deposit on the date it was received, so that the ledger holds it as a liability: in its bank account, with its owner, or in
   * undeposited funds by a charge and a payment.
   */
  create: async ({ key, data, linkedIds }, execute, context) => {
    const receivedOn = data["received_date"] ?? context.importDate;
    const holder = data["holder"] === "owner" ? "owner" : "organization";
    const terms = {
      leaseId: linkedIds["lease"],
      amountCents: toCents(data["amount_held"]),
      receivedOn,
      receivedAt: receiptTimeOf(receivedOn, context),
      holder,
    };
    const body = omitUndefined({ ...terms, bankAccountId: context.depositAccountIdOf(data) });
    return (await execute<{ recordId: string }>("ledger", "importDeposit", key, { body })).recordId;
  },
  fields: { leaseId: "lease_source_id", amountCents: "amount_held", receivedOn: "received_date", receivedAt: "received_date", bankAccountId: "bank_account" },
};

export const openingBalanceWriter: Writer = {
  /** Posts a charge for the balance due of a lease, against retained earnings, and records an unallocated payment for a prepayment. */
  create: async ({ key, data, linkedIds }, execute, context) => {
    const [balanceCents, asOf] = [toCents(data["balance"]) ?? 0, data["as_of"] ?? context.importDate];
    const body = {
      leaseId: linkedIds["lease"],
      balanceCents: Math.max(0, balanceCents),
      prepaidCents: (toCents(data["prepaid"]) ?? 0) + Math.max(0, -balanceCents),
      asOf,
      receivedAt: receiptTimeOf(asOf, context),
      categoryId: context.categoryIdOf(RETAINED_EARNINGS_ACCOUNT),
    };
    return (await execute<{ recordId: string }>("ledger", "importOpeningBalance", key, { body })).recordId;
  },
  fields: {
    leaseId: "lease_source_id",
    balanceCents: "balance",
    prepaidCents: "prepaid",
    amountCents: "balance",
    asOf: "as_of",
    dueDate: "as_of",
    receivedAt: "as_of",
  },
};

export const chargeWriter: Writer = {
  create: async ({ key, data, linkedIds }, execute, { categoryIdOf }) => {
    // A deposit is always credited to the deposit liability.
    const categoryCode = data["type"] === "deposit" ? undefined : data["category_code"];
    const categoryId = categoryCode === undefined ? undefined : categoryIdOf(categoryCode);
    const requiredFields = {
      leaseId: linkedIds["lease"],
      amountCents: toCents(data["amount"]),
      dueDate: data["due_date"] ?? data["date"],
      chargeType: data["type"] ?? "other",
    };
    const body = omitUndefined({ ...requiredFields, name: data["label"], categoryId });
    return (await execute<{ charge: { id: string } }>("ledger", "createCharge", key, { body })).charge.id;
  },
  fields: { leaseId: "lease_source_id", amountCents: "amount", dueDate: "due_date", chargeType: "type", name: "label", categoryId: "category_code" },
};

export const paymentWriter: Writer = {
  /** Records a payment that settles the charge of the row, up to the charge's balance, or the oldest charges if the row has no charge. */
  create: async ({ key, data, linkedIds }, execute, context) => {
    const { lease: leaseId, tenant: tenantId, charge: chargeId } = linkedIds;
    const receivedAt = receiptTimeOf(data["received_date"]!, context);
    const requiredFields = { amountCents: toCents(data["amount"]), paymentMethod: data["method"] ?? "other", receivedAt };
    const body = omitUndefined({ ...requiredFields, leaseId, tenantId, chargeId, checkNumber: data["check_number"] });
    return (await execute<{ paymentId: string }>("ledger", "importPayment", key, { body })).paymentId;
  },
  fields: {
    leaseId: "lease_source_id",
    tenantId: "tenant_source_id",
    chargeId: "applied_to_charge_source_id",
    amountCents: "amount",
    receivedAt: "received_date",
    checkNumber: "check_number",
  },
};
