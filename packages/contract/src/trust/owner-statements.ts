import { z } from "zod";
import { Basis, BASIS_DESCRIPTION, LedgerVersion } from "../ledger/accounting-reports.ts";
import { body, operationGroup } from "../operation.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import { Cents, Id, Instant, listQuery, NonNegativeCents, page, PlainDate } from "../values.ts";

const figures = {
  beginningCents: Cents.describe("Balance of the owner in cents at the beginning of `periodStart`."),
  incomeCents: Cents.describe("Income of the owner in cents."),
  expenseCents: Cents.describe("Expenses of the owner in cents, without management fees."),
  feesCents: Cents.describe("Management fees (5040) of the owner in cents."),
  contributionsCents: Cents.describe("Contributions of the owner in cents, and other equity."),
  distributionsCents: Cents.describe("Payouts to the owner (3200) in cents."),
  endingCents: Cents.describe("Balance in cents at the end of `periodEnd`: beginning + income - expenses - fees + contributions - distributions."),
  reserveCents: NonNegativeCents.describe("Reserve agreed for the property in cents when the statement was generated; the sum over the properties."),
  additionalReserveCents: NonNegativeCents.describe(
    "Additional reserve of the property in cents when the statement was generated; the sum over the properties. 0 in statements generated before it was stored.",
  ),
};

const StatementEntry = z
  .strictObject({
    date: PlainDate.describe("Date of the journal entry."),
    accountCode: z.string().describe("Code of the account, such as `4000`."),
    accountName: z.string().describe("Name of the account, such as `Rent`."),
    description: z.string().describe("Purpose of the journal entry."),
    vendorName: z
      .string()
      .nullable()
      .describe(
        "Name of the vendor of the expense when the statement was generated, or the names of the vendors of a payment of several expenses, separated by commas. Null without a vendor and in statements generated before vendors were stored.",
      ),
    shareBps: z.int().nullable().describe("Share of the owner on the date in basis points. Null for an amount that concerns the owner alone."),
    amountCents: Cents.describe("Part of the owner in cents; negative when it reduces the balance."),
    balanceCents: Cents.describe("Balance of the owner at the property in cents after the entry."),
  })
  .meta({ id: "OwnerStatementEntry", description: "Entry of an owner statement." });

export const OwnerStatement = z
  .strictObject({
    id: Id.describe("ID of the statement."),
    organizationId: Id.describe("ID of the organization the statement belongs to."),
    ownerId: Id.describe("ID of the owner."),
    organizationName: z.string().describe("Name of the organization when the statement was generated."),
    ownerName: z.string().describe("Name of the owner when the statement was generated."),
    periodStart: PlainDate.describe("First day of the statement."),
    periodEnd: PlainDate.describe("Last day of the statement."),
    basis: Basis.describe(BASIS_DESCRIPTION),
    ledgerVersion: LedgerVersion,
    ...figures,
    properties: z
      .array(
        z.strictObject({
          propertyId: Id.describe("ID of the property."),
          propertyName: z.string().describe("Name of the property when the statement was generated."),
          ...figures,
          additionalReserveNote: z.string().nullable().describe("Purpose of the additional reserve when the statement was generated, or null."),
          entries: z.array(StatementEntry).describe("Entries of the period by date."),
        }),
      )
      .describe("Properties with a balance or an entry, by name."),
    documentId: Id.nullable().describe(
      "Always null: the PDF is rendered from the stored statement, with the same bytes each time, and is no document of its own.",
    ),
    sentAt: Instant.nullable().describe(
      "Time at which the statement was first sent to the owner: handed over to the delivery of e-mails, or issued in the portal. Null until then, for an owner whose `statementDeliver` is `none`, and when the e-mail was refused, such as to a suppressed address.",
    ),
    createdAt: Instant.describe("Time at which the statement was generated."),
    updatedAt: Instant.describe("Time at which the statement was generated, or first sent."),
  })
  .meta({ id: "OwnerStatement", description: "Statement of an owner, stored as it was generated: later entries change nothing in it." });
export type OwnerStatement = z.output<typeof OwnerStatement>;

const response = { ownerStatement: OwnerStatement };

export const ownerStatements = operationGroup("Owners", "ledger", {
  listOwnerStatements: {
    method: "GET",
    path: "/api/owners/{id}/statements",
    summary: "list the statements of an owner",
    access: officeRoles,
    description: "Statements without the entries of their properties.",
    query: listQuery(["periodEnd", "createdAt"], {
      periodAfter: PlainDate.optional().describe("Return only statements that end on or after this date."),
      periodBefore: PlainDate.optional().describe("Return only statements that end on or before this date."),
    }),
    response: page(
      "ownerStatements",
      OwnerStatement.omit({ properties: true }).meta({ id: "OwnerStatementSummary", description: "Statement of an owner without its properties." }),
    ),
  },
  createOwnerStatement: {
    method: "POST",
    path: "/api/owners/{id}/statements",
    summary: "generate owner statements",
    access: adminsAndManagers,
    description:
      "Generates and stores a statement of the owner's ledger. It can be read and downloaded again unchanged. Limited to 5,000 entries (400 `max`). " +
      "It is sent as the owner's `statementDeliver` says: `email` mails a link to the PDF, which works for 30 days without a sign-in; `portal` notifies the owner's portal user; `none` sends nothing.",
    body: body({
      periodStart: PlainDate.describe("First day of the statement."),
      periodEnd: PlainDate.describe("Last day of the statement, not before `periodStart` and not after today."),
      basis: Basis.default("cash").describe(BASIS_DESCRIPTION),
    }),
    response,
    idempotent: true,
  },
  getOwnerStatement: {
    method: "GET",
    path: "/api/owner-statements/{id}",
    summary: "read an owner statement",
    access: officeRoles,
    response,
  },
  sendOwnerStatement: {
    method: "POST",
    path: "/api/owner-statements/{id}/send",
    summary: "send owner statements",
    access: adminsAndManagers,
    description:
      "Sends a statement to its owner, also again: a link to the PDF by e-mail, or a notification in the portal. An e-mail is not sent to a suppressed address, nor after the owner's portal user has withdrawn the consent to e-mails. 409 `invalid_transition` for a deleted owner.",
    body: body({
      delivery: z
        .enum(["email", "portal"])
        .optional()
        .describe("Delivery of the statement. Default: the owner's `statementDeliver`, or `email` when it is `none`."),
    }),
    response,
    idempotent: true,
  },
  followOwnerStatementLink: {
    method: "GET",
    path: "/api/owner-statement-links/{token}",
    summary: "download an owner statement by link",
    access: "public",
    params: z.object({ token: z.string().min(1).max(200).describe("Signed token of a link that was mailed to the owner.") }),
    description: "Returns the statement as a PDF; 404 when the link has expired or was altered, or the owner was deleted or has another e-mail address.",
    response: {},
    contentType: "application/pdf",
    streams: true,
  },
  downloadOwnerStatement: {
    method: "GET",
    path: "/api/owner-statements/{id}/download",
    summary: "download an owner statement",
    access: officeRoles,
    query: z.strictObject({
      format: z
        .enum(["json", "csv", "pdf"])
        .optional()
        .describe(
          "Format of the statement: `json`, `csv` for a file with one row per entry, or `pdf` for pages of letter size to print or send. Default: as `Accept` says, else `pdf`.",
        ),
    }),
    response,
    fileContentTypes: ["application/pdf", "text/csv"],
    isFileByDefault: true,
  },
});
