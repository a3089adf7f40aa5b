/** Isolation of rows that fail with an unexpected error, such as a 500 of the service that owns the records. */
import { setTimeout as sleep } from "node:timers/promises";
import type { FieldError } from "@freehold/contract/errors";
import { newId } from "@freehold/kit/db/entity";
import { OrgDb } from "@freehold/kit/db/org-db";
import { ApiError, CALLER_LEFT } from "@freehold/kit/errors";
import type { Logger } from "@freehold/kit/observability/log";
import { UnreadableFileError } from "../reading/unreadable-file.ts";
import { StaleCursorError } from "../validation/advance-cursor.ts";

const MAX_ATTEMPTS = 3;
const RETRY_MS = 250;
/** Repeated attempts within one chunk, so that a fault of every row delays the other bundles by seconds only. */
const MAX_REPETITIONS = 20;

export const isUnavailable = (error: unknown): boolean => error instanceof ApiError && error.status === 503;

/** Tells whether a validation failed because a file of the bundle is missing in the store. */
export const isFileMissing = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === "ENOENT";

/** Tells whether an error may concern a single row, unlike an unavailable service, a lost lease, an outdated cursor or an unreadable file. */
export function isUnexpected(error: unknown): boolean {
  if (error instanceof StaleCursorError || error instanceof UnreadableFileError || isFileMissing(error)) return false;
  return !(error instanceof ApiError && (error.status === CALLER_LEFT || error.status === 503));
}

/** Returns the error of a row that was quarantined. The logs of all services name the request id. */
const quarantineError = (requestId: string): FieldError => ({
  path: "row",
  code: "unexpected",
  message: `The row was set aside after an unexpected error. Import it again; if the error persists, report the request id ${requestId}.`,
});

/** Result of a row that was run alone, or the error of a row that failed unexpectedly each time. */
export type Outcome<T> = { result: T } | { quarantine: FieldError };
/** Runs the work of one row by itself. The work gets a database with the request id of the attempt, for its calls of other services. */
export type RunAlone = <T>(candidateIds: readonly string[], work: (db: OrgDb) => Promise<T>) => Promise<Outcome<T>>;

/**
 * Creates the runner for the rows of one chunk that failed unexpectedly. It retries the work of a row and then logs the error and returns
 * the row's quarantine. Rethrows expected errors, so that the chunk is retried.
 */
export function rowIsolation(db: OrgDb, log: Logger, bundle: { id: string }): RunAlone {
  let repetitions = 0;
  return async (candidateIds, work) => {
    for (let attempt = 1; ; attempt++) {
      const requestId = newId();
      try {
        return { result: await work(new OrgDb(db.database, db.principal, { ...db.request, requestId })) };
      } catch (error) {
        if (!isUnexpected(error)) throw error;
        if (attempt < MAX_ATTEMPTS && repetitions++ < MAX_REPETITIONS) await sleep(RETRY_MS * attempt);
        else {
          log.error({ err: error, organizationId: db.organizationId, bundleId: bundle.id, candidateIds, requestId }, "an import set a row aside");
          return { quarantine: quarantineError(requestId) };
        }
      }
    }
  };
}
