/** Rows of one type become records; what is refused says why, and lets the others be. */
import type { FieldError } from "@freehold/contract/errors";
import { ApiError, invalid } from "@freehold/kit/errors";
import type { Ref } from "../validation/draft.ts";
import type { Perform } from "./operation-batcher.ts";
import { groupsOf, replaceOwnership } from "./ownership.ts";
import type { Books, Row } from "./writable-row.ts";
import { writers, type RowType } from "./writers.ts";
import type { ReadyRow, Written } from "./writing.queries.ts";

/** Writes rows side by side. A service that does not answer fails all of it; the next try finds what was done. */
export function writeRows(entityType: RowType, rows: readonly ReadyRow[], perform: Perform, books: Books): Promise<Written[]> {
  const { create, update } = writers[entityType];
  return Promise.all(
    rows.map(async (ready): Promise<Written> => {
      const { id, isNew, entityId } = ready;
      const missing = missingOf(ready);
      if (missing) return { id, status: "blocked", errors: [notWritten(missing)] };
      const row = rowOf(ready);
      const writing =
        isNew || entityId === null ? create(row, perform, books) : update ? update(row, entityId, perform, books).then(() => entityId) : refuseChange();
      return writing.then(
        (became) => ({ id, entityId: became }),
        (error: unknown) => refused(id, error),
      );
    }),
  );
}

/** Writes the shares of each property at once, where one of them is new or has changed. */
export async function writeOwnership(rows: readonly ReadyRow[], perform: Perform, books: Books): Promise<Written[]> {
  const ready = new Set(rows.filter(({ isUnchanged }) => !isUnchanged).map(({ id }) => id));
  const blocked = rows.flatMap((row): Written[] => {
    const missing = missingOf(row);
    return missing && ready.has(row.id) ? [{ id: row.id, status: "blocked", errors: [notWritten(missing)] }] : [];
  });
  const groups = groupsOf(rows.filter((row) => !missingOf(row)).map(rowOf), books).filter((group) => group.some(({ id }) => ready.has(id)));
  const written = await Promise.all(
    groups.map(async (group) => {
      const result = await replaceOwnership(group, perform, books).catch((error: unknown) => error);
      const own = group.filter(({ id }) => ready.has(id));
      return own.map(({ id }) => (typeof result === "string" ? { id, entityId: result } : refused(id, result)));
    }),
  );
  return [...blocked, ...written.flat()];
}

const rowOf = ({ id, data, changes, linked }: ReadyRow): Row => ({
  id,
  data,
  changes,
  linked: Object.fromEntries(Object.entries(linked).filter(([, value]) => value !== null)) as Row["linked"],
});

/** What a row cannot be without, and nobody wrote. */
const missingOf = ({ refs, linked }: ReadyRow): Ref | undefined => refs.find(({ name, isRequired }) => isRequired && (linked[name] ?? null) === null);

const notWritten = ({ path, entityType, id, text }: Ref): FieldError => ({
  path,
  code: "not_found",
  message: `The ${entityType.replace("_", " ")} "${id ?? text}" could not be written, so this could not be either. Mend that one and import both again.`,
});

const refuseChange = (): Promise<string> =>
  Promise.reject(
    invalid([
      { path: "row", code: "not_allowed", message: "What was posted is not changed by an import. Correct it in the books, or leave the row as it was." },
    ]),
  );

/** What the owning service answered, as the row's error; anything that is nobody's answer is tried again. */
function refused(id: string, error: unknown): Written {
  if (!(error instanceof ApiError) || error.status >= 500) throw error;
  return { id, status: "invalid", errors: error.errors ?? [{ path: "row", code: "not_allowed", message: error.message }] };
}
