/** Job that validates bundles in chunks. Any replica continues a validation at the committed cursor. */
import { importEntityTypes, type BundleFile, type ImportEntityType } from "@freehold/contract/imports/import-bundles";
import { today } from "@freehold/kit/time/clock";
import { analyzeGrownTables } from "@freehold/kit/db/batches/analyze-grown-tables";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { FileStore } from "@freehold/kit/files/file-store";
import type { Job } from "@freehold/kit/jobs/scheduler";
import type { Logger } from "@freehold/kit/observability/log";
import { sql } from "@freehold/kit/db/statement";
import { bulkSettingsColumns } from "../bulk-imports/bulk-settings.queries.ts";
import { queueBulkImport } from "../bulk-imports/queue-bulk-import.ts";
import { evaluateBulkRows } from "../bulk-imports/validation/evaluate-rows.ts";
import { findBulkMatches } from "../bulk-imports/validation/find-bulk-matches.ts";
import { flagDuplicateRows } from "../bulk-imports/validation/flag-duplicate-rows.ts";
import { resolveRecordReferences, saveRecordReferences } from "../bulk-imports/validation/resolve-record-references.ts";
import type { Clients } from "../clients.ts";
import { publishImportStatus } from "../events.ts";
import { onBehalfOf } from "../import-bundles/started-by.ts";
import { deleteDecisions, dropOutdatedCreations, prepareDecisionRestore, saveDecisions } from "../import-candidates/decisions.ts";
import { listFiles } from "../import-files/import-files.queries.ts";
import { UnreadableFileError } from "../reading/unreadable-file.ts";
import { bundleJob, isDue, retryColumns } from "../retries/bundle-job.ts";
import { advanceCursor, type ValidatingBundle } from "./advance-cursor.ts";
import { countByStatus, countByType, deleteCandidates, findCandidatesWhere, listCandidatesAfter, type CandidateRow } from "./candidates.queries.ts";
import type { ValidationCursor } from "./cursor.ts";
import { evaluateCandidates, updateStatuses } from "./evaluate-candidates.ts";
import { findMatches } from "./find-matches.ts";
import { markHoldovers } from "./references/holdovers.queries.ts";
import { warnOfRows } from "./row-warnings.queries.ts";
import { fillFromDuplicates, filterWithDuplicates, flagConflicts, mergeDuplicates } from "./merge-duplicates.ts";
import { type ChunkCursor, processIsolated, progressAfter } from "../retries/process-isolated.ts";
import { readCandidates } from "./read-candidates.ts";
import { findAccountErrors, saveAccountErrors } from "./accounts/named-accounts.ts";
import { resolveExistingReferences } from "./references/deleted-records.ts";
import { addLeaseConflicts } from "./conflicts/existing-leases.ts";
import { findSharingRecords } from "./conflicts/contested-records.ts";
import { flagIncompleteShares } from "./conflicts/ownership-shares.ts";
import { numberRows } from "./source-ids/number-rows.ts";
import { saveReferences } from "./references/resolve-references.ts";

const TIME_SLICE_MS = 5_000;
const BATCH_SIZE = 500;

export interface ValidationDependencies {
  store: FileStore;
  clients: Clients;
  log: Logger;
}

/** Creates the job that validates the bundles of an organization for one time slice. */
export const validateBundles = (dependencies: ValidationDependencies): Job =>
  bundleJob(dependencies.log, {
    timeSliceMs: TIME_SLICE_MS,
    statuses: ["inspecting", "mapping", "validating"],
    findNext: findNextBundle,
    run: (db, bundle, isTimeUp) => continueValidation(db, dependencies, bundle, isTimeUp),
  });

const findNextBundle = (db: OrgDb): Promise<ValidatingBundle | undefined> =>
  db.first(sql<ValidatingBundle>`select id, provider, ${bulkSettingsColumns}, ${retryColumns}, started_by, coalesce(started_by ->> 'timezone', 'UTC') as timezone, run, cursor, phase, processed, total
    from import_bundle
    where organization_id = ${db.organizationId} and status in ('inspecting', 'mapping', 'validating') and ${isDue} order by updated_at, id limit 1`);

async function continueValidation(
  db: OrgDb,
  { store, clients, log }: ValidationDependencies,
  bundle: ValidatingBundle,
  isTimeUp: () => boolean,
): Promise<void> {
  const files = await listFiles(db, [bundle.id]);
  while (!isTimeUp()) {
    const { cursor } = bundle;
    if (cursor.step === "clear") await clear(db, bundle, files, cursor.isKept);
    else if (cursor.step === "read") await readFiles(db, store, bundle, files, isTimeUp);
    else if (cursor.step === "decide") await restoreDecisions(db, clients, bundle);
    else if (await processType(db, { clients, log }, bundle, cursor)) return;
  }
}

/** Saves the decisions and deletes the candidates of an earlier validation, then moves to the step `read`. */
async function clear(db: OrgDb, bundle: ValidatingBundle, files: readonly BundleFile[], areDecisionsSaved = false): Promise<void> {
  if (!areDecisionsSaved) await advanceCursor(db, bundle, { cursor: { step: "clear", isKept: true } }, (tx) => saveDecisions(tx, bundle.id));
  let hasMore = true;
  while (hasMore)
    await advanceCursor(db, bundle, {}, async (tx) => {
      hasMore = await deleteCandidates(tx, bundle.id);
    });
  const total = files.reduce((sum, { rowCount }) => sum + rowCount, 0);
  const progress = { cursor: { step: "read" as const, file: 0, row: 0, position: 0, heading: null }, phase: "reading", processed: 0, total };
  await advanceCursor(db, bundle, progress, async (tx) => {
    for (const status of ["mapping", "validating"] as const) {
      await tx.all(sql`update import_bundle set status = ${status} where organization_id = ${tx.organizationId} and id = ${bundle.id}`);
      await publishImportStatus(tx, bundle, status);
    }
  });
}

async function readFiles(db: OrgDb, store: FileStore, bundle: ValidatingBundle, files: readonly BundleFile[], isTimeUp: () => boolean): Promise<void> {
  for (;;) {
    const file = bundle.cursor.step === "read" ? files[bundle.cursor.file] : undefined;
    if (!file) break;
    const isComplete = await readCandidates(db, store, bundle, file, isTimeUp).catch((error: unknown) => {
      throw error instanceof UnreadableFileError
        ? new UnreadableFileError(`${file.fileName}${error.row === undefined ? "" : `, row ${error.row}`}: ${error.message}`)
        : error;
    });
    if (!isComplete || isTimeUp()) return;
  }
  await moveTo(db, bundle, { step: "decide" }, "matching");
}

/** Restores the saved decisions, then moves to the first type that the bundle has. */
async function restoreDecisions(db: OrgDb, clients: Clients, bundle: ValidatingBundle): Promise<void> {
  const restore = await prepareDecisionRestore(db, clients, bundle);
  const counts = await countByType(db, bundle.id);
  // Each candidate is processed twice: its references are resolved, then it is evaluated.
  const total = 2 * [...counts.values()].reduce((sum, count) => sum + count, 0);
  const first = importEntityTypes.find((type) => counts.has(type));
  const cursor: ValidationCursor = first
    ? { step: "link", entityType: first, position: 0 }
    : { step: "judge", entityType: importEntityTypes.at(-1)!, position: 0 };
  await advanceCursor(db, bundle, { cursor, phase: "matching", processed: 0, total }, restore);
}

type TypeCursor = ChunkCursor | (ValidationCursor & { step: "merge" });
const moveTo = (db: OrgDb, bundle: ValidatingBundle, cursor: ValidationCursor, phase: string) =>
  advanceCursor(db, bundle, { cursor, phase }, () => Promise.resolve());

type ChunkDependencies = Pick<ValidationDependencies, "clients" | "log">;

/** Processes the next chunk of a type: resolves references, merges duplicates or evaluates. Returns true when the validation is complete. */
async function processType(db: OrgDb, { clients, log }: ChunkDependencies, bundle: ValidatingBundle, cursor: TypeCursor): Promise<boolean> {
  if (cursor.step === "merge") {
    await mergeType(db, bundle, cursor.entityType);
    return false;
  }
  const { step, entityType } = cursor;
  const rows = await listCandidatesAfter(db, bundle.id, entityType, cursor.position, BATCH_SIZE);
  if (rows.length > 0) {
    const process = step === "judge" ? evaluateChunk : linkChunk;
    await processIsolated({ db, log, bundle }, rows, (chunkDb, chunk) => process(chunkDb, clients, bundle, chunk));
    await analyzeGrownTables(db, rows.length);
    return false;
  }
  if (step === "judge") return moveToNextType(db, bundle, cursor);
  // Numbered in the transaction that moves the cursor, so once.
  await advanceCursor(db, bundle, { cursor: { step: "merge", entityType }, phase: "matching" }, async (tx) => {
    if (bundle.bulk) return;
    await numberRows(tx, bundle, entityType);
    await dropOutdatedCreations(tx, bundle, entityType);
  });
  return false;
}

/** Resolves the references of the candidates of a chunk. */
async function linkChunk(db: OrgDb, clients: Clients, bundle: ValidatingBundle, rows: readonly CandidateRow[]): Promise<void> {
  const progress = progressAfter(bundle, rows);
  const accountErrors = bundle.startedBy ? await findAccountErrors(onBehalfOf(db, bundle.startedBy), clients, rows) : [];
  if (bundle.bulk) {
    const resolved = await resolveRecordReferences(db, clients, bundle.bulk, rows);
    return advanceCursor(db, bundle, progress, async (tx) => {
      await saveRecordReferences(tx, bundle.id, resolved);
      await saveAccountErrors(tx, accountErrors);
    });
  }
  const day = today(bundle.timezone);
  const existing = await resolveExistingReferences(db, clients, bundle, rows, day);
  const resolved = await addLeaseConflicts(db, clients, bundle, rows, existing, day);
  return advanceCursor(db, bundle, progress, async (tx) => {
    await saveReferences(tx, bundle.id, resolved);
    await saveAccountErrors(tx, accountErrors);
  });
}

/** Merges the duplicates of a type. In a bulk import duplicate rows are errors instead. */
async function mergeType(db: OrgDb, bundle: ValidatingBundle, entityType: ImportEntityType): Promise<void> {
  let hasMore = !bundle.bulk;
  if (hasMore)
    await advanceCursor(db, bundle, {}, async (tx) => {
      await flagConflicts(tx, bundle.id, entityType);
      if (entityType === "lease") await markHoldovers(tx, bundle, today(bundle.timezone));
    });
  while (hasMore)
    await advanceCursor(db, bundle, {}, async (tx) => {
      hasMore = await mergeDuplicates(tx, bundle.id, entityType, today(bundle.timezone));
    });
  const next = { cursor: { step: "judge", entityType, position: 0 } as const, phase: "judging" };
  await advanceCursor(db, bundle, next, async (tx) => {
    if (bundle.bulk) await flagDuplicateRows(tx, bundle.id, entityType);
  });
}

/** Evaluates the candidates of a chunk, filled from their duplicates. Matches are fetched between the transactions. */
async function evaluateChunk(db: OrgDb, clients: Clients, bundle: ValidatingBundle, chunk: readonly CandidateRow[]): Promise<void> {
  const { entityType, again: isReevaluation } = bundle.cursor as ChunkCursor;
  const { bulk } = bundle;
  const unmerged = chunk.filter(({ isMerged }) => !isMerged);
  const rows = isReevaluation || bulk ? unmerged : await fillRows(db, bundle, unmerged);
  const matches = isReevaluation
    ? undefined
    : await (bulk ? findBulkMatches(db, clients, bulk, entityType, rows) : findMatches(db, clients, bundle.namespace, entityType, rows));
  await advanceCursor(db, bundle, progressAfter(bundle, chunk), async (tx) => {
    if (bulk) await evaluateBulkRows(tx, bundle, bulk, rows, matches);
    const conflicting = bulk ? [] : await evaluateCandidates(tx, bundle, rows, matches);
    const merged = chunk.flatMap(({ id, isMerged }) => (isMerged ? [id] : []));
    await updateStatuses(tx, bundle.id, [...merged, ...conflicting]);
  });
}

/** Fills candidates from their duplicates and returns their current state. */
async function fillRows(db: OrgDb, bundle: ValidatingBundle, rows: readonly CandidateRow[]): Promise<readonly CandidateRow[]> {
  const filledIds = await filterWithDuplicates(
    db,
    rows.map(({ id }) => id),
  );
  if (filledIds.length === 0) return rows;
  await advanceCursor(db, bundle, {}, (tx) => fillFromDuplicates(tx, bundle.id, filledIds));
  const filled = new Map((await findCandidatesWhere(db, bundle.id, sql`c.id = any(${filledIds}::uuid[])`)).map((row) => [row.id, row]));
  return rows.map((row) => filled.get(row.id) ?? row);
}

/** Evaluates the candidates again that represent the same record as another one, which may belong to one of them only. */
async function compareSharedRecords(db: OrgDb, bundle: ValidatingBundle, entityType: ImportEntityType): Promise<void> {
  let sharing: string[] = [];
  await advanceCursor(db, bundle, {}, async (tx) => {
    sharing = await findSharingRecords(tx, bundle.id, entityType);
  });
  for (let first = 0; first < sharing.length; first += BATCH_SIZE)
    await advanceCursor(db, bundle, {}, async (tx) => {
      const ids = sharing.slice(first, first + BATCH_SIZE);
      await evaluateCandidates(tx, bundle, await findCandidatesWhere(tx, bundle.id, sql`c.id = any(${ids}::uuid[])`));
    });
}

/** Moves to the next type that the bundle has, or completes the validation and returns true. */
async function moveToNextType(db: OrgDb, bundle: ValidatingBundle, { entityType, again: isReevaluation }: ChunkCursor): Promise<boolean> {
  if (!bundle.bulk) await compareSharedRecords(db, bundle, entityType);
  if (entityType === "ownership") await advanceCursor(db, bundle, {}, (tx) => flagIncompleteShares(tx, bundle.id));
  const counts = await countByType(db, bundle.id);
  const next = importEntityTypes.slice(importEntityTypes.indexOf(entityType) + 1).find((type) => counts.has(type));
  if (next && isReevaluation) await moveTo(db, bundle, { step: "judge", entityType: next, position: 0, again: isReevaluation }, "judging");
  else if (next) await moveTo(db, bundle, { step: "link", entityType: next, position: 0 }, "matching");
  else await complete(db, bundle);
  return next === undefined;
}

/** Makes the bundle ready, or queues a bulk import that is not a dry run. */
async function complete(db: OrgDb, bundle: ValidatingBundle): Promise<void> {
  await advanceCursor(db, bundle, { phase: null }, async (tx) => {
    await deleteDecisions(tx, bundle.id);
    const counts = await countByStatus(tx, bundle.id);
    if (!bundle.bulk) await warnOfRows(tx, bundle.id, today(bundle.timezone));
    await tx.all(sql`update import_bundle set status = 'ready', cursor = null, failures = 0, counts = ${JSON.stringify(counts)}::jsonb, validated_at = now()
      where organization_id = ${tx.organizationId} and id = ${bundle.id}`);
    if (bundle.bulk && !bundle.bulk.dryRun) await queueBulkImport(tx, bundle.id, bundle.bulk);
    else await publishImportStatus(tx, bundle, "ready");
  });
}
