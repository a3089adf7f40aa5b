import { z } from "zod";
import { JournalEntry } from "../ledger/journal-entries.ts";
import { paymentMethods } from "../ledger/payments.ts";
import { body, operationGroup } from "../operation.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import { Id, Instant, listQuery, page, PlainDate, PositiveCents, QueryBoolean, text } from "../values.ts";
import { trustWarnings } from "./trust-warnings.ts";

const paymentMethod = z.enum(paymentMethods).describe("Method by which the owner paid.");

export const OwnerContribution = z
  .strictObject({
    id: Id.describe("ID of the contribution."),
    organizationId: Id.describe("ID of the organization the contribution belongs to."),
    ownerId: Id.describe("ID of the owner who paid."),
    propertyId: Id.describe("ID of the property that the money is for."),
    bankAccountId: Id.describe("ID of the trust account that holds the money."),
    amountCents: PositiveCents.describe("Amount of the contribution in cents."),
    receivedAt: Instant.describe("Time at which the money was received, whose day dates the journal entry."),
    paymentMethod,
    memo: z.string().nullable().describe("Memo of the contribution and its journal entry, or null."),
    journalEntryId: Id.describe("ID of the journal entry of the contribution."),
    createdAt: Instant.describe("Time at which the contribution was recorded."),
    updatedAt: Instant.describe("Time at which the contribution was last changed."),
    voidedAt: Instant.nullable().describe("Time at which the contribution was voided. Null for one that was not voided."),
    voidReason: z.string().nullable().describe("Reason for voiding the contribution. Null for one that was not voided."),
  })
  .meta({ id: "OwnerContribution", description: "Money that an owner paid in for a property." });
export type OwnerContribution = z.output<typeof OwnerContribution>;

const response = { contribution: OwnerContribution, journalEntry: JournalEntry.describe("Journal entry of the contribution.") };

export const ownerContributions = operationGroup("Owners", "ledger", {
  listOwnerContributions: {
    method: "GET",
    path: "/api/owners/{id}/contributions",
    summary: "list the contributions of an owner",
    access: officeRoles,
    query: listQuery(["receivedAt", "amountCents", "createdAt"], {
      propertyId: Id.optional().describe("Return only contributions for this property."),
      isVoided: QueryBoolean.optional().describe("Return only voided (`true`) or only other (`false`) contributions. Default: both."),
      receivedAfter: PlainDate.optional().describe("Return only contributions received on or after this date."),
      receivedBefore: PlainDate.optional().describe("Return only contributions received on or before this date."),
    }),
    response: page("contributions", OwnerContribution),
  },
  createOwnerContribution: {
    method: "POST",
    path: "/api/owners/{id}/contributions",
    summary: "record owner contributions",
    access: adminsAndManagers,
    description:
      "Debits the bank account and credits owner contributions (3100), both at the property. The money belongs to the owner alone, whatever share of the property the owner has. In a closed accounting period, the entry is dated the first open day.",
    body: body({
      propertyId: Id.describe(
        "ID of a property that the owner owns, owned or will own. For a deleted property, the contribution is at most what the owner owes there.",
      ),
      amountCents: PositiveCents.describe("Amount of the contribution in cents."),
      receivedAt: Instant.describe("Time at which the money was received."),
      bankAccountId: Id.describe("ID of the trust account that the money was paid to. An account that holds the money of one owner takes that owner's only."),
      paymentMethod,
      memo: text(1, 500).nullable().optional().describe("Memo of the contribution and its journal entry. Default: null."),
    }),
    response,
    errors: [409],
    idempotent: true,
  },
  voidOwnerContribution: {
    method: "POST",
    path: "/api/owners/{id}/contributions/{contributionId}/void",
    summary: "void owner contributions",
    access: adminsAndManagers,
    description:
      "Reverses the journal entry of the contribution on its own day, or on the first open day when that accounting period is closed. Refused with 409 `invalid_transition` when the contribution is already voided or the bank account is archived, with 409 `reconciled_transaction` when a finalized reconciliation has cleared it, and with 409 `insufficient_trust_funds` under the policy `trustOverdraft` `block` when the money has been used, also when only the other owners of the property have enough left.",
    body: body({ reason: text(1, 500).describe("Reason for voiding the contribution, stored with it for audits.") }),
    response: { ...response, ...trustWarnings },
    errors: [409],
    idempotent: true,
  },
});
