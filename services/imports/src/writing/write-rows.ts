/** Writes the rows of a type as records. A refused row gets the error, and does not fail the others. */
import type { FieldError } from "@freehold/contract/errors";
import { type ApiError, invalid } from "@freehold/kit/errors";
import type { CandidateReference } from "../validation/draft.ts";
import type { ExecuteOperation } from "./operation-batcher.ts";
import { isRefusal, refusalErrors } from "./refusals.ts";
import { groupByPropertyAndDate, writeOwnershipGroup } from "./ownership.ts";
import type { WritableRow, WriteContext, Writer } from "./writable-row.ts";
import { type RowWrittenType, writers } from "./writers.ts";
import type { ReadyCandidate, WriteResult } from "./writing.queries.ts";

/** Writes rows concurrently. Throws when a service is unavailable; operations that took effect are replayed by the next attempt. */
export function writeRows(
  entityType: RowWrittenType,
  candidates: readonly ReadyCandidate[],
  execute: ExecuteOperation,
  context: WriteContext,
): Promise<WriteResult[]> {
  const { create, update, fields } = writers[entityType];
  return Promise.all(
    candidates.map(async (candidate): Promise<WriteResult> => {
      const { id, isNew, entityId } = candidate;
      const missing = findMissingReference(candidate);
      if (missing) return { id, status: "blocked", errors: [notWrittenError(missing)] };
      const row = toWritableRow(candidate);
      const written =
        isNew || entityId === null
          ? create(row, execute, context)
          : update
            ? update(row, entityId, execute, context).then(() => entityId)
            : Promise.reject(postedRecordError());
      return written.then(
        (writtenId) => ({ id, entityId: writtenId }),
        (error: unknown) => failedResult(id, error, fields),
      );
    }),
  );
}

/** Writes the ownership of each property and date with a new or changed share, including its unchanged shares. */
export async function writeOwnership(candidates: readonly ReadyCandidate[], execute: ExecuteOperation, context: WriteContext): Promise<WriteResult[]> {
  const changedIds = new Set(candidates.filter(({ isUnchanged }) => !isUnchanged).map(({ id }) => id));
  const blockedResults = candidates.flatMap((candidate): WriteResult[] => {
    const missing = findMissingReference(candidate);
    return missing && changedIds.has(candidate.id) ? [{ id: candidate.id, status: "blocked", errors: [notWrittenError(missing)] }] : [];
  });
  const writableRows = candidates.filter((candidate) => !findMissingReference(candidate)).map(toWritableRow);
  const groups = groupByPropertyAndDate(writableRows, context).filter((group) => group.some(({ id }) => changedIds.has(id)));
  const results = await Promise.all(
    groups.map(async (group) => {
      const outcome = await writeOwnershipGroup(group, execute, context).catch((error: unknown) => error);
      const changed = group.filter(({ id }) => changedIds.has(id));
      return changed.map(({ id }) => (typeof outcome === "string" ? { id, entityId: outcome } : failedResult(id, outcome)));
    }),
  );
  return [...blockedResults, ...results.flat()];
}

const toWritableRow = ({ id, key, data, changes, linkedIds }: ReadyCandidate): WritableRow => ({
  id,
  key,
  data,
  changes,
  linkedIds: Object.fromEntries(Object.entries(linkedIds).filter(([, value]) => value !== null)) as WritableRow["linkedIds"],
});

/** Returns a required reference whose record was not written. */
const findMissingReference = ({ refs, linkedIds }: ReadyCandidate): CandidateReference | undefined =>
  refs.find(({ name, isRequired }) => isRequired && (linkedIds[name] ?? null) === null);

const notWrittenError = ({ path, entityType, id, text }: CandidateReference): FieldError => ({
  path,
  code: "not_found",
  message: `The ${entityType.replace("_", " ")} "${id ?? text}" was not written, so this row could not be written. Correct that row and import both again.`,
});

const postedRecordError = (): ApiError =>
  invalid([
    {
      path: "row",
      code: "not_allowed",
      message: "An import does not change a posted record. Correct the record itself, or leave the row unchanged.",
    },
  ]);

/** Converts a 4xx error to the errors of the row. Rethrows other errors, so that the chunk is retried. */
function failedResult(id: string, error: unknown, fields?: Writer["fields"]): WriteResult {
  if (!isRefusal(error)) throw error;
  return { id, status: "invalid", errors: refusalErrors(error, fields) };
}
