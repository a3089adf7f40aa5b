import { z } from "zod";
import { operationGroup } from "../operation.ts";
import { officeRoles } from "../roles.ts";
import { Id, NonNegativeCents, PlainDate, PositiveCents } from "../values.ts";

export const checkStatuses = ["pending", "issued", "cleared", "voided"] as const;
export const checkEntityTypes = ["expense_payment", "owner_payable", "security_deposit", "payment"] as const;

const Check = z
  .strictObject({
    number: z.string().nullable().describe("Number of the check, as it was recorded. Null for a check without a number."),
    date: PlainDate.describe("Day of the check, which is that of its journal entry."),
    payee: z.string().nullable().describe("Name of the payee, or null for a payment of expenses that names no vendor."),
    amountCents: PositiveCents.describe("Amount of the check in cents."),
    status: z
      .enum(checkStatuses)
      .describe(
        "Status of the check: `pending` until its payment is issued, `issued` until the bank has paid it, `cleared` once a finalized reconciliation has cleared it, or `voided`, also for a payment that failed.",
      ),
    reconciliationId: Id.nullable().describe("ID of the finalized reconciliation that has cleared the check, or null."),
    clearedOn: PlainDate.nullable().describe("Last day of the statement of that reconciliation, or null."),
    entityType: z
      .enum(checkEntityTypes)
      .describe(
        "Type of the record that the check pays: an expense payment, a payout to an owner, the refund of a security deposit, or the refund of a payment.",
      ),
    entityId: Id.describe("ID of that record."),
    journalEntryId: Id.describe("ID of the journal entry of the check."),
  })
  .meta({ id: "Check", description: "Check that was written on a bank account." });
export type Check = z.output<typeof Check>;

const MissingNumbers = z.strictObject({
  firstNumber: z.int().min(0).describe("First number that is missing."),
  lastNumber: z.int().min(0).describe("Last number that is missing, the same for a single one."),
});

export const CheckRegister = z
  .strictObject({
    bankAccountId: Id.describe("ID of the bank account."),
    bankAccountName: z.string().describe("Name of the bank account."),
    from: PlainDate.describe("First day of the register."),
    to: PlainDate.describe("Last day of the register."),
    checks: z.array(Check).describe("Checks by number, then those whose number is not numeric, and those without one, by date."),
    missingNumbers: z
      .array(MissingNumbers)
      .describe("Ranges of numbers between the first and the last numeric one that no check of the account has, also outside of the period."),
    totals: z
      .strictObject({
        amountCents: NonNegativeCents.describe("Sum of the checks in cents, without voided ones."),
        clearedCents: NonNegativeCents.describe("Sum of the cleared checks in cents."),
        outstandingCents: NonNegativeCents.describe("Sum of the pending and issued checks in cents."),
        voidedCents: NonNegativeCents.describe("Sum of the voided checks in cents."),
      })
      .describe("Sums of the checks."),
  })
  .meta({ id: "CheckRegister", description: "Checks of a bank account in a period." });
export type CheckRegister = z.output<typeof CheckRegister>;

export const checkRegister = operationGroup("Bank accounts", "ledger", {
  getCheckRegister: {
    method: "GET",
    path: "/api/trust/bank-accounts/{id}/check-register",
    summary: "read the check register of a bank account",
    access: officeRoles,
    description:
      "Checks that were written on the bank account, by number: payments of expenses, payouts to owners, and refunds of security deposits and of payments whose method is `check`. Limited to 5,000 checks (400 `max`).",
    query: z.strictObject({
      from: PlainDate.optional().describe("First day of the register. Default: January 1 of the year of `to`."),
      to: PlainDate.optional().describe("Last day of the register, not before `from`. Default: today."),
      format: z
        .enum(["json", "csv", "pdf"])
        .optional()
        .describe(
          "Format of the register: `json`, `csv` for a file with one row per check, or `pdf` for pages of letter size. Default: the format in the header `Accept`, otherwise `json`.",
        ),
    }),
    response: { checkRegister: CheckRegister },
    fileContentTypes: ["text/csv", "application/pdf"],
  },
});
