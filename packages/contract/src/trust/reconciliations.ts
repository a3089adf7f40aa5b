import { z } from "zod";
import { entryListQuery } from "../ledger/entry-list.ts";
import { entrySources } from "../ledger/journal-entries.ts";
import { body, operationGroup } from "../operation.ts";
import { admins, adminsAndManagers, officeRoles } from "../roles.ts";
import { Cents, csvEnum, Id, Instant, listQuery, NonNegativeCents, page, PlainDate, QueryBoolean, text } from "../values.ts";

export const reconciliationStatuses = ["draft", "finalized", "voided"] as const;
export const matchReasons = ["manual", "reference", "same_day", "date_window", "reference_total", "day_total"] as const;
const beneficiaryKinds = ["owner", "deposit", "prepaid", "manager"] as const;

export const ThreeWay = z
  .strictObject({
    adjustedBankCents: Cents.describe("Balance of the statement in cents, plus the deposits in transit, less the outstanding checks."),
    depositsInTransitCents: NonNegativeCents.describe("Deposits in the books up to the end of the statement that have not cleared the bank, in cents."),
    outstandingChecksCents: NonNegativeCents.describe("Withdrawals in the books up to the end of the statement that have not cleared the bank, in cents."),
    bookCents: Cents.describe("Balance of the account in the books at the end of the statement, in cents."),
    liabilityCents: Cents.describe(
      "Money in cents that is owed to beneficiaries: the sum of their balances. A negative balance counts as 0, since nobody owes less because another's money was used, also that of another owner of the same property; for a `business` account it counts in full.",
    ),
    byBeneficiary: z
      .array(
        z.strictObject({
          kind: z
            .enum(beneficiaryKinds)
            .describe("Beneficiary of the money: the `owner` of a property, the tenant of a security `deposit` or of `prepaid` rent, or the `manager`."),
          id: Id.nullable().describe(
            "ID of the tenant of a deposit or of prepaid rent, or of the owner of the account or of the property: one that has had several owners up to the end of the statement is listed for each of them, with the money of the own ledger in the account. ID of the property for its money that belongs to no owner, and in proofs of earlier versions for that of several owners. Null for the manager.",
          ),
          propertyId: Id.nullable().describe("ID of the property that the money belongs to, or null."),
          propertyName: z.string().nullable().describe("Name of the property at the time of the proof, or null."),
          name: z.string().describe("Name of the tenant, owner or property of `id` at the time of the proof."),
          balanceCents: Cents.describe("Money of the beneficiary in the account in cents."),
        }),
      )
      .describe("Balances by beneficiary at the end of the statement, without those of zero."),
    isBalanced: z.boolean().describe("Indicates that the adjusted bank balance, the book balance and the liability are equal."),
  })
  .meta({ id: "ThreeWayProof", description: "Three-way proof of a bank account: bank, books and beneficiaries on the same day." });
export type ThreeWay = z.output<typeof ThreeWay>;

export const Reconciliation = z
  .strictObject({
    id: Id.describe("ID of the reconciliation."),
    organizationId: Id.describe("ID of the organization the reconciliation belongs to."),
    bankAccountId: Id.describe("ID of the bank account."),
    statementStartDate: PlainDate.describe(
      "First day of the statement: the day after the last finalized reconciliation, or the day of the account's first transaction.",
    ),
    statementEndDate: PlainDate.describe("Last day of the statement."),
    openingBalanceCents: Cents.describe(
      "Balance at the beginning in cents: the ending balance of the last finalized reconciliation, or for the first one the opening balance of the account.",
    ),
    statementEndingBalanceCents: Cents.describe("Balance in cents at the end of the statement, as the bank states it."),
    clearedDepositsCents: NonNegativeCents.describe("Deposits in cents that are cleared in this reconciliation."),
    clearedWithdrawalsCents: NonNegativeCents.describe("Withdrawals in cents that are cleared in this reconciliation."),
    clearedBalanceCents: Cents.describe("`openingBalanceCents` + `clearedDepositsCents` - `clearedWithdrawalsCents`."),
    differenceCents: Cents.describe("`statementEndingBalanceCents` - `clearedBalanceCents`. It must be 0 to finalize."),
    status: z
      .enum(reconciliationStatuses)
      .describe("Status of the reconciliation. What is cleared in a `finalized` one cannot be undone; a `voided` one has no effect."),
    threeWay: ThreeWay.nullable().describe(
      "Proof by beneficiary, stored when the reconciliation was finalized. Responses with one draft compute it as of now. Null for drafts in the list, and for a draft that was voided.",
    ),
    varianceNote: z.string().nullable().describe("Explanation of a three-way variance that was acknowledged. Null when there was none."),
    finalizedAt: Instant.nullable().describe("Time at which the reconciliation was finalized, or null."),
    finalizedByUserId: Id.nullable().describe("ID of the user who finalized the reconciliation, or null."),
    voidedAt: Instant.nullable().describe("Time at which the reconciliation was voided, or null."),
    voidReason: z.string().nullable().describe("Reason for voiding the reconciliation, or null."),
    documentId: Id.nullable().describe("Always null: the report is printed from the stored reconciliation whenever it is requested."),
    createdAt: Instant.describe("Time at which the reconciliation was created."),
    updatedAt: Instant.describe("Time at which the reconciliation was last changed."),
  })
  .meta({ id: "Reconciliation", description: "Reconciliation of a bank account with a statement of the bank." });
export type Reconciliation = z.output<typeof Reconciliation>;

export const ReconciliationItem = z
  .strictObject({
    transactionId: Id.describe("ID of the transaction in the register of the bank account, which is that of its journal entry."),
    kind: z.enum(entrySources).describe("Origin of the transaction, such as `deposit`, `refund` or `transfer`."),
    date: PlainDate.describe("Date of the transaction in the books."),
    description: z.string().describe("Memo of the journal entry."),
    amountCents: Cents.describe("Money into the account in cents; negative for money out of it."),
    isCleared: z.boolean().describe("Indicates that the transaction has cleared the bank by the end of the statement."),
    statementLineId: Id.nullable().describe("ID of the statement line that the transaction is matched with, or null. Several transactions may have the same."),
    matchReason: z
      .enum(matchReasons)
      .nullable()
      .describe(
        "Reason of the match: `manual`, by a user; `reference`, equal amount and reference; `same_day` and `date_window`, equal amount on the same day or within the window; `reference_total` and `day_total`, the amount of all deposits or withdrawals with the reference, or of the day. Null without a statement line.",
      ),
  })
  .meta({ id: "ReconciliationItem", description: "Transaction of a bank account that a reconciliation has cleared or can clear." });
export type ReconciliationItem = z.output<typeof ReconciliationItem>;

const response = { reconciliation: Reconciliation };
const statementEndDate = PlainDate.describe("Last day of the statement, after that of the last finalized reconciliation and not after today.");
const statementEndingBalanceCents = Cents.describe("Balance in cents at the end of the statement, as the bank states it.");
const transactionIds = z.array(Id).min(1).max(500).describe("IDs of transactions among the items of the reconciliation.");
const ONLY_DRAFTS = "Refused with 409 `invalid_transition` unless the reconciliation is a draft.";

export const reconciliations = operationGroup("Reconciliations", "ledger", {
  listReconciliations: {
    method: "GET",
    path: "/api/trust/reconciliations",
    summary: "list reconciliations",
    access: officeRoles,
    query: listQuery(["statementEndDate", "createdAt"], {
      bankAccountId: Id.optional().describe("Return only reconciliations of this bank account."),
      status: csvEnum(reconciliationStatuses).optional().describe("Return only reconciliations with these statuses, repeated or comma-separated."),
      endAfter: PlainDate.optional().describe("Return only reconciliations of statements that end on this date or later."),
      endBefore: PlainDate.optional().describe("Return only reconciliations of statements that end on this date or earlier."),
    }),
    response: page("reconciliations", Reconciliation),
  },
  createReconciliation: {
    method: "POST",
    path: "/api/trust/reconciliations",
    summary: "create reconciliations",
    access: adminsAndManagers,
    description:
      "Creates a draft. A bank account has one draft at a time (409 `resource_in_use`). Its items are the transactions of the register up to the end of the statement that no finalized reconciliation has cleared; an entry that is posted later with an earlier date is an item of the next reconciliation.",
    body: body({ bankAccountId: Id.describe("ID of the bank account."), statementEndDate, statementEndingBalanceCents }),
    response,
    errors: [409],
    idempotent: true,
  },
  getReconciliation: {
    method: "GET",
    path: "/api/trust/reconciliations/{id}",
    summary: "read a reconciliation",
    access: officeRoles,
    response,
  },
  updateReconciliation: {
    method: "PATCH",
    path: "/api/trust/reconciliations/{id}",
    summary: "change reconciliations",
    access: adminsAndManagers,
    description: `Changes the figures of the statement. Transactions that are dated after a new end date are no longer cleared. ${ONLY_DRAFTS}`,
    body: body({ statementEndDate: statementEndDate.optional(), statementEndingBalanceCents: statementEndingBalanceCents.optional() }),
    response,
    errors: [409],
  },
  listReconciliationItems: {
    method: "GET",
    path: "/api/trust/reconciliations/{id}/items",
    summary: "list items of a reconciliation",
    access: officeRoles,
    description:
      "Transactions that the reconciliation has cleared or can clear. A transaction and its reversal that are both dated up to the end of the statement are left out while neither is cleared, since neither has reached the bank.",
    query: z.strictObject({
      cleared: QueryBoolean.optional().describe("Return only cleared (`true`) or only uncleared (`false`) transactions. Default: both."),
      ...entryListQuery(["date", "amountCents"], "transactions"),
      updatedAfter: Instant.optional().describe(
        "Return only transactions posted or reversed after this time, for incremental synchronization; all of them when the reconciliation has changed after it, as when a transaction was cleared.",
      ),
    }),
    response: page("items", ReconciliationItem),
  },
  clearTransactions: {
    method: "POST",
    path: "/api/trust/reconciliations/{id}/clear",
    summary: "clear transactions in reconciliations",
    access: adminsAndManagers,
    description: `Marks transactions as cleared by the bank; what is already cleared stays so. ${ONLY_DRAFTS}`,
    body: body({
      transactionIds,
      statementLineId: Id.optional().describe(
        "ID of the statement line to match the transactions with, which add up to its amount; a line up to the end of the statement. A match of one of them with another line is taken back. Default: none; transactions keep the line that they are matched with.",
      ),
    }),
    response,
    errors: [409],
  },
  unclearTransactions: {
    method: "POST",
    path: "/api/trust/reconciliations/{id}/unclear",
    summary: "unclear transactions in reconciliations",
    access: adminsAndManagers,
    description: `Takes back that transactions are cleared, and their matches with statement lines: of all transactions of these lines. ${ONLY_DRAFTS}`,
    body: body({ transactionIds }),
    response,
    errors: [409],
  },
  autoMatchReconciliation: {
    method: "POST",
    path: "/api/trust/reconciliations/{id}/auto-match",
    summary: "match statement lines in reconciliations",
    access: adminsAndManagers,
    description: `Matches statement lines up to the end of the statement with uncleared transactions, and clears these: first by amount and reference, then by amount and day, then by amount within the window of days, then one line with all deposits or withdrawals of a reference or of a day. A line for which several transactions could be meant is left to the user, and so is a transaction for which several lines could be. ${ONLY_DRAFTS}`,
    body: body({
      dateWindowDays: z.int().min(0).max(31).default(5).describe("Number of days by which the bank and the books may differ. Default: 5."),
    }),
    response: {
      ...response,
      autoMatch: z
        .strictObject({
          matchedLines: z.int().min(0).describe("Number of statement lines that were matched."),
          matchedTransactions: z.int().min(0).describe("Number of transactions that were cleared."),
          unmatchedLines: z.int().min(0).describe("Number of statement lines up to the end of the statement that are still unmatched."),
          byReason: z
            .array(
              z.strictObject({
                reason: z.enum(matchReasons).describe("Reason of the matches."),
                matchedLines: z.int().min(1).describe("Number of statement lines that were matched for this reason."),
              }),
            )
            .describe("Numbers of matched lines by reason, without reasons that matched none."),
        })
        .meta({ id: "AutoMatch", description: "Result of matching statement lines with transactions." }),
    },
    errors: [409],
  },
  finalizeReconciliation: {
    method: "POST",
    path: "/api/trust/reconciliations/{id}/finalize",
    summary: "finalize reconciliations",
    access: adminsAndManagers,
    description: `Stores the proof, the cleared and the outstanding transactions as they are. Refused with 409 \`reconciliation_out_of_balance\` unless \`differenceCents\` is 0. When the three-way proof does not balance, the variance must be acknowledged with a note, and the reconciliation stays flagged by \`threeWay.isBalanced\`. From then on, no operation reverses or voids a cleared transaction (409 \`reconciled_transaction\`), and its accounting period cannot be reopened, until the reconciliation is voided. ${ONLY_DRAFTS}`,
    body: body({
      acknowledgeThreeWayVariance: z.boolean().default(false).describe("Accepts a three-way proof that does not balance. Requires `note`. Default: `false`."),
      note: text(1, 1_000).optional().describe("Explanation of the variance, stored with the reconciliation. Default: none."),
    }).refine(({ acknowledgeThreeWayVariance, note }) => !acknowledgeThreeWayVariance || note !== undefined, {
      path: ["note"],
      params: { code: "required" },
      message: "A three-way variance needs an explanation. Set note.",
    }),
    response,
    errors: [409],
    idempotent: true,
  },
  voidReconciliation: {
    method: "POST",
    path: "/api/trust/reconciliations/{id}/void",
    summary: "void reconciliations",
    access: admins,
    description:
      "Takes back the latest reconciliation of a bank account, a finalized one or a draft: its transactions and statement lines can be cleared and matched again. Refused with 409 `invalid_transition` for an earlier one, and for one that is voided. Its figures and its report remain.",
    body: body({ reason: text(1, 500).optional().describe("Reason for voiding the reconciliation, stored with it for audits. Default: none.") }),
    response,
    errors: [409],
    idempotent: true,
  },
  getReconciliationReport: {
    method: "GET",
    path: "/api/trust/reconciliations/{id}/report",
    summary: "read the report of a reconciliation",
    access: officeRoles,
    description:
      "Report for the records of the trust account: statement, cleared and outstanding transactions, and the proof by beneficiary, as they were stored. Each PDF of a finalized reconciliation has the same bytes. The report of a draft shows it as of now; those of a draft and of a voided reconciliation say so. A draft that was voided has none: 409 `invalid_transition`.",
    query: z.strictObject({
      format: z
        .enum(["json", "pdf"])
        .optional()
        .describe("Format of the report: `json` for the reconciliation, or `pdf`. Default: the format in the header `Accept`, otherwise `json`."),
    }),
    response,
    fileContentTypes: ["application/pdf"],
    errors: [409],
  },
});
