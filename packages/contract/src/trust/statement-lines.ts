import { z } from "zod";
import { body, operationGroup } from "../operation.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import { Cents, Id, Instant, listQuery, page, PlainDate, QueryBoolean, Search } from "../values.ts";

export const statementFormats = ["csv", "ofx"] as const;

/** Maximum size of a bank statement: 25 MiB. */
export const STATEMENT_MAX_BYTES = 26_214_400;
/** Maximum number of lines of a bank statement. */
export const MAX_STATEMENT_LINES = 100_000;
/** Maximum number of lines in the response of an upload. */
export const MAX_RETURNED_LINES = 100;

export const StatementUpload = z
  .strictObject({
    id: Id.describe("ID of the upload."),
    organizationId: Id.describe("ID of the organization the upload belongs to."),
    bankAccountId: Id.describe("ID of the bank account."),
    fileName: z.string().describe("Name of the uploaded file."),
    format: z.enum(statementFormats).describe("Format of the file: `csv`, or `ofx` for OFX and QFX."),
    lineCount: z.int().min(0).describe("Number of lines in the file, without those of 0.00."),
    addedCount: z.int().min(0).describe("Number of lines that were added by this upload."),
    repeatedCount: z.int().min(0).describe("Number of lines that an earlier upload had added, or that the file repeats. They are not added again."),
    closingBalanceCents: Cents.nullable().describe("Balance of the account in cents that the file states. Null for a file that states none."),
    closingDate: PlainDate.nullable().describe("Day of the stated balance. Null for a file that states none."),
    createdAt: Instant.describe("Time of the upload."),
    updatedAt: Instant.describe("Time at which the upload was last changed."),
    deletedAt: Instant.nullable().describe("Time at which the upload was deleted with its lines. Null for one that was not deleted."),
  })
  .meta({ id: "StatementUpload", description: "Upload of a bank statement." });
export type StatementUpload = z.output<typeof StatementUpload>;

export const StatementLine = z
  .strictObject({
    id: Id.describe("ID of the statement line."),
    organizationId: Id.describe("ID of the organization the statement line belongs to."),
    bankAccountId: Id.describe("ID of the bank account."),
    uploadId: Id.describe("ID of the upload that added the line."),
    lineNumber: z.int().min(1).describe("Number of the line in its file: of the row in a CSV file, of the text line in an OFX file."),
    date: PlainDate.describe("Day on which the bank posted the transaction."),
    amountCents: Cents.describe("Money into the account in cents; negative for money out of it."),
    description: z.string().describe("Description by the bank. Empty for a line without one."),
    reference: z.string().nullable().describe("Check number or reference, or null."),
    bankTransactionId: z.string().nullable().describe("ID of the transaction at the bank (`FITID`). Null for a line of a CSV file."),
    isMatched: z.boolean().describe("Indicates that a reconciliation has matched the line with transactions of the register."),
    createdAt: Instant.describe("Time at which the line was added."),
    updatedAt: Instant.describe("Time at which the line was last changed."),
  })
  .meta({ id: "StatementLine", description: "Transaction on a bank statement." });
export type StatementLine = z.output<typeof StatementLine>;

export const statementLines = operationGroup("Reconciliations", "ledger", {
  listStatementLines: {
    method: "GET",
    path: "/api/trust/bank-accounts/{id}/statement-lines",
    summary: "list statement lines of a bank account",
    access: officeRoles,
    query: listQuery(["date", "amountCents", "createdAt"], {
      search: Search.optional().describe("Return only lines whose description or reference contains this text, ignoring case."),
      uploadId: Id.optional().describe("Return only lines of this upload."),
      isMatched: QueryBoolean.optional().describe("Return only matched (`true`) or only unmatched (`false`) lines. Default: both."),
      dateAfter: PlainDate.optional().describe("Return only lines of this date or later."),
      dateBefore: PlainDate.optional().describe("Return only lines of this date or earlier."),
    }),
    response: page("statementLines", StatementLine),
  },
  uploadStatementLines: {
    method: "POST",
    path: "/api/trust/bank-accounts/{id}/statement-lines",
    summary: "upload bank statements",
    access: adminsAndManagers,
    description: [
      `Reads the transactions of a bank statement, to be matched by reconciliations: a CSV file, or OFX or QFX of any version, of at most ${STATEMENT_MAX_BYTES / 1_048_576} MiB and ${MAX_STATEMENT_LINES.toLocaleString("en-US")} lines. The content decides the format, not the name of the file. A file with an error is refused as a whole, and each error names its line.`,
      "A CSV file has a row with the names of its columns: a date (`2026-01-31` or `01/31/2026`), and either an amount, negative for money out of the account, or a debit and a credit; optionally a description, a reference or check number, a currency and an account number. Usual names of columns are recognized, and other columns are ignored.",
      "A statement in another currency than US dollars is refused with 400 `mismatch`, and so is one whose account number does not end with the `accountMask` of the bank account.",
      "A line is added once: a line with the same ID at the bank, date and amount is a repetition; without such an ID, a line is a repetition when an earlier upload had as many lines with the same date, amount, reference and description. So a statement that is sent again, or that overlaps with an earlier one, adds only what is new.",
    ].join("\n\n"),
    uploads: { maxBytes: STATEMENT_MAX_BYTES },
    body: body({ file: z.file().describe("Bank statement in CSV, OFX or QFX.") }),
    response: {
      statementUpload: StatementUpload,
      statementLines: z
        .array(StatementLine)
        .describe(`Added lines in the order of the file, at most the first ${MAX_RETURNED_LINES}. \`GET\` with \`uploadId\` returns all of them.`),
    },
    idempotent: true,
    streams: true,
  },
  deleteStatementUpload: {
    method: "DELETE",
    path: "/api/trust/bank-accounts/{id}/statement-uploads/{uploadId}",
    summary: "delete uploads of bank statements",
    access: adminsAndManagers,
    description:
      "Deletes the lines that an upload has added. Refused with 409 `resource_in_use` while a reconciliation has matched one of them. The file can be uploaded again.",
    response: { statementUpload: StatementUpload },
    errors: [409],
  },
});
