/** Tables of uploaded bank statements and of their lines. */
import { statementFormats } from "@freehold/contract/trust/statement-lines";
import { cents, defineEntity, enumText, inOrganization, orgColumns, p, plainDate } from "@freehold/kit/db/entity";

const StatementUploadSchema = defineEntity({
  name: "StatementUpload",
  tableName: "bank_statement_upload",
  ...inOrganization,
  indexes: [{ properties: ["organizationId", "bankAccountId", "createdAt"], name: "bank_statement_upload_by_account" }],
  properties: {
    ...orgColumns,
    bankAccountId: p.uuid(),
    fileName: p.text(),
    format: enumText(statementFormats),
    lineCount: p.integer(),
    addedCount: p.integer(),
    closingBalanceCents: cents().nullable(),
    closingDate: plainDate().nullable(),
    deletedAt: p.datetime(3).nullable(),
  },
});
/** Upload of a bank statement. The file is not kept, only its lines. */
export class StatementUpload extends StatementUploadSchema.class {}
StatementUploadSchema.setClass(StatementUpload);

/** Transaction on a bank statement. It never changes; the deletion of its upload deletes it. */
export const StatementLine = defineEntity({
  name: "StatementLine",
  tableName: "bank_statement_line",
  ...inOrganization,
  uniques: [{ properties: ["organizationId", "bankAccountId", "lineKey"], name: "bank_statement_line_once" }],
  indexes: [
    { properties: ["organizationId", "bankAccountId", "postedOn", "id"], name: "bank_statement_line_by_day" },
    { properties: ["organizationId", "uploadId"], name: "bank_statement_line_by_upload" },
  ],
  properties: {
    ...orgColumns,
    bankAccountId: p.uuid(),
    uploadId: p.uuid(),
    lineNumber: p.integer(),
    postedOn: plainDate(),
    amountCents: cents(),
    description: p.text(),
    reference: p.text().nullable(),
    bankTransactionId: p.text().nullable(),
    /** Digest of what identifies the line in the statements of its account. */
    lineKey: p.blob(),
  },
});
