/** All entities of the ledger, for the ORM and for the test that compares them with the migrated schema. */
import { LedgerSettingsRecord } from "./settings/ledger-settings.entity.ts";
import { Category } from "./chart/category.entity.ts";
import { AccountingPeriod } from "./periods/accounting-period.entity.ts";
import { Budget } from "./budgets/budget.entity.ts";
import { Charge, OpenCharge } from "./receivables/charges/charge.entity.ts";
import { ChargeCredit } from "./receivables/credits/charge-credit.entity.ts";
import { Deposit, DepositPayment } from "./receivables/deposits/deposit.entity.ts";
import { LeaseProjection, PropertyProjection, TenantProjection, UnitProjection, VendorProjection } from "./projections/projections.entity.ts";
import { AccountDay, AccountMonth, JournalEntry, JournalLine } from "./journal/journal-entry.entity.ts";
import { ListTotal } from "./list-total.entity.ts";
import { OwnerContribution } from "./owners/contributions/owner-contribution.entity.ts";
import { OwnerPayable } from "./owners/payables/owner-payable.entity.ts";
import { OwnerStatement } from "./owners/statements/owner-statement.entity.ts";
import { Payment, PaymentAllocation, PaymentRefund, PaymentReversal } from "./receivables/payments/payment.entity.ts";
import { Expense } from "./payables/expenses/expense.entity.ts";
import { ExpenseAllocation, ExpensePayment } from "./payables/expense-payments/expense-payment.entity.ts";
import { ManagementFeeAgreement } from "./payables/management-fees/agreements/agreement.entity.ts";
import { ManagementFeeReturn } from "./payables/management-fees/returns/return.entity.ts";
import { ManagementFee, ManagementFeeBase, ManagementFeeRun } from "./payables/management-fees/runs/run.entity.ts";
import { BankAccount } from "./trust/bank-accounts/bank-account.entity.ts";
import { BankAdjustment } from "./trust/adjustments/bank-adjustment.entity.ts";
import {
  SecurityDeposit,
  SecurityDepositCharge,
  SecurityDepositDeduction,
  SecurityDepositTransaction,
} from "./trust/security-deposits/security-deposit.entity.ts";
import { RaisedDiagnostic } from "./trust/diagnostics/diagnostic.entity.ts";
import { BankTransfer } from "./trust/transfers/bank-transfer.entity.ts";
import { Reconciliation, ReconciliationItem } from "./trust/reconciliations/reconciliation.entity.ts";
import { StatementLine, StatementUpload } from "./trust/statement-lines/statement-line.entity.ts";
import { RecurringChargeRule } from "./receivables/recurring-charges/recurring-charge.entity.ts";

export const entities = [
  LedgerSettingsRecord,
  Category,
  TenantProjection,
  PropertyProjection,
  UnitProjection,
  VendorProjection,
  LeaseProjection,
  JournalEntry,
  JournalLine,
  AccountDay,
  AccountMonth,
  AccountingPeriod,
  Budget,
  Charge,
  OpenCharge,
  ListTotal,
  RecurringChargeRule,
  ChargeCredit,
  Payment,
  PaymentAllocation,
  PaymentRefund,
  PaymentReversal,
  Deposit,
  DepositPayment,
  BankAccount,
  BankTransfer,
  BankAdjustment,
  OwnerContribution,
  OwnerPayable,
  OwnerStatement,
  StatementUpload,
  StatementLine,
  Reconciliation,
  ReconciliationItem,
  SecurityDeposit,
  SecurityDepositCharge,
  SecurityDepositDeduction,
  SecurityDepositTransaction,
  RaisedDiagnostic,
  Expense,
  ExpensePayment,
  ExpenseAllocation,
  ManagementFeeAgreement,
  ManagementFeeRun,
  ManagementFee,
  ManagementFeeBase,
  ManagementFeeReturn,
];
