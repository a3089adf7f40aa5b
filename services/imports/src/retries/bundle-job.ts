/** Loop of the jobs that validate and write bundles. A bundle whose work failed waits for its retry, and the other bundles go on. */
import type { ImportBundleStatus } from "@freehold/contract/imports/import-bundles";
import { newId } from "@freehold/kit/db/entity";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { nextRunIn, secondsTo } from "@freehold/kit/jobs/run-delay";
import type { Job } from "@freehold/kit/jobs/scheduler";
import type { Logger } from "@freehold/kit/observability/log";
import { now } from "@freehold/kit/time/clock";
import { publishImportStatus } from "../events.ts";
import { ImportBundle } from "../import-bundles/import-bundle.entity.ts";
import { validateOverlappingBundles } from "../import-bundles/begin-validation.ts";
import { bundleStates } from "../import-bundles/import-bundle.rules.ts";
import { UnreadableFileError } from "../reading/unreadable-file.ts";
import { type RunningBundle, StaleCursorError } from "../validation/advance-cursor.ts";
import { isFileMissing, isUnavailable, isUnexpected } from "./run-alone.ts";

const HOUR_MS = 3_600_000;
/** Delay of the retry while a service is unavailable. */
const UNAVAILABLE_RETRY_MS = 1_000;
/** Delay after the first unexpected error; it doubles with each further one at the same cursor. */
const UNEXPECTED_RETRY_MS = 500;
/** Unexpected errors at the same cursor after which a bundle fails. */
const MAX_FAILURES = 5;

/** Columns of a `RunningBundle` with the state of its retries. */
export const retryColumns = sql`retry_at, failures`;
/** Condition of bundles that wait for no retry. */
export const isDue = sql`(retry_at is null or retry_at <= now())`;

interface BundleWork<B extends RunningBundle> {
  /** Duration of one run of the job, short because a replica runs few jobs at once and other organizations wait. */
  timeSliceMs: number;
  /** Statuses of the bundles that the job works on. */
  statuses: readonly ImportBundleStatus[];
  findNext: (db: OrgDb) => Promise<B | undefined>;
  run: (db: OrgDb, bundle: B, isTimeUp: () => boolean) => Promise<unknown>;
}

/** Creates a job that works on the due bundles of an organization, one after the other, for one time slice. */
export const bundleJob =
  <B extends RunningBundle>(log: Logger, { timeSliceMs, statuses, findNext, run }: BundleWork<B>): Job =>
  async (db) => {
    const until = Date.now() + timeSliceMs;
    const isTimeUp = () => Date.now() > until;
    for (;;) {
      const bundle = await findNext(db);
      if (!bundle) return findNextRetry(db, statuses);
      try {
        await run(db, bundle, isTimeUp);
      } catch (error) {
        await handleFailure(db, log, bundle, error);
      }
      if (isTimeUp()) return now();
    }
  };

/** Returns the time of the first retry of a bundle, at most an hour from now. */
async function findNextRetry(db: OrgDb, statuses: readonly ImportBundleStatus[]): Promise<Date> {
  const next = await db.first(sql<{ seconds: number | null }>`select ${secondsTo(sql`min(retry_at)`)} as seconds from import_bundle
    where organization_id = ${db.organizationId} and status = any(${[...statuses]})`);
  return nextRunIn(next?.seconds, HOUR_MS);
}

/**
 * Postpones a bundle after an error: without end while a service is unavailable, and a few times after an unexpected error, after which
 * the bundle fails. A file that cannot be read fails it at once.
 */
async function handleFailure(db: OrgDb, log: Logger, bundle: RunningBundle, error: unknown): Promise<void> {
  if (error instanceof StaleCursorError) return;
  if (isFileMissing(error)) return failBundle(db, bundle, "A file of the bundle no longer exists. Remove it and upload it again.");
  if (error instanceof UnreadableFileError) return failBundle(db, bundle, error.message);
  const details = { err: error, organizationId: db.organizationId, bundleId: bundle.id };
  if (isUnavailable(error)) {
    if (bundle.retryAt === null) log.warn(details, "an import waits for a service");
    return postpone(db, bundle, UNAVAILABLE_RETRY_MS, bundle.failures);
  }
  if (!isUnexpected(error)) throw error;
  const failures = bundle.failures + 1;
  const requestId = newId();
  log.error({ ...details, requestId, failures }, "an import failed unexpectedly");
  if (failures < MAX_FAILURES) return postpone(db, bundle, UNEXPECTED_RETRY_MS * 2 ** bundle.failures, failures);
  return failBundle(db, bundle, `The import stopped after an unexpected error. Try again; if the error persists, report the request id ${requestId}.`);
}

/** Sets the retry of a bundle, unless its run has ended meanwhile. */
async function postpone(db: OrgDb, { id, run }: RunningBundle, delayMs: number, failures: number): Promise<void> {
  await db.all(sql`update import_bundle set retry_at = now() + make_interval(secs => ${delayMs / 1_000}), failures = ${failures}
    where organization_id = ${db.organizationId} and id = ${id} and run = ${run}`);
}

/** Ends the run of a bundle with the reason, unless it has ended meanwhile. */
async function failBundle(db: OrgDb, bundle: RunningBundle, reason: string): Promise<void> {
  await validateOverlappingBundles(db, bundle.id);
  await transaction(db, async (tx) => {
    const [current] = await tx.findAllForUpdate(ImportBundle, [bundle.id]);
    if (!current || current.run !== bundle.run || !bundleStates.allows(current.status, "failed")) return;
    tx.assign(current, { status: "failed", error: reason, phase: null, cursor: null, retryAt: null, failures: 0, updatedAt: now() });
    await publishImportStatus(tx, bundle, "failed");
  });
}
