/** How portfolio asks other services: what may be missing and what must be there. */
import type { OrgDb } from "@freehold/kit/db";
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

/** Refuses accounts that the organization's chart does not have; each entry is the account and where the body names it. */
export async function refuseUnknownCategories(db: OrgDb, ask: Clients, named: { categoryId: string; path: string }[]): Promise<void> {
  if (named.length === 0) return;
  const { categories } = await ask.ledger.getCategories(db, { ids: [...new Set(named.map(({ categoryId }) => categoryId))] });
  const known = new Set(categories.map(({ id }) => id));
  const unknown = named.filter(({ categoryId }) => !known.has(categoryId.toLowerCase()));
  if (unknown.length > 0) throw invalid(unknown.map(({ path }) => ({ path, code: "not_found", message: `There is no account with this id. Check ${path}.` })));
}
