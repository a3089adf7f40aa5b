/** Trust bank accounts of a property, which the ledger owns. */
import type { properties } from "@freehold/contract/properties/properties";
import type { BodyOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { invalid, unknownReference } from "@freehold/kit/errors";
import type { Clients } from "../clients.ts";

type Changes = Pick<BodyOf<(typeof properties)["operations"]["updateProperty"]>, "operatingBankAccountId" | "depositBankAccountId">;

const accountTypes = { operatingBankAccountId: "operating", depositBankAccountId: "security_deposit" } as const;
const members = ["operatingBankAccountId", "depositBankAccountId"] as const;

/** Throws a 400 that names a bank account that does not exist, is archived, or has another type. */
export async function requireBankAccounts(db: OrgDb, clients: Clients, changes: Changes): Promise<void> {
  const ids = members.flatMap((member) => changes[member] ?? []);
  if (ids.length === 0) return;
  const { bankAccounts } = await clients.ledger.getBankAccounts(db, { ids });
  for (const member of members) {
    if (!changes[member]) continue;
    const account = bankAccounts.find(({ id }) => id === changes[member]!.toLowerCase());
    if (!account) throw unknownReference(member, "bank account");
    const accountType = accountTypes[member];
    if (account.isActive && account.accountType === accountType) continue;
    const message = account.isActive
      ? `The bank account is of the type ${account.accountType}. Name one of the type ${accountType}.`
      : "The bank account is archived. Name an active one.";
    throw invalid([{ path: member, code: "not_allowed", message }]);
  }
}
