import { z } from "zod";
import { entryListQuery } from "../ledger/entry-list.ts";
import { entryDocuments, entrySources } from "../ledger/journal-entries.ts";
import { body, operationGroup } from "../operation.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import { Cents, Id, Instant, listQuery, NonNegativeCents, page, PlainDate, PositiveCents, QueryBoolean, csvEnum, text } from "../values.ts";
import { feeWarnings, trustWarnings } from "./trust-warnings.ts";

export const bankAccountTypes = ["operating", "security_deposit", "reserve", "business"] as const;
export const adjustmentKinds = ["bank_fee", "interest"] as const;

const terms = {
  name: text(1, 120).describe("Name of the account, such as `Operating trust`."),
  institutionName: text(1, 120).describe("Name of the bank."),
  accountMask: z
    .string()
    .regex(/^\d{2,4}$/)
    .describe("Last 2 to 4 digits of the account number. The full number is not stored."),
};

export const BankAccount = z
  .strictObject({
    id: Id.describe("ID of the bank account."),
    organizationId: Id.describe("ID of the organization the bank account belongs to."),
    ownerId: Id.nullable().describe("ID of the owner whose money the account holds. Null for an account that pools the money of several owners."),
    categoryId: Id.describe("ID of the account in the chart of accounts that the money is posted to: 1000, 1010, 1020 or 1090, by `accountType`."),
    ...terms,
    accountType: z
      .enum(bankAccountTypes)
      .describe(
        "Type of the account: `operating`, `security_deposit` and `reserve` accounts hold money in trust; a `business` account holds the management company's own money.",
      ),
    isActive: z.boolean().describe("`false` for an archived account, to which nothing more is posted."),
    createdAt: Instant.describe("Time at which the bank account was created."),
    updatedAt: Instant.describe("Time at which the bank account was last changed."),
  })
  .meta({ id: "BankAccount", description: "Bank account of the organization: a trust account, or a business account of the management company." });
export type BankAccount = z.output<typeof BankAccount>;

const Balances = z
  .strictObject({
    bookCents: Cents.describe("Balance of the account in the books today, in cents."),
    clearedCents: Cents.describe(
      "Part of the book balance that has cleared the bank, in cents: the opening balance and what a finalized reconciliation has cleared.",
    ),
    undepositedCents: Cents.describe(
      "Money of the organization in cents that was received and is at no bank yet (1050). It can be deposited to any account; 0 for a `business` account.",
    ),
    outstandingChecksCents: NonNegativeCents.describe("Withdrawals in the books that have not cleared the bank, in cents."),
    depositsInTransitCents: NonNegativeCents.describe("Deposits in the books that have not cleared the bank, in cents."),
  })
  .meta({ id: "BankAccountBalances", description: "Balances of a bank account: book balance = cleared + deposits in transit - outstanding checks." });

export const BankTransaction = z
  .strictObject({
    id: Id.describe("ID of the transaction, which is that of its journal entry."),
    date: PlainDate.describe("Date of the transaction in the books."),
    source: z.enum(entrySources).describe("Origin of the journal entry, such as `deposit`, `refund` or `transfer`."),
    sourceType: z.enum(entryDocuments).nullable().describe("Type of the document that the entry records. Null for a manual entry."),
    sourceId: Id.nullable().describe("ID of the document that the entry records. Null for a manual entry."),
    memo: z.string().describe("Purpose of the journal entry."),
    amountCents: Cents.describe("Money into the account in cents; negative for money out of it."),
    balanceCents: Cents.describe("Balance of the account in cents after the transaction."),
    reversedById: Id.nullable().describe("ID of the transaction that reverses this one, or null."),
  })
  .meta({ id: "BankTransaction", description: "Movement of money in a bank account: the lines of one journal entry on the account." });

export const BankAdjustment = z
  .strictObject({
    id: Id.describe("ID of the adjustment."),
    organizationId: Id.describe("ID of the organization the adjustment belongs to."),
    bankAccountId: Id.describe("ID of the bank account."),
    kind: z.enum(adjustmentKinds).describe("`bank_fee` for a fee that the bank took, `interest` for interest that it paid."),
    amountCents: PositiveCents.describe("Amount of the adjustment in cents."),
    occurredOn: PlainDate.describe("Day of the adjustment, which dates the journal entry."),
    propertyId: Id.nullable().describe("ID of the property that bears the fee or receives the interest. Null for the management company."),
    memo: z.string().nullable().describe("Memo of the adjustment, or null."),
    journalEntryId: Id.describe("ID of the journal entry of the adjustment."),
    createdAt: Instant.describe("Time at which the adjustment was recorded."),
    updatedAt: Instant.describe("Time at which the adjustment was last changed."),
    voidedAt: Instant.nullable().describe("Time at which the adjustment was voided. Null for one that was not voided."),
    voidReason: z.string().nullable().describe("Reason for voiding the adjustment. Null for one that was not voided."),
  })
  .meta({ id: "BankAdjustment", description: "Fee that the bank took from an account, or interest that it paid." });
export type BankAdjustment = z.output<typeof BankAdjustment>;

const SubLedger = z
  .strictObject({
    kind: z
      .enum(["owner", "deposit", "prepaid", "manager"])
      .describe(
        "Beneficiary of the money: the `owner` of a property; the tenant of a security `deposit`; a tenant with `prepaid` rent; the `manager`, for money that belongs to no property and no tenant.",
      ),
    ownerId: Id.nullable().describe(
      "ID of the owner of the money: the owner of the account, otherwise the owner of the property. A property that has had several owners up to the day has a row for each of them, with what the owner has in the account by the own ledger, negative for one who owes money. Null for money of a property that belongs to no owner, such as an advance of the company, and for other beneficiaries.",
    ),
    propertyId: Id.nullable().describe("ID of the property that the money belongs to. Null for money without a property."),
    tenantId: Id.nullable().describe("ID of the tenant whose deposit or prepaid rent it is. Null for owners and the manager."),
    balanceCents: Cents.describe("Money of the beneficiary in the account in cents. Negative when money of others was used."),
  })
  .meta({ id: "SubLedger", description: "Money of one beneficiary in a bank account." });

const OWNER = "ID of the owner whose money the account holds, or null for an account that pools the money of several owners.";

export const bankAccounts = operationGroup("Bank accounts", "ledger", {
  listBankAccounts: {
    method: "GET",
    path: "/api/trust/bank-accounts",
    summary: "list bank accounts",
    access: officeRoles,
    query: listQuery(["name", "createdAt"], {
      search: text(1, 100).optional().describe("Return only accounts whose name, bank or last digits contain this text, ignoring case."),
      accountType: csvEnum(bankAccountTypes).optional().describe("Return only accounts of these types, repeated or comma-separated."),
      isActive: QueryBoolean.optional().describe("Return only active (`true`) or only archived (`false`) accounts. Default: both."),
      ownerId: Id.optional().describe("Return only accounts that hold the money of this owner alone."),
    }),
    response: page("bankAccounts", BankAccount),
  },
  createBankAccount: {
    method: "POST",
    path: "/api/trust/bank-accounts",
    summary: "create bank accounts",
    access: adminsAndManagers,
    description:
      "An opening balance is posted against owner equity (3000), or against retained earnings (3900) for a `business` account. It belongs to no property, so it appears as money of the manager until a journal entry on the bank account assigns it to properties. What is unassigned of that of a trust account is money of owners and tenants: it cannot be moved to a `business` account, and with the policy `trustOverdraft` `block` it pays nothing that belongs to no property. A transfer to another trust account takes it along. The reversal of its journal entry takes it back.",
    body: body({
      ...terms,
      accountType: z.enum(bankAccountTypes).describe("Type of the account, which cannot be changed: it decides the account of the chart."),
      ownerId: Id.nullable().optional().describe(`${OWNER} Default: null.`),
      openingBalanceCents: NonNegativeCents.optional().describe("Balance in cents at the beginning of `openingDate`. Default: 0."),
      openingDate: PlainDate.optional().describe("Day of the opening balance. Default: today in the organization's time zone."),
    }),
    response: { bankAccount: BankAccount },
    errors: [409],
    idempotent: true,
  },
  getBankAccount: {
    method: "GET",
    path: "/api/trust/bank-accounts/{id}",
    summary: "read a bank account",
    access: officeRoles,
    response: { bankAccount: BankAccount, balances: Balances },
  },
  updateBankAccount: {
    method: "PATCH",
    path: "/api/trust/bank-accounts/{id}",
    summary: "change bank accounts",
    access: adminsAndManagers,
    body: body({
      name: terms.name.optional(),
      institutionName: terms.institutionName.optional(),
      accountMask: terms.accountMask.optional(),
      ownerId: Id.nullable().optional().describe(`${OWNER} It changes only while the account is empty (409 \`resource_in_use\`).`),
      isActive: z.boolean().optional().describe("`true` restores an archived account. `false` archives the account under the conditions of `DELETE`."),
    }),
    response: { bankAccount: BankAccount },
    errors: [409],
  },
  archiveBankAccount: {
    method: "DELETE",
    path: "/api/trust/bank-accounts/{id}",
    summary: "archive bank accounts",
    access: adminsAndManagers,
    description:
      "Requests can no longer name an archived account; a payment that the bank returns is still posted to it. Its register and its past transactions remain. Refused with 409 `resource_in_use` while the account has a balance, today or after all entries that are dated ahead, while the money of one beneficiary in it covers what another one lacks, or while it has a draft reconciliation.",
    response: { bankAccount: BankAccount },
    errors: [409],
  },
  listBankTransactions: {
    method: "GET",
    path: "/api/trust/bank-accounts/{id}/register",
    summary: "read the register of a bank account",
    access: officeRoles,
    description:
      "Transactions, each with the balance after it in the order of date and posting. Entries that only move money between properties within the account are left out.",
    query: z.strictObject({
      from: PlainDate.optional().describe("Return only transactions of this day or later."),
      to: PlainDate.optional().describe("Return only transactions of this day or earlier."),
      ...entryListQuery(["date", "amountCents"], "transactions"),
    }),
    response: {
      ...page("transactions", BankTransaction),
      openingBalanceCents: Cents.describe("Balance of the account in cents before `from`; 0 without it."),
      closingBalanceCents: Cents.describe("Balance of the account in cents at the end of `to`; without it, after all transactions."),
    },
  },
  listSubLedgers: {
    method: "GET",
    path: "/api/trust/bank-accounts/{id}/sub-ledgers",
    summary: "list the sub-ledgers of a bank account",
    access: officeRoles,
    description:
      "Money in the account by beneficiary, without balances of zero. The rows of a property with several owners add up to its money, also when one owner lacks what another one has. The deposits and prepaid rent of a tenant are held where the payment was deposited, or where a transfer has moved them.",
    query: z.strictObject({ asOf: PlainDate.optional().describe("Day at whose end the balances are read. Default: today.") }),
    response: {
      subLedgers: z.array(SubLedger).describe("Money by beneficiary: owners, deposits, prepaid rent, then the manager."),
      totalCents: Cents.describe("Sum of the sub-ledgers in cents."),
      bookCents: Cents.describe("Balance of the account in the books in cents."),
      differenceCents: Cents.describe("`bookCents` less `totalCents`, which is 0."),
    },
  },
  createBankAdjustment: {
    method: "POST",
    path: "/api/trust/bank-accounts/{id}/adjustments",
    summary: "record bank fees and interest",
    access: adminsAndManagers,
    description:
      "A bank fee debits bank fees (5050) and interest credits other income (4090). Without a property, the management company bears the fee or receives the interest. The bank has taken the fee already, so one for which the property, one of its owners or the company has too little money is recorded with a warning. Corrections of other kinds are journal entries with lines on the bank account.",
    body: body({
      kind: z.enum(adjustmentKinds).describe("`bank_fee` for a fee that the bank took, `interest` for interest that it paid."),
      amountCents: PositiveCents.describe("Amount of the adjustment in cents."),
      occurredOn: PlainDate.describe(
        "Day of the adjustment, which dates the journal entry. In a closed accounting period, the entry is dated the first open day.",
      ),
      propertyId: Id.nullable()
        .optional()
        .describe("ID of the property that bears the fee or receives the interest. Default: null, for the management company."),
      memo: text(1, 500).nullable().optional().describe("Memo of the adjustment and its journal entry. Default: null."),
    }),
    response: { adjustment: BankAdjustment, ...feeWarnings },
    errors: [409],
    idempotent: true,
  },
  voidBankAdjustment: {
    method: "POST",
    path: "/api/trust/bank-accounts/{id}/adjustments/{adjustmentId}/void",
    summary: "void bank fees and interest",
    access: adminsAndManagers,
    description:
      "Reverses the journal entry of the adjustment on its own day, or on the first open day when that accounting period is closed. Refused with 409 `reconciled_transaction` when a finalized reconciliation has cleared it, with 409 `invalid_transition` when the adjustment is already voided or the bank account is archived, and with 409 `insufficient_trust_funds` under the policy `trustOverdraft` `block` when the interest has been used, by the property or by one of its owners.",
    body: body({ reason: text(1, 500).describe("Reason for voiding the adjustment, stored with it for audits.") }),
    response: { adjustment: BankAdjustment, ...trustWarnings },
    errors: [409],
    idempotent: true,
  },
});
