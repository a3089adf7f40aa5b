import { z } from "zod";
import { Basis, BASIS_DESCRIPTION, LedgerVersion, requestedVersion } from "../ledger/accounting-reports.ts";
import { entryListQuery } from "../ledger/entry-list.ts";
import { operationGroup } from "../operation.ts";
import { officeRoles } from "../roles.ts";
import { Cents, Id, NonNegativeCents, page, PlainDate } from "../values.ts";

const shareBps = z.int().min(0).max(10_000);

export const OwnerLedgerEntry = z
  .strictObject({
    journalEntryId: Id.describe("ID of the journal entry."),
    date: PlainDate.describe("Date of the journal entry."),
    propertyId: Id.describe("ID of the property."),
    accountId: Id.describe("ID of the account (category) of income, expenses or equity."),
    accountCode: z.string().describe("Code of the account, such as `4000`."),
    accountName: z.string().describe("Name of the account, such as `Rent`."),
    description: z.string().describe("Purpose of the journal entry."),
    shareBps: shareBps
      .nullable()
      .describe("Share of the owner by which the amount is divided, in basis points. Null for an amount that concerns the owner alone."),
    totalCents: Cents.describe("Amount of the entry on the account at the property in cents, for all its owners; negative when it reduces their money."),
    debitCents: NonNegativeCents.describe("Part of the owner in cents of an amount that reduces the balance; 0 for one that increases it."),
    creditCents: NonNegativeCents.describe("Part of the owner in cents of an amount that increases the balance; 0 for one that reduces it."),
    balanceCents: Cents.describe("Balance of the owner in cents after the entry. Negative when the owner owes money."),
  })
  .meta({ id: "OwnerLedgerEntry", description: "Income, expense, contribution or distribution of an owner at a property, with the balance after it." });

const propertyFigures = {
  cashCents: Cents.describe(
    "Money of the property in the trust accounts in cents, that of tenants included. Money that is at no bank yet (1050) is not part of it.",
  ),
  securityDepositsCents: Cents.describe("Part of `cashCents` that is held for security deposits of tenants."),
  prepaidRentCents: Cents.describe("Part of `cashCents` that tenants have prepaid."),
  unpaidExpensesCents: NonNegativeCents.describe(
    "Unpaid expenses of the property in cents that were incurred by the day and are due by it, or have no due date.",
  ),
  pendingCents: NonNegativeCents.describe(
    "Payments in cents that the bank can still return because they are pending, and, for today or a later day, what withdrawals that are dated ahead, such as post-dated checks, will take of the money of the owners beyond receipts before them and the unpaid expenses that they settle.",
  ),
  heldEstimatesCents: NonNegativeCents.describe(
    "Approved estimates of work orders in cents, less the expenses recorded for them; none when the work order is completed and billed.",
  ),
  managementFeesCents: NonNegativeCents.describe(
    "Management fees in cents of all days up to the day that no run has charged yet: those after the latest charged period, or from the start of the agreement.",
  ),
  reserveCents: NonNegativeCents.describe("Reserve agreed for the property in cents, which is not paid out."),
  additionalReserveCents: NonNegativeCents.describe("Additional reserve of the property in cents, which is not paid out, either."),
  availableToPayCents: NonNegativeCents.describe(
    "Money in cents that can be paid to the owner: the balance of the owner's ledger at the property, less the part by share of what is not available there. All owners together get what is available: cash less all other figures, at least 0.",
  ),
};

export const OwnerBalance = z
  .strictObject({
    ownerId: Id.describe("ID of the owner."),
    asOf: PlainDate.describe("Day at whose end the balance is read."),
    ...propertyFigures,
    byProperty: z
      .array(
        z.strictObject({
          propertyId: Id.describe("ID of the property."),
          propertyName: z.string().describe("Name of the property."),
          shareBps: shareBps.describe("Share of the owner on the day in basis points; 0 for a former owner."),
          ...propertyFigures,
        }),
      )
      .describe(
        "Properties of which the owner has a share on the day, or at which the owner's ledger has a balance after a sale, by name. All figures but `availableToPayCents` are those of the whole property, and those of a property that the owner has sold are the parts of the owner: `cashCents` is negative when the owner owes money there.",
      ),
  })
  .meta({
    id: "OwnerBalance",
    description:
      "Money of the properties of an owner and what of it can be paid to the owner. The figures are sums over the properties, so those of a property with several owners count in full for each of them, unlike `availableToPayCents`.",
  });
export type OwnerBalance = z.output<typeof OwnerBalance>;

export const ownerLedgers = operationGroup("Owners", "ledger", {
  listOwnerLedger: {
    method: "GET",
    path: "/api/owners/{id}/ledger",
    summary: "read the ledger of an owner",
    access: officeRoles,
    description:
      "Income, expenses and equity of the owner's properties, by the share of the owner. An amount is divided by the shares on the due date of its charge or on the day on which its expense was incurred, whenever it is paid; a reversal like the entry that it reverses; all others by the shares on the date of the entry. Contributions, distributions and expenses that name an owner concern that owner alone. Each amount is divided in whole cents; cents left over belong to the largest share. On days before the first recorded ownership of a property, that ownership applies; without recorded shares, the owners have equal ones.",
    query: z.strictObject({
      propertyId: Id.optional().describe("Return only entries of this property."),
      from: PlainDate.optional().describe("First date to return. Default: the date of the first entry."),
      to: PlainDate.optional().describe("Last date to return. Default: today."),
      basis: Basis.default("cash").describe(BASIS_DESCRIPTION),
      ledgerVersion: requestedVersion,
      ...entryListQuery(["date"], "entries"),
    }),
    response: {
      ...page("entries", OwnerLedgerEntry),
      openingBalanceCents: Cents.describe("Balance in cents before `from`; 0 without `from`."),
      closingBalanceCents: Cents.describe("Balance in cents at the end of the last date."),
      ledgerVersion: LedgerVersion,
    },
  },
  getOwnerBalance: {
    method: "GET",
    path: "/api/owners/{id}/balance",
    summary: "read the balance of an owner",
    access: officeRoles,
    description:
      "Each figure of what is available to pay: cash in the trust accounts less security deposits, prepaid rent, unpaid expenses, pending payments, approved estimates that are not billed yet and the reserve.",
    query: z.strictObject({ asOf: PlainDate.optional().describe("Day at whose end the balance is read. Default: today.") }),
    response: { balance: OwnerBalance },
  },
});
