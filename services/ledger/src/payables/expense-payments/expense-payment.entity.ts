/** Tables of payments of expenses and of their allocations. */
import { expensePaymentMethods, expensePaymentStatuses } from "@freehold/contract/payables/expense-payments";
import { cents, defineEntity, enumText, orgColumns, p, plainDate, inPortalReach } from "@freehold/kit/db/entity";

const ExpensePaymentSchema = defineEntity({
  name: "ExpensePayment",
  tableName: "expense_payment",
  ...inPortalReach,
  indexes: [
    { properties: ["organizationId", "paidAt", "id"], name: "expense_payment_by_time" },
    {
      name: "expense_payment_by_vendor",
      expression: "create index expense_payment_by_vendor on expense_payment (organization_id, vendor_id) where vendor_id is not null",
    },
  ],
  properties: {
    ...orgColumns,
    vendorId: p.uuid().nullable(),
    amountCents: cents(),
    unallocatedCents: cents(),
    paymentMethod: enumText(expensePaymentMethods),
    status: enumText(expensePaymentStatuses),
    /** Account of the chart. */
    accountId: p.uuid(),
    /** Null for a payment from an account of the chart that had no bank account. */
    bankAccountId: p.uuid().nullable(),
    paidAt: p.datetime(3),
    /** Day of the journal entry. */
    paidOn: plainDate(),
    referenceNumber: p.text().nullable(),
    memo: p.text().nullable(),
    entryId: p.uuid(),
    endedAt: p.datetime(3).nullable(),
    voidReason: p.text().nullable(),
  },
});
/** Payment of expenses from a bank account. Its amount never changes. */
export class ExpensePayment extends ExpensePaymentSchema.class {}
ExpensePaymentSchema.setClass(ExpensePayment);

const ExpenseAllocationSchema = defineEntity({
  name: "ExpenseAllocation",
  tableName: "expense_allocation",
  ...inPortalReach,
  indexes: [
    { properties: ["organizationId", "expensePaymentId"], name: "expense_allocation_by_payment" },
    { properties: ["organizationId", "expenseId"], name: "expense_allocation_by_expense" },
  ],
  properties: {
    ...orgColumns,
    expensePaymentId: p.uuid(),
    expenseId: p.uuid(),
    amountCents: cents(),
    /** Day of the entry that settles the expense. */
    settledOn: plainDate(),
    entryId: p.uuid(),
    /** Set when the allocation no longer settles the expense; the row is kept for the trail. */
    releasedAt: p.datetime(3).nullable(),
    /** Entry of the removal of a single allocation; null when the payment failed or was voided. */
    releaseEntryId: p.uuid().nullable(),
  },
});
/** Part of a payment that settles an expense. */
export class ExpenseAllocation extends ExpenseAllocationSchema.class {}
ExpenseAllocationSchema.setClass(ExpenseAllocation);
