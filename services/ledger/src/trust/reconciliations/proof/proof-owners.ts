/** Owners whom three-way proofs name, read from portfolio before a transaction begins. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { Clients } from "../../../clients.ts";
import { findSoleOwners } from "../../../owners/sole-owners.ts";

/** Owners of the money of properties: the owner of the account, else the only one that a property has had up to the end of a statement. */
export type ProofOwners = ReadonlyMap<string, { id: string; fullName: string }>;

/** Returns the owners of the money in a bank account at the end of a day. */
export async function findProofOwners(db: OrgDb, clients: Clients, bankAccountId: string, day: string): Promise<ProofOwners> {
  const rows = await db.all(sql<{ propertyId: string; ownerId: string | null }>`select distinct l.property_id, a.owner_id from bank_account a
    join journal_line l on l.organization_id = a.organization_id and l.bank_account_id = a.id and l.account_id = a.category_id
    where a.organization_id = ${db.organizationId} and a.id = ${bankAccountId} and l.entry_date <= ${day} and l.property_id is not null`);
  const propertyIds = rows.map(({ propertyId }) => propertyId);
  const ownerId = rows[0]?.ownerId;
  const ownerIds = ownerId ? new Map(propertyIds.map((propertyId) => [propertyId, ownerId])) : await findSoleOwners(db, clients, propertyIds, day);
  if (ownerIds.size === 0) return new Map();
  const { owners } = await clients.portfolio.getOwners(db, { ids: [...new Set(ownerIds.values())] });
  const names = new Map(owners.map(({ id, fullName }) => [id, fullName]));
  return new Map([...ownerIds].flatMap(([propertyId, id]) => (names.has(id) ? [[propertyId, { id, fullName: names.get(id)! }]] : [])));
}

/** Returns the owners for the proof of a draft, also of one that gets another end; none for another reconciliation, whose proof is stored. */
export async function findDraftOwners(db: OrgDb, clients: Clients, id: string, newEndDate?: string): Promise<ProofOwners> {
  const draft = await db.first(sql<{ bankAccountId: string; statementEndDate: string }>`select bank_account_id, statement_end_date from reconciliation
    where organization_id = ${db.organizationId} and id = ${id} and status = 'draft'`);
  return draft ? findProofOwners(db, clients, draft.bankAccountId, newEndDate ?? draft.statementEndDate) : new Map();
}
