/** Events that the ledger publishes. */
import { z } from "zod";
import {
  noData,
  day,
  leaseData,
  paymentData,
  adjustmentData,
  bankAccountData,
  decidedExpenseData,
  depositData,
  expenseData,
  expensePaymentData,
  transferData,
  periodData,
  ruleData,
} from "../event-data.ts";
import { defineEvents } from "../event-definition.ts";
import { Id, Instant } from "../values.ts";

import { budgetStatuses } from "./budgets.ts";

const budgetData = z.strictObject({
  propertyId: Id.nullable().describe("ID of the property of the budget. Null for a budget of the whole portfolio."),
  fiscalYear: z.int().describe("Fiscal year of the budget."),
  status: z.enum(budgetStatuses).describe("Status of the budget."),
});

export const ledgerEvents = defineEvents({
  "charge.posted": {
    from: "ledger",
    entity: "charge",
    description: "A charge was posted.",
    data: leaseData.extend({ dueDate: day("Date by which the charge must be paid.") }),
  },
  "charge.updated": {
    from: "ledger",
    entity: "charge",
    description: "The name, memo or due date of a charge changed.",
    data: leaseData.extend({ dueDate: day("Date by which the charge must be paid.") }),
  },
  "charge.voided": { from: "ledger", entity: "charge", description: "A charge was voided.", data: leaseData },
  "charge.credited": { from: "ledger", entity: "charge", description: "A charge was reduced by a credit.", data: leaseData },
  "charge.credit_reversed": { from: "ledger", entity: "charge", description: "A credit of a charge was reversed.", data: leaseData },
  "charge.late_fee_assessed": {
    from: "ledger",
    entity: "charge",
    description: "A late fee was charged for unpaid rent.",
    data: leaseData.extend({
      dueDate: day("Day of the late fee."),
      lateFeeForChargeId: Id.describe("ID of the unpaid charge."),
    }),
  },
  "charge.late_fee_voided": {
    from: "ledger",
    entity: "charge",
    description: "A late fee was voided automatically: its charge was voided, or settled before the fee was due.",
    data: leaseData.extend({ lateFeeForChargeId: Id.describe("ID of the charge that was voided or settled in time.") }),
  },
  "charge.overdue": {
    from: "ledger",
    entity: "charge",
    description: "A charge became overdue: its due date passed without full payment.",
    data: leaseData.extend({ dueDate: day("Date by which the charge must be paid.") }),
  },
  "recurring_charge.created": {
    from: "ledger",
    entity: "recurring_charge",
    description: "A recurring charge was created.",
    data: ruleData,
  },
  "recurring_charge.updated": {
    from: "ledger",
    entity: "recurring_charge",
    description: "A recurring charge was paused, resumed, activated or ended.",
    data: ruleData,
  },
  "recurring_charge.terms_changed": {
    from: "ledger",
    entity: "recurring_charge",
    description: "The terms or the end date of a recurring charge changed.",
    data: ruleData,
  },
  "recurring_charge.deleted": {
    from: "ledger",
    entity: "recurring_charge",
    description: "The draft of a recurring charge was deleted.",
    data: ruleData,
  },
  "payment.received": {
    from: "ledger",
    entity: "payment",
    description: "A payment was recorded.",
    data: paymentData.extend({ receivedAt: Instant.describe("Time at which the money was received.") }),
  },
  "payment.allocated": { from: "ledger", entity: "payment", description: "A payment was allocated to charges.", data: paymentData },
  "payment.allocation_released": {
    from: "ledger",
    entity: "payment",
    description: "An allocation of a payment was removed; its charge is open again.",
    data: paymentData.extend({ chargeId: Id.describe("ID of the charge that is open again.") }),
  },
  "payment.reversed": {
    from: "ledger",
    entity: "payment",
    description: "A payment was reversed; its charges are open again.",
    data: paymentData.extend({ reason: z.string().describe("Reason for the reversal.") }),
  },
  "payment.refunded": {
    from: "ledger",
    entity: "payment",
    description: "Credit of a payment was paid back to the payer.",
    data: paymentData.extend({
      status: z.enum(["received", "refunded"]).describe("Status of the payment: `refunded` once its whole amount was paid back, otherwise `received`."),
    }),
  },
  "payment.refund_voided": {
    from: "ledger",
    entity: "payment",
    description: "A refund of a payment was voided; its amount is credit of the payment again.",
    data: paymentData,
  },
  "deposit.created": { from: "ledger", entity: "deposit", description: "A deposit of payments at a bank was recorded.", data: depositData },
  "deposit.voided": { from: "ledger", entity: "deposit", description: "A deposit was voided; its payments are undeposited again.", data: depositData },
  "expense.created": { from: "ledger", entity: "expense", description: "An expense was recorded.", data: expenseData },
  "expense.updated": { from: "ledger", entity: "expense", description: "An expense was changed.", data: expenseData },
  "expense.approved": { from: "ledger", entity: "expense", description: "An expense was approved.", data: decidedExpenseData },
  "expense.rejected": { from: "ledger", entity: "expense", description: "An expense was rejected.", data: decidedExpenseData },
  "expense.voided": { from: "ledger", entity: "expense", description: "An expense was voided.", data: expenseData },
  "expense_payment.recorded": { from: "ledger", entity: "expense_payment", description: "A payment of expenses was recorded.", data: expensePaymentData },
  "expense_payment.updated": {
    from: "ledger",
    entity: "expense_payment",
    description: "The memo or reference number of a payment of expenses was changed.",
    data: expensePaymentData,
  },
  "expense_payment.allocated": {
    from: "ledger",
    entity: "expense_payment",
    description: "A payment of expenses was allocated to expenses.",
    data: expensePaymentData,
  },
  "expense_payment.allocation_released": {
    from: "ledger",
    entity: "expense_payment",
    description: "An allocation of a payment of expenses was removed; its expense is owed again.",
    data: expensePaymentData,
  },
  "expense_payment.issued": { from: "ledger", entity: "expense_payment", description: "A pending payment of expenses was issued.", data: expensePaymentData },
  "expense_payment.failed": {
    from: "ledger",
    entity: "expense_payment",
    description: "A payment of expenses failed; its expenses are owed again.",
    data: expensePaymentData,
  },
  "expense_payment.voided": {
    from: "ledger",
    entity: "expense_payment",
    description: "A payment of expenses was voided; its expenses are owed again.",
    data: expensePaymentData,
  },
  "bank_account.created": { from: "ledger", entity: "bank_account", description: "A bank account was created.", data: bankAccountData },
  "bank_account.updated": {
    from: "ledger",
    entity: "bank_account",
    description: "A bank account was changed, archived by a change, or restored.",
    data: bankAccountData.extend({ isActive: z.boolean().describe("`false` for an archived account.") }),
  },
  "bank_account.archived": { from: "ledger", entity: "bank_account", description: "A bank account was archived.", data: bankAccountData },
  "transfer.created": { from: "ledger", entity: "transfer", description: "A transfer between bank accounts was recorded.", data: transferData },
  "transfer.voided": { from: "ledger", entity: "transfer", description: "A transfer between bank accounts was voided.", data: transferData },
  "adjustment.created": { from: "ledger", entity: "adjustment", description: "A fee or interest of a bank was recorded.", data: adjustmentData },
  "adjustment.voided": { from: "ledger", entity: "adjustment", description: "A fee or interest of a bank was voided.", data: adjustmentData },
  "journal_entry.posted": { from: "ledger", entity: "journal_entry", description: "A manual journal entry was posted.", data: noData },
  "journal_entry.reversed": {
    from: "ledger",
    entity: "journal_entry",
    description: "A journal entry was reversed.",
    data: z.strictObject({ reversedById: Id.describe("ID of the reversing entry.") }),
  },
  "period.soft_closed": { from: "ledger", entity: "accounting_period", description: "An accounting period was soft-closed.", data: periodData },
  "period.closed": { from: "ledger", entity: "accounting_period", description: "An accounting period was closed.", data: periodData },
  "period.reopened": { from: "ledger", entity: "accounting_period", description: "An accounting period was reopened.", data: periodData },
  "budget.created": { from: "ledger", entity: "budget", description: "A budget was created.", data: budgetData },
  "budget.updated": { from: "ledger", entity: "budget", description: "A budget changed: its details or lines.", data: budgetData },
  "budget.activated": { from: "ledger", entity: "budget", description: "A budget was activated.", data: budgetData },
  "budget.archived": { from: "ledger", entity: "budget", description: "A budget was archived.", data: budgetData },
  "budget.deleted": { from: "ledger", entity: "budget", description: "A budget was deleted.", data: budgetData },
});
