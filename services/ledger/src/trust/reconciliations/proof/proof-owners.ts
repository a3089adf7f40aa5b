/** Owners whom three-way proofs name, read from portfolio before a transaction begins. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { Clients } from "../../../clients.ts";
import type { BankAccount } from "../../bank-accounts/bank-account.entity.ts";
import { findAccountOwners } from "../../../owners/account-owners.ts";
import type { AccountOwners } from "../../../owners/ledgers/money-in-account.rules.ts";

/** Owners of the money of properties at the end of a statement, with the names of all owners whom their ledgers can name. */
export interface ProofOwners extends AccountOwners {
  names: ReadonlyMap<string, string>;
}

type Account = Pick<BankAccount, "id" | "categoryId" | "accountType" | "ownerId">;
const noOwners: ProofOwners = { ownerIds: new Map(), shared: [], names: new Map() };

/** Returns the owners of the money in a bank account at the end of a day. */
export async function findProofOwners(db: OrgDb, clients: Clients, bankAccountId: string, day: string): Promise<ProofOwners> {
  const account = await db.first(sql<Account>`select id, category_id, account_type, owner_id from bank_account
    where organization_id = ${db.organizationId} and id = ${bankAccountId}`);
  if (!account) return noOwners;
  const owners = await findAccountOwners(db, clients, account, day);
  const { ownerIds, shared } = owners;
  const ids = new Set([...ownerIds.values(), ...shared.flatMap(({ ownerships }) => ownerships.flatMap(({ shares }) => shares.map(({ ownerId }) => ownerId)))]);
  for (const { id } of await findNamedOwners(
    db,
    shared.map(({ propertyId }) => propertyId),
  ))
    ids.add(id);
  if (ids.size === 0) return { ...owners, names: new Map() };
  const response = await clients.portfolio.getOwners(db, { ids: [...ids] });
  return { ...owners, names: new Map(response.owners.map(({ id, fullName }) => [id, fullName])) };
}

/** Returns the owners whom entries at properties name: one may have been paid by mistake. */
const findNamedOwners = async (db: OrgDb, propertyIds: readonly string[]): Promise<{ id: string }[]> =>
  propertyIds.length === 0
    ? []
    : db.all(sql<{ id: string }>`select distinct owner_id as id from journal_line
        where organization_id = ${db.organizationId} and owner_id is not null and property_id = any(${[...propertyIds]}::uuid[])`);

/** Returns the owners for the proof of a draft, also of one that gets another end; none for another reconciliation, whose proof is stored. */
export async function findDraftOwners(db: OrgDb, clients: Clients, id: string, newEndDate?: string): Promise<ProofOwners> {
  const draft = await db.first(sql<{ bankAccountId: string; statementEndDate: string }>`select bank_account_id, statement_end_date from reconciliation
    where organization_id = ${db.organizationId} and id = ${id} and status = 'draft'`);
  return draft ? findProofOwners(db, clients, draft.bankAccountId, newEndDate ?? draft.statementEndDate) : noOwners;
}
