/** Payloads that several events share. */
import { z } from "zod";
import { blastStatuses } from "./communications/blasts.ts";
import { emailAccountStatuses } from "./communications/email-accounts.ts";
import { suppressionReasons } from "./communications/suppressions.ts";
import { inspectionStatuses, inspectionTypes } from "./maintenance/inspections.ts";
import { importBundleStatuses } from "./imports/import-bundles.ts";
import { portalRoles, roles } from "./roles.ts";
import { expensePaymentStatuses } from "./payables/expense-payments.ts";
import { adjustmentKinds, bankAccountTypes } from "./trust/bank-accounts.ts";
import { diagnosticKeys, diagnosticSeverities } from "./trust/diagnostics.ts";
import { Id, Instant, PlainDate } from "./values.ts";

export const noData = z.strictObject({});
export const day = (description: string) => PlainDate.describe(description);
const accessVersion = z
  .int()
  .min(0)
  .describe("Current access version of the user or service key. Access tokens with a lower `accessVersion` are no longer accepted.");
export const userData = z.strictObject({ role: z.enum(roles).describe("Role of the user.") });
export const changedUserData = userData.extend({ accessVersion });
export const accessData = z.strictObject({ accessVersion });
export const unitData = z.strictObject({ propertyId: Id.describe("ID of the property of the unit.") });
export const leaseData = z.strictObject({
  leaseId: Id.describe("ID of the lease."),
  tenantId: Id.describe("ID of the primary tenant of the lease."),
  propertyId: Id.describe("ID of the property of the lease."),
  unitId: Id.describe("ID of the unit of the lease."),
});
export const paymentData = z.strictObject({
  tenantId: Id.describe("ID of the tenant who paid."),
  leaseId: Id.nullable().describe("ID of the lease of the payment. Null for a payment that names only the tenant."),
});
export const expenseData = z.strictObject({
  propertyId: Id.describe("ID of the property that bears the expense."),
  vendorId: Id.nullable().describe("ID of the vendor, or null."),
});

export const decidedExpenseData = expenseData.extend({ reason: z.string().nullable().describe("Reason for the decision, or null.") });

export const expensePaymentData = z.strictObject({
  vendorId: Id.nullable().describe("ID of the vendor who is paid, or null."),
  status: z.enum(expensePaymentStatuses).describe("Status of the payment."),
});

export const feeAgreementData = z.strictObject({ propertyId: Id.describe("ID of the property of the agreement.") });

export const feeRunData = z.strictObject({
  periodStart: PlainDate.describe("First day of the charged period."),
  periodEnd: PlainDate.describe("Last day of the charged period."),
});

export const bankAccountData = z.strictObject({ accountType: z.enum(bankAccountTypes).describe("Type of the bank account.") });

export const transferData = z.strictObject({
  fromBankAccountId: Id.describe("ID of the bank account that the money leaves."),
  toBankAccountId: Id.describe("ID of the bank account that the money reaches."),
});

export const adjustmentData = z.strictObject({
  bankAccountId: Id.describe("ID of the bank account."),
  kind: z.enum(adjustmentKinds).describe("`bank_fee` or `interest`."),
});

export const ownerMoneyData = z.strictObject({
  ownerId: Id.describe("ID of the owner who paid or is paid."),
  propertyId: Id.describe("ID of the property of the money."),
});

export const ownerStatementData = z.strictObject({
  ownerId: Id.describe("ID of the owner of the statement."),
  delivery: z.enum(["email", "portal", "none"]).describe("Delivery to the owner: a link by e-mail, a notification in the portal, or none."),
});

export const depositData = z.strictObject({
  bankAccountId: Id.describe("ID of the bank account of the deposit; of the account of the chart while it has no bank account."),
  depositedOn: day("Day of the deposit."),
});
export const reconciliationData = z.strictObject({
  bankAccountId: Id.describe("ID of the bank account."),
  statementEndDate: day("Last day of the statement."),
});

const diagnosticKey = z.enum(diagnosticKeys).describe("Check of the diagnostic.");
export const raisedDiagnosticData = z.strictObject({
  key: diagnosticKey,
  severity: z.enum(diagnosticSeverities).describe("Urgency of the findings."),
  count: z.int().min(1).describe("Number of findings."),
});
export const clearedDiagnosticData = z.strictObject({ key: diagnosticKey });

export const bankStatementData = z.strictObject({
  bankAccountId: Id.describe("ID of the bank account."),
  addedCount: z.int().min(0).describe("Number of statement lines that the upload added."),
});

export const periodData = z.strictObject({
  startDate: PlainDate.describe("First day of the period."),
  endDate: PlainDate.describe("Last day of the period."),
});
export const ruleData = z.strictObject({
  leaseId: Id.nullable().describe("ID of the lease of the recurring charge rule. Null for a rule of a unit."),
  status: z.string().describe("Status of the recurring charge rule."),
});
export const workOrderData = z.strictObject({
  propertyId: Id.describe("ID of the property of the work order."),
  unitId: Id.nullable().describe("ID of the unit of the work order, or null."),
  status: z.enum(["open", "in_progress", "completed", "cancelled"]).describe("Status of the work order."),
});
export const inspectionData = z.strictObject({
  propertyId: Id.describe("ID of the property of the inspection."),
  unitId: Id.nullable().describe("ID of the unit of the inspection, or null."),
  leaseId: Id.nullable().describe("ID of the lease of the inspection, or null."),
  type: z.enum(inspectionTypes).describe("Type of the inspection."),
  status: z.enum(inspectionStatuses).describe("Status of the inspection."),
});
export const attachmentData = z.strictObject({
  entityType: z.string().describe("Type of the resource that the note or document is attached to."),
  entityId: Id.describe("ID of the resource that the note or document is attached to."),
});
export const inviteData = z.strictObject({
  kind: z.enum(["user", ...portalRoles]).describe("Kind of the invited account."),
  subjectId: Id.nullable().describe("ID of the invited tenant, owner or vendor. Null for an office user."),
});
export const blastData = z.strictObject({
  status: z.enum(blastStatuses).describe("Status of the blast."),
  dispatched: z.int().min(0).describe("Number of messages that their provider has accepted."),
  failed: z.int().min(0).describe("Number of messages that failed."),
  pending: z.int().min(0).describe("Number of messages that are still attempted."),
  total: z.int().min(0).describe("Number of all messages, without skipped ones."),
});
export const emailAccountData = z.strictObject({ status: z.enum(emailAccountStatuses).describe("Status of the e-mail account.") });
export const suppressionData = z.strictObject({ reason: z.enum(suppressionReasons).describe("Reason of the suppression.") });
export const bundleData = z.strictObject({ status: z.enum(importBundleStatuses).describe("Status of the import bundle.") });
export const progressData = z.strictObject({
  phase: z.string().describe("Current phase of the import."),
  processed: z.int().min(0).describe("Number of steps completed in the current run."),
  total: z.int().min(0).describe("Number of steps of the current run."),
  rowsPerSecond: z.number().min(0).nullable().describe("Average number of steps per second in the last seconds. Null during the first second."),
  estimatedEndAt: Instant.nullable().describe("Estimated time at which `processed` reaches `total`. Null while `rowsPerSecond` is."),
});
