/** References to documents, which portfolio stores. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import { invalid } from "@freehold/kit/errors";
import type { Clients } from "../clients.ts";

/** Returns the documents that a request names, each once. Throws a 400 that names each one that the caller has no access to. */
export async function resolveDocuments(db: OrgDb, { portfolio }: Clients, documentIds: readonly string[]): Promise<string[]> {
  const ids = [...new Set(documentIds)];
  if (ids.length > 0) requireReadableDocuments(documentIds, (await portfolio.getDocuments(db, { ids })).documents);
  return ids;
}

/** Throws a 400 that names each document of `documentIds` that is not among those that the caller or the reader has access to. */
export function requireReadableDocuments(documentIds: readonly string[], documents: readonly { id: string }[]): void {
  const readable = new Set(documents.map(({ id }) => id));
  const errors = documentIds.flatMap((id, index) => {
    const path = `documentIds.${index}`;
    return readable.has(id) ? [] : [{ path, code: "not_found" as const, message: `There is no document with this id. Check ${path}.` }];
  });
  if (errors.length > 0) throw invalid(errors);
}
