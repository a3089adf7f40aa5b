/** How portfolio asks other services: what may be missing and what must be there. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import { ApiError, invalid } from "@freehold/kit/errors";
import type { Clients } from "./clients.ts";

/** An answer that is welcome but not needed: undefined while the other service is down. */
export async function ifItAnswers<T>(question: Promise<T>): Promise<T | undefined> {
  try {
    return await question;
  } catch (error) {
    if (error instanceof ApiError && error.status === 503) return undefined;
    throw error;
  }
}

/** The names of users, in one question; nobody's while identity does not answer. */
export async function namesOf(db: OrgDb, ask: Clients, ids: readonly (string | null)[]): Promise<Map<string, string>> {
  const asked = [...new Set(ids.filter((id) => id !== null))];
  if (asked.length === 0) return new Map();
  const answer = await ifItAnswers(ask.identity.getUsers(db, { ids: asked }));
  return new Map(answer?.users.map(({ id, fullName }) => [id, fullName]));
}

/** Who it was, when it was somebody whose name is known. */
export function personIn(names: ReadonlyMap<string, string>, id: string | null): { id: string; fullName: string } | null {
  const fullName = id === null ? undefined : names.get(id);
  return id !== null && fullName !== undefined ? { id, fullName } : null;
}

/** Refuses an account in `categoryId` that the organization's chart does not have; none is none that is wrong. */
export const refuseUnknownCategory = (db: OrgDb, ask: Clients, { categoryId }: { categoryId?: string | null | undefined }): Promise<void> =>
  refuseUnknownCategories(db, ask, categoryId ? [{ categoryId, path: "categoryId" }] : []);

/** Refuses accounts that the organization's chart does not have; each entry is the account and where the body names it. */
export async function refuseUnknownCategories(db: OrgDb, ask: Clients, named: readonly { categoryId: string; path: string }[]): Promise<void> {
  if (named.length === 0) return;
  const { categories } = await ask.ledger.getCategories(db, { ids: [...new Set(named.map(({ categoryId }) => categoryId))] });
  const known = new Set(categories.map(({ id }) => id));
  const unknown = named.filter(({ categoryId }) => !known.has(categoryId.toLowerCase()));
  if (unknown.length > 0) throw invalid(unknown.map(({ path }) => ({ path, code: "not_found", message: `There is no account with this id. Check ${path}.` })));
}
