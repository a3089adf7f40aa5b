/** Accounting periods: calendar months that are closed in order. */
import { z } from "zod";
import { body, operationGroup } from "../operation.ts";
import { admins, adminsAndManagers, officeRoles } from "../roles.ts";
import { Id, Instant, PlainDate, queryInteger, text } from "../values.ts";

export const AccountingPeriod = z
  .strictObject({
    id: Id.describe("ID of the period."),
    organizationId: Id.describe("ID of the organization the period belongs to."),
    propertyId: Id.nullable().describe("Always null: periods are closed for all properties together."),
    startDate: PlainDate.describe("First day of the period, the first of a month."),
    endDate: PlainDate.describe("Last day of the period, the last of the month."),
    status: z
      .enum(["open", "soft_closed", "closed"])
      .describe(
        "Status of the period. Nothing is posted into a `soft_closed` or `closed` period, except that admins can post and create journal entries in a `soft_closed` period with the header `X-Period-Override`.",
      ),
    note: z.string().nullable().describe("Note of the last close, or null."),
    closedAt: Instant.nullable().describe("Time of the last close or soft close. Null while the period is open."),
    closedByUserId: Id.nullable().describe("ID of the user who closed the period. Null while the period is open."),
    reopenedAt: Instant.nullable().describe("Time at which the period was last reopened, or null."),
    reopenReason: z.string().nullable().describe("Reason for which the period was last reopened, or null."),
  })
  .meta({ id: "AccountingPeriod", description: "Calendar month of the accounts. Months are closed in order, the earliest with postings first." });
export type AccountingPeriod = z.output<typeof AccountingPeriod>;

export const checklistKeys = [
  "draft_entries",
  "unreconciled_bank_accounts",
  "unposted_recurring_charges",
  "unallocated_payments",
  "negative_owner_ledgers",
  "three_way_variance",
  "moved_entries",
] as const;

const ChecklistItem = z
  .strictObject({
    key: z.enum(checklistKeys).describe("Check. `moved_entries` counts the entries that closed periods moved to a later date, and is always ok."),
    ok: z.boolean().describe("Indicates that the check does not prevent closing the period."),
    count: z.int().min(0).describe("Number of findings."),
    detail: z.string().describe("Sentence that describes the findings and the remedy."),
  })
  .meta({ id: "PeriodChecklistItem", description: "Check of a period before it is closed." });

const CloseTerms = body({
  force: z.boolean().default(false).describe("Close the period although checks of the checklist fail. Default: `false`."),
  note: text(1, 500).optional().describe("Note to keep with the period, such as the reason for closing it with failed checks."),
});

const response = { period: AccountingPeriod };
const CLOSING_RULES =
  "Periods close in order: 409 names the earliest open month with postings. Without `force`, 409 has the failed checks in `errors`. A period that has not ended cannot be closed.";

export const accountingPeriods = operationGroup("Accounting", "ledger", {
  listAccountingPeriods: {
    method: "GET",
    path: "/api/accounting/periods",
    summary: "list accounting periods",
    access: officeRoles,
    description:
      "Returns the months of a year; without `year`, the months from the earliest one with postings or a period to the current one, at most the latest 120.",
    query: z.strictObject({
      year: queryInteger(1900, 2199).optional().describe("Calendar year whose twelve months are returned."),
      propertyId: Id.optional().describe("ID of a property. Periods are closed for all properties together, so the result is the same for each."),
    }),
    response: { periods: z.array(AccountingPeriod).describe("Periods by start date, earliest first.") },
  },
  checkAccountingPeriod: {
    method: "POST",
    path: "/api/accounting/periods/{id}/check",
    summary: "check accounting periods",
    access: adminsAndManagers,
    description: "Runs the checks of the close without closing the period.",
    body: body({}),
    response: { checklist: z.array(ChecklistItem).describe("All checks, in a fixed order.") },
    changesNothing: true,
  },
  softCloseAccountingPeriod: {
    method: "POST",
    path: "/api/accounting/periods/{id}/soft-close",
    summary: "soft-close accounting periods",
    access: adminsAndManagers,
    description: `Closes a period to all postings except journal entries of admins with the header \`X-Period-Override\`. ${CLOSING_RULES}`,
    body: CloseTerms,
    response,
    errors: [409],
  },
  closeAccountingPeriod: {
    method: "POST",
    path: "/api/accounting/periods/{id}/close",
    summary: "close accounting periods",
    access: adminsAndManagers,
    description: `Closes a period. From then on, automatic postings that fall into the period are dated the first open day; manual journal entries and charges are refused (409 \`period_closed\`). ${CLOSING_RULES}`,
    body: CloseTerms,
    response,
    errors: [409],
  },
  reopenAccountingPeriod: {
    method: "POST",
    path: "/api/accounting/periods/{id}/reopen",
    summary: "reopen accounting periods",
    access: admins,
    description:
      "Opens a closed or soft-closed period. Only the last one can be reopened: 409 while a later period is closed, and while a finalized reconciliation depends on it: one of a statement that ends in the period or later.",
    body: body({ reason: text(1, 500).describe("Reason for reopening the period.") }),
    response,
    errors: [409],
  },
});
