/** Writes the rows of a type as records. A refused row gets the error, and does not fail the others. */
import type { FieldError } from "@freehold/contract/errors";
import { type ApiError, invalid, isRefusal } from "@freehold/kit/errors";
import pLimit from "p-limit";
import { isUnexpected, type Outcome } from "../retries/run-alone.ts";
import type { CandidateReference } from "../validation/draft.ts";
import type { ExecuteOperation } from "./operation-batcher.ts";
import { refusalErrors } from "./refusals.ts";
import { inOrderOfNumbers } from "./properties/unit-numbers.rules.ts";
import { groupByPropertyAndDate, writeOwnershipGroup } from "./ownership.ts";
import type { WritableRow, WriteContext, Writer } from "./writable-row.ts";
import { type RowWrittenType, writers } from "./writers.ts";
import type { ReadyCandidate, WriteResult } from "./writing.queries.ts";

/** Execution of the rows of one chunk. */
export interface RowExecution {
  execute: ExecuteOperation;
  /** Repeats the writing of a row by itself, a few times, and returns the row's error if it fails unexpectedly each time. */
  runAlone: <T>(candidateIds: readonly string[], write: (execute: ExecuteOperation) => Promise<T>) => Promise<Outcome<T>>;
  context: WriteContext;
}

/** Writes rows concurrently, and units after those whose numbers they take. Throws when a service is unavailable; operations that took effect are replayed by the next attempt. */
export async function writeRows(entityType: RowWrittenType, candidates: readonly ReadyCandidate[], execution: RowExecution): Promise<WriteResult[]> {
  const results: WriteResult[] = [];
  for (const group of entityType === "unit" ? inOrderOfNumbers(candidates) : [candidates]) {
    const units = group.map((candidate) => ({
      ids: [candidate.id],
      write: (execute: ExecuteOperation) => writeRow(entityType, candidate, execute, execution.context),
    }));
    results.push(...(await writeUnits(units, execution)));
  }
  return results;
}

async function writeRow(entityType: RowWrittenType, candidate: ReadyCandidate, execute: ExecuteOperation, context: WriteContext): Promise<WriteResult[]> {
  const { create, update, fields } = writers[entityType];
  const { id, isNew, entityId } = candidate;
  const missing = findMissingReference(candidate);
  if (missing) return [{ id, status: "blocked", errors: [notWrittenError(missing)] }];
  try {
    const row = toWritableRow(candidate);
    if (isNew || entityId === null) return [{ id, entityId: await create(row, execute, context) }];
    if (!update) throw postedRecordError();
    return [{ id, entityId: (await update(row, entityId, execute, context)) ?? entityId }];
  } catch (error) {
    return [failedResult(id, error, fields)];
  }
}

/** Writes the ownership of each property and date with a new or changed share, including its unchanged shares. */
export async function writeOwnership(candidates: readonly ReadyCandidate[], execution: RowExecution): Promise<WriteResult[]> {
  const { context } = execution;
  const changedIds = new Set(candidates.filter(({ isUnchanged }) => !isUnchanged).map(({ id }) => id));
  const blockedResults = candidates.flatMap((candidate): WriteResult[] => {
    const missing = findMissingReference(candidate);
    return missing && changedIds.has(candidate.id) ? [{ id: candidate.id, status: "blocked", errors: [notWrittenError(missing)] }] : [];
  });
  const writableRows = candidates.filter((candidate) => !findMissingReference(candidate)).map(toWritableRow);
  const groups = groupByPropertyAndDate(writableRows, context).filter((group) => group.some(({ id }) => changedIds.has(id)));
  const units = groups.map((group): WriteUnit => {
    const ids = group.map(({ id }) => id).filter((id) => changedIds.has(id));
    return {
      ids,
      write: async (execute) => {
        try {
          const entityId = await writeOwnershipGroup(group, execute, context);
          return ids.map((id) => ({ id, entityId }));
        } catch (error) {
          return ids.map((id) => failedResult(id, error));
        }
      },
    };
  });
  return [...blockedResults, ...(await writeUnits(units, execution))];
}

/** Rows that are written together by one function. */
interface WriteUnit {
  ids: readonly string[];
  write: (execute: ExecuteOperation) => Promise<WriteResult[]>;
}

const ALONE_CONCURRENCY = 4;
/** Number of rows up to which a failure of all rows of a chunk is put down to the rows. That of more rows is a fault of the service: the chunk is retried. */
const MAX_POISONED_CHUNK = 20;

/** Writes units concurrently, and repeats each unit that failed unexpectedly by itself, so that only its own rows are quarantined. */
async function writeUnits(units: readonly WriteUnit[], { execute, runAlone }: RowExecution): Promise<WriteResult[]> {
  const limit = pLimit(ALONE_CONCURRENCY);
  const attempts = await Promise.allSettled(units.map(({ write }) => write(execute)));
  const expected = attempts.find((attempt) => attempt.status === "rejected" && !isUnexpected(attempt.reason));
  if (expected?.status === "rejected") throw expected.reason;
  const [first] = attempts;
  if (first?.status === "rejected" && attempts.length > MAX_POISONED_CHUNK && attempts.every(({ status }) => status === "rejected")) throw first.reason;
  const results = await Promise.all(
    attempts.map(async (attempt, index): Promise<WriteResult[]> => {
      if (attempt.status === "fulfilled") return attempt.value;
      const { ids, write } = units[index]!;
      const outcome = await limit(() => runAlone(ids, write));
      return "result" in outcome ? outcome.result : ids.map((id) => ({ id, status: "invalid", errors: [outcome.quarantine] }));
    }),
  );
  return results.flat();
}

const toWritableRow = ({ id, key, fingerprint, data, changes, linkedIds }: ReadyCandidate): WritableRow => ({
  id,
  key: { key, fingerprint },
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

/** Converts a 4xx error to the errors of the row. Rethrows other errors, so that the row is retried. */
function failedResult(id: string, error: unknown, fields?: Writer["fields"]): WriteResult {
  if (!isRefusal(error)) throw error;
  return { id, status: "invalid", errors: refusalErrors(error, fields) };
}
