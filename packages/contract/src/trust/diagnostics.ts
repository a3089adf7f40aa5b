import { z } from "zod";
import { operationGroup } from "../operation.ts";
import { officeRoles } from "../roles.ts";
import { Cents, csvEnum, Id, NonNegativeCents, PlainDate } from "../values.ts";

export const diagnosticKeys = [
  "negative_owner_ledger",
  "negative_bank_balance",
  "deposit_mismatch",
  "prepaid_mismatch",
  "unused_prepayment",
  "reserve_not_met",
  "stale_undeposited",
  "stale_outstanding_check",
  "reconciliation_lapsed",
  "vendor_insurance_lapsed",
  "journal_unbalanced",
  "allocation_mismatch",
  "deposit_disposition_due",
  "owner_receivable",
  "property_imbalance",
  "unassigned_bank_money",
  "moved_entries",
] as const;
export const diagnosticSeverities = ["info", "warning", "critical"] as const;
export const diagnosticEntityTypes = [
  "owner",
  "property",
  "bank_account",
  "tenant",
  "payment",
  "charge",
  "security_deposit",
  "vendor",
  "journal_entry",
  "account",
] as const;

/** Maximum number of items in a diagnostic. */
export const MAX_DIAGNOSTIC_ITEMS = 100;

const DiagnosticItem = z
  .strictObject({
    entityType: z.enum(diagnosticEntityTypes).describe("Type of the record."),
    entityId: Id.describe("ID of the record."),
    name: z.string().describe("Name of the record, such as that of a bank account or of a tenant; for an owner that of the property."),
    propertyId: Id.nullable().describe("ID of the property concerned, or null."),
    bankAccountId: Id.nullable().describe("ID of the bank account concerned, or null."),
    date: PlainDate.nullable().describe("Day on which the finding began or is due, or null."),
    amountCents: Cents.nullable().describe("Amount of the finding in cents, negative for money that is missing. Null for one without an amount."),
  })
  .meta({ id: "DiagnosticItem", description: "Record with a finding." });
export type DiagnosticItem = z.output<typeof DiagnosticItem>;

export const Diagnostic = z
  .strictObject({
    key: z
      .enum(diagnosticKeys)
      .describe(
        "Check: an owner's money at a property, or the management company's money in a trust account, is negative (`negative_owner_ledger`, with the bank account as the record for the company); a bank account is overdrawn (`negative_bank_balance`); security-deposit accounts hold other money than deposits, or deposits are elsewhere (`deposit_mismatch`); prepaid rent differs from the credit of payments or is missing in a bank account (`prepaid_mismatch`); a tenant has both credit and due charges (`unused_prepayment`); the money of a property is below its reserve (`reserve_not_met`); payments are undeposited for more than 3 days (`stale_undeposited`); withdrawals are outstanding for more than 90 days (`stale_outstanding_check`); a bank account is not reconciled for more than 45 days (`reconciliation_lapsed`); the liability insurance of an active vendor has expired (`vendor_insurance_lapsed`); an entry does not balance (`journal_unbalanced`); a payment or charge differs from its allocations (`allocation_mismatch`); a disposition is due within 7 days (`deposit_disposition_due`); a property is owed money (`owner_receivable`, account 1150); a manual entry does not balance at each property (`property_imbalance`); money is posted to a bank without a bank account (`unassigned_bank_money`); closed periods have moved entries to a later date (`moved_entries`).",
      ),
    severity: z.enum(diagnosticSeverities).describe("Urgency of the findings. `deposit_disposition_due` is `critical` once a deadline has passed."),
    count: z.int().min(0).describe("Number of findings; 0 when the check passes."),
    amountCents: NonNegativeCents.describe("Sum of the amounts of the findings in cents, each without its sign."),
    items: z.array(DiagnosticItem).describe(`Findings with the largest amounts, at most ${MAX_DIAGNOSTIC_ITEMS}.`),
    help: z.string().describe("What to do about the findings."),
  })
  .meta({ id: "Diagnostic", description: "Check of the trust accounts and the ledger, with its findings today." });
export type Diagnostic = z.output<typeof Diagnostic>;

export const diagnostics = operationGroup("Diagnostics", "ledger", {
  listDiagnostics: {
    method: "GET",
    path: "/api/trust/diagnostics",
    summary: "check the trust accounts",
    access: officeRoles,
    description:
      "Runs all checks on the current state and returns each of them, also those without findings. Once a day, `trust.diagnostic_raised` is published for each check that has findings for the first time, and `trust.diagnostic_cleared` when it has none anymore; also at once after an operation that the policy `trustOverdraft` `warn` has permitted.",
    query: z.strictObject({ key: csvEnum(diagnosticKeys).optional().describe("Run only these checks, repeated or comma-separated.") }),
    response: { diagnostics: z.array(Diagnostic).describe("Checks in a fixed order.") },
  },
});
