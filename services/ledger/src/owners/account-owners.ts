/** Owners of the money in a bank account, read from portfolio before a transaction begins. */
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { Clients } from "../clients.ts";
import type { BankAccount } from "../trust/bank-accounts/bank-account.entity.ts";
import type { AccountOwners } from "./ledgers/money-in-account.rules.ts";
import { findOwnershipOf } from "./owned-properties.ts";
import { ownersUntil } from "./ownership.rules.ts";

type Account = Pick<BankAccount, "id" | "categoryId" | "accountType" | "ownerId">;

/** Returns the owners of the money in a bank account at the end of a day. */
export const findAccountOwners = async (db: OrgDb, clients: Clients, account: Account, day: string): Promise<AccountOwners> =>
  findOwnersOfMoney(db, clients, account, await findPropertiesWithMoney(db, account, day), day);

/** Returns the owners of the money of properties in a bank account at the end of a day. */
export async function findOwnersOfMoney(
  db: OrgDb,
  clients: Clients,
  { ownerId, accountType }: Pick<Account, "ownerId" | "accountType">,
  propertyIds: readonly string[],
  day: string,
): Promise<AccountOwners> {
  if (ownerId) return { ownerIds: new Map(propertyIds.map((propertyId) => [propertyId, ownerId])), shared: [] };
  const owned = (await findOwnershipOf(db, clients, propertyIds)).map((property) => ({ property, owners: ownersUntil(property, day) }));
  return {
    ownerIds: new Map(owned.flatMap(({ property, owners }) => (owners.length === 1 ? [[property.propertyId, owners[0]!]] : []))),
    // A business account holds no money of owners; what it has paid for a property is the company's.
    shared: owned.flatMap(({ property, owners }) => (owners.length > 1 && accountType !== "business" ? [property] : [])),
  };
}

/** Returns the properties whose money has moved in an account up to a day, also when nothing is left of it. */
async function findPropertiesWithMoney(db: StatementRunner, { id, categoryId }: Account, day: string): Promise<string[]> {
  const rows = await db.all(sql<{ propertyId: string }>`select distinct property_id from journal_line where organization_id = ${db.organizationId}
    and bank_account_id = ${id} and account_id = ${categoryId} and entry_date <= ${day} and property_id is not null`);
  return rows.map(({ propertyId }) => propertyId);
}
