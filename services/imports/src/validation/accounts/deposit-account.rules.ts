/** Choice of the bank account in which an imported deposit is kept. */
import type { BankAccount } from "@freehold/proto/ledger/v1/ledger";
import { normalizeForMatching } from "../../parsing/text.ts";
import type { FieldValues } from "../draft.ts";

const NAME_ADVICE = "Use its name, add the account first, or leave bank_account empty.";

/**
 * Returns the bank account that a row names, or the problem as a sentence. A row without a name is kept in the only active account for
 * security deposits; without exactly one, and for a deposit that the owner holds, there is no account.
 */
export function selectDepositAccount(
  { bank_account: name, holder }: FieldValues,
  accounts: readonly BankAccount[],
): { id: string | undefined } | { problem: string } {
  if (name === undefined) return { id: holder === "owner" ? undefined : defaultAccount(accounts)?.id };
  if (holder === "owner") return { problem: "bank_account: The owner holds the deposit, so it is in no bank account. Clear bank_account, or correct holder." };
  const named = accounts.filter((account) => account.id === name || normalizeForMatching(account.name) === normalizeForMatching(name));
  const [account, ...others] = named.some(({ isActive }) => isActive) ? named.filter(({ isActive }) => isActive) : named;
  if (!account) return { problem: `bank_account: There is no bank account "${name}". ${describeTrustAccounts(accounts)} ${NAME_ADVICE}` };
  if (others.length > 0) return { problem: `bank_account: ${others.length + 1} bank accounts have the name "${name}". Use the ID of one of them.` };
  if (!account.isActive) return { problem: `bank_account: The bank account "${account.name}" is archived. Name an active one, or leave bank_account empty.` };
  if (account.accountType === "business")
    return { problem: `bank_account: "${account.name}" is a business account, and deposits of tenants are trust money. Name a trust account.` };
  return { id: account.id };
}

/** Returns the only active account for security deposits of all owners. */
function defaultAccount(accounts: readonly BankAccount[]): BankAccount | undefined {
  const [first, ...others] = accounts.filter(({ accountType, isActive, ownerId }) => accountType === "security_deposit" && isActive && ownerId === undefined);
  return others.length === 0 ? first : undefined;
}

const MAX_NAMED = 5;

function describeTrustAccounts(accounts: readonly BankAccount[]): string {
  const names = accounts.flatMap(({ name, isActive, accountType }) => (isActive && accountType !== "business" ? [`"${name}"`] : []));
  if (names.length === 0) return "The organization has no trust account.";
  return `The trust accounts are: ${names.slice(0, MAX_NAMED).join(", ")}${names.length > MAX_NAMED ? ", …" : ""}.`;
}
