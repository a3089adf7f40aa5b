/** Lookups in other services: amounts and names of users, which may be missing, and accounts that a request refers to. */
import type { Cents } from "@freehold/contract/values";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { unknownReferences } from "@freehold/kit/errors";
import type { Clients } from "../clients.ts";

/**
 * Returns a lookup of amounts by id, fetched from the ledger in one call: 0 for an id without an amount, and null for every id while the
 * ledger is unavailable or slow.
 */
export async function findAmounts(
  db: OrgDb,
  clients: Clients,
  ids: readonly string[],
  fetch: (ids: string[]) => Promise<readonly (readonly [id: string, cents: number])[]>,
): Promise<(id: string) => Cents | null> {
  if (ids.length === 0) return () => null;
  const entries = await clients.callOptionally(db, "ledger", () => fetch([...ids]));
  const amounts = new Map(entries);
  return (id) => (entries ? ((amounts.get(id) ?? 0) as Cents) : null);
}

/** Returns the full names of users by id, in one call. The map is empty while identity is unavailable or slow. */
export async function findUserNames(db: OrgDb, clients: Clients, ids: readonly (string | null)[]): Promise<Map<string, string>> {
  const userIds = [...new Set(ids.filter((id) => id !== null))];
  if (userIds.length === 0) return new Map();
  const response = await clients.callOptionally(db, "identity", () => clients.identity.getUsers(db, { ids: userIds }));
  return new Map(response?.users.map(({ id, fullName }) => [id, fullName]));
}

/** Returns the id and name of a user, or null when `names` has no name for the id. */
export function userReference(names: ReadonlyMap<string, string>, id: string | null): { id: string; fullName: string } | null {
  const fullName = id === null ? undefined : names.get(id);
  return id !== null && fullName !== undefined ? { id, fullName } : null;
}

/** Throws 400 when the organization's chart of accounts has no account `categoryId`. Accepts an absent id. */
export const requireCategory = (db: OrgDb, clients: Clients, { categoryId }: { categoryId?: string | null | undefined }): Promise<void> =>
  requireCategories(db, clients, categoryId ? [{ categoryId, path: "categoryId" }] : []);

interface CategoryReference {
  categoryId: string;
  path: string;
}

/** Throws 400 that names each account missing from the organization's chart of accounts by its path in the request body. */
export async function requireCategories(db: OrgDb, clients: Clients, references: readonly CategoryReference[]): Promise<void> {
  const missing = await findMissingCategories(db, clients, references);
  if (missing.length > 0)
    throw unknownReferences(
      missing.map(({ path }) => path),
      "category",
    );
}

/** Returns the references to accounts that are missing from the organization's chart of accounts. */
export async function findMissingCategories<R extends CategoryReference>(db: OrgDb, clients: Clients, references: readonly R[]): Promise<R[]> {
  if (references.length === 0) return [];
  const { categories } = await clients.ledger.getCategories(db, { ids: [...new Set(references.map(({ categoryId }) => categoryId))] });
  const existingIds = new Set(categories.map(({ id }) => id));
  return references.filter(({ categoryId }) => !existingIds.has(categoryId.toLowerCase()));
}
