/** The standard chart of accounts, which every organization has. */
import type { chargeTypes } from "@freehold/contract/identity/accounts";
import type { accountTypes } from "@freehold/contract/ledger/categories";
import type { bankAccountTypes } from "@freehold/contract/trust/bank-accounts";

/** Account of the standard chart of accounts. */
export interface AccountDefinition {
  code: string;
  name: string;
  accountType: (typeof accountTypes)[number];
  subtype: string;
  isBank?: true;
  isTrustLiability?: true;
}

/** Accounts that are created for every organization. */
export const accountDefinitions: readonly AccountDefinition[] = [
  { code: "1000", name: "Operating trust bank", accountType: "asset", subtype: "bank", isBank: true },
  { code: "1010", name: "Security-deposit trust bank", accountType: "asset", subtype: "bank", isBank: true },
  { code: "1020", name: "Reserve trust bank", accountType: "asset", subtype: "bank", isBank: true },
  { code: "1050", name: "Undeposited funds", accountType: "asset", subtype: "undeposited_funds" },
  { code: "1090", name: "Business bank", accountType: "asset", subtype: "bank", isBank: true },
  { code: "1100", name: "Accounts receivable", accountType: "asset", subtype: "receivable" },
  { code: "1150", name: "Owner receivable", accountType: "asset", subtype: "receivable" },
  { code: "2000", name: "Accounts payable", accountType: "liability", subtype: "payable" },
  { code: "2100", name: "Security deposits held", accountType: "liability", subtype: "deposit", isTrustLiability: true },
  { code: "2110", name: "Security deposits due", accountType: "liability", subtype: "deposit" },
  { code: "2150", name: "Prepaid rent", accountType: "liability", subtype: "prepayment", isTrustLiability: true },
  { code: "2200", name: "Owner payable", accountType: "liability", subtype: "payable", isTrustLiability: true },
  { code: "2250", name: "Management fees payable", accountType: "liability", subtype: "payable" },
  { code: "3000", name: "Owner equity", accountType: "equity", subtype: "equity" },
  { code: "3100", name: "Owner contributions", accountType: "equity", subtype: "contribution" },
  { code: "3200", name: "Owner distributions", accountType: "equity", subtype: "distribution" },
  { code: "3900", name: "Retained earnings", accountType: "equity", subtype: "retained_earnings" },
  { code: "4000", name: "Rent", accountType: "income", subtype: "rent" },
  { code: "4010", name: "Parking", accountType: "income", subtype: "parking" },
  { code: "4020", name: "Utility reimbursement", accountType: "income", subtype: "reimbursement" },
  { code: "4030", name: "Late fees", accountType: "income", subtype: "fee" },
  { code: "4040", name: "NSF fees", accountType: "income", subtype: "fee" },
  { code: "4050", name: "Forfeited deposits", accountType: "income", subtype: "deposit" },
  { code: "4060", name: "Management fees earned", accountType: "income", subtype: "management" },
  { code: "4090", name: "Other income", accountType: "income", subtype: "other" },
  { code: "5000", name: "Maintenance", accountType: "expense", subtype: "maintenance" },
  { code: "5010", name: "Utilities", accountType: "expense", subtype: "utility" },
  { code: "5020", name: "Taxes", accountType: "expense", subtype: "tax" },
  { code: "5030", name: "Insurance", accountType: "expense", subtype: "insurance" },
  { code: "5040", name: "Management fees", accountType: "expense", subtype: "management" },
  { code: "5050", name: "Bank fees", accountType: "expense", subtype: "bank_fee" },
  { code: "5090", name: "Other", accountType: "expense", subtype: "other" },
];

/** Codes of the accounts that the source code refers to. */
export const UNDEPOSITED_FUNDS = "1050";
export const ACCOUNTS_RECEIVABLE = "1100";
export const OWNER_RECEIVABLE = "1150";
export const ACCOUNTS_PAYABLE = "2000";
export const DEPOSITS_HELD = "2100";
export const DEPOSITS_DUE = "2110";
export const PREPAID_RENT = "2150";
export const OWNER_PAYABLE = "2200";
const MANAGEMENT_FEES_PAYABLE = "2250";
export const OWNER_EQUITY = "3000";
export const OWNER_CONTRIBUTIONS = "3100";
export const OWNER_DISTRIBUTIONS = "3200";
export const RETAINED_EARNINGS = "3900";
export const RENT_INCOME = "4000";
export const MANAGEMENT_FEES_EARNED = "4060";
export const UTILITY_REIMBURSEMENT = "4020";
export const FORFEITED_DEPOSITS = "4050";
export const OTHER_INCOME = "4090";
export const MANAGEMENT_FEES = "5040";
export const BANK_FEES = "5050";

/**
 * Remedy for a manual line on each control account, whose balance must equal the documents of a kind: only the operations on
 * these documents post to it.
 */
export const controlAccountRemedies: Readonly<Record<string, string>> = {
  [UNDEPOSITED_FUNDS]: "Record a payment instead.",
  [ACCOUNTS_RECEIVABLE]: "Create a charge instead.",
  [OWNER_RECEIVABLE]: "Record an owner contribution instead.",
  [ACCOUNTS_PAYABLE]: "Record an expense instead.",
  [DEPOSITS_HELD]: "Record a receipt, a refund or another transaction of a security deposit instead.",
  [DEPOSITS_DUE]: "Create a charge of type deposit instead.",
  [PREPAID_RENT]: "Record a payment instead.",
  [OWNER_PAYABLE]: "Pay an owner payout instead.",
  [MANAGEMENT_FEES_PAYABLE]: "Charge management fees instead.",
};

/** Code of the account for the money in bank accounts of each type. */
export const BANK_ACCOUNTS_BY_TYPE: Readonly<Record<(typeof bankAccountTypes)[number], string>> = {
  operating: "1000",
  security_deposit: "1010",
  reserve: "1020",
  business: "1090",
};

type ChargeType = (typeof chargeTypes)[number];

/** Code of the account credited by a charge that names no account. A deposit is a liability, never income. */
export const defaultAccountByChargeType: Record<ChargeType, string> = {
  rent: RENT_INCOME,
  late_fee: "4030",
  nsf_fee: "4040",
  deposit: DEPOSITS_DUE,
  parking: "4010",
  utility: "4020",
  pet: "4090",
  cam: "4020",
  tax: "4020",
  insurance: "4020",
  damage: "4090",
  fee: "4090",
  other: "4090",
};

/** Side on which accounts of the type increase. */
export const normalBalance = (type: AccountDefinition["accountType"]): "debit" | "credit" => (type === "asset" || type === "expense" ? "debit" : "credit");
