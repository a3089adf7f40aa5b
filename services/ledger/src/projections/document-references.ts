/** References to documents, which portfolio stores. */
import { invalid } from "@freehold/kit/errors";

/** Throws a 400 that names each document of `documentIds` that is not among those that the caller or the reader has access to. */
export function requireReadableDocuments(documentIds: readonly string[], documents: readonly { id: string }[]): void {
  const readable = new Set(documents.map(({ id }) => id));
  const errors = documentIds.flatMap((id, index) => {
    const path = `documentIds.${index}`;
    return readable.has(id) ? [] : [{ path, code: "not_found" as const, message: `There is no document with this id. Check ${path}.` }];
  });
  if (errors.length > 0) throw invalid(errors);
}
