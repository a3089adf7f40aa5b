/** Job that writes bundles in chunks through the services that own the records. Each row takes effect once, even if replicas fail. */
import { importEntityTypes } from "@freehold/contract/imports/import-bundles";
import { analyzeGrownTables } from "@freehold/kit/db/batches/analyze-grown-tables";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { Job } from "@freehold/kit/jobs/scheduler";
import type { Logger } from "@freehold/kit/observability/log";
import { OPERATIONS_PER_COMMIT } from "@freehold/kit/rpc/operations-per-commit";
import { sql } from "@freehold/kit/db/statement";
import type { BulkSettings } from "../bulk-imports/bulk-import.rules.ts";
import { bulkSettingsColumns } from "../bulk-imports/bulk-settings.queries.ts";
import { quarantineRows } from "../bulk-imports/validation/quarantine-rows.ts";
import type { Clients } from "../clients.ts";
import { publishImportStatus } from "../events.ts";
import { validateOverlappingBundles } from "../import-bundles/begin-validation.ts";
import { onBehalfOf, type StartedBy } from "../import-bundles/started-by.ts";
import { bundleJob, isDue, retryColumns } from "../retries/bundle-job.ts";
import { rowIsolation } from "../retries/run-alone.ts";
import { advanceCursor, type RunningBundle } from "../validation/advance-cursor.ts";
import { countByStatus, countByType } from "../validation/candidates.queries.ts";
import { type WritingCursor, writingCursorBefore } from "../validation/cursor.ts";
import { operationBatcher } from "./operation-batcher.ts";
import { loadWriteContext } from "./write-context.ts";
import { type RowExecution, writeOwnership, writeRows } from "./write-rows.ts";
import type { RowWrittenType } from "./writers.ts";
import { completeDuplicates, completeUnchanged, listReadyAfter, listOwnershipOf, positionRanges, saveWriteResults } from "./writing.queries.ts";

const TIME_SLICE_MS = 3_000;
const BATCH_SIZE = 400;

/** Bundle whose writing is in progress. */
interface WritingBundle extends RunningBundle {
  namespace: string;
  bulk: BulkSettings | null;
  status: "queued" | "processing";
  startedAt: string;
  startedBy: StartedBy;
  cursor: WritingCursor;
}

/** Creates the job that writes the started bundles of an organization for one time slice. */
export const writeBundles = (clients: Clients, log: Logger): Job =>
  bundleJob(log, {
    timeSliceMs: TIME_SLICE_MS,
    statuses: ["queued", "processing"],
    findNext: findNextBundle,
    run: (db, bundle, isTimeUp) => continueWriting(db, clients, log, bundle, isTimeUp),
  });

const findNextBundle = (db: OrgDb): Promise<WritingBundle | undefined> =>
  db.first(sql<WritingBundle>`select id, ${bulkSettingsColumns}, ${retryColumns}, status, started_at, started_by, run, cursor, phase, processed, total from import_bundle
    where organization_id = ${db.organizationId} and status in ('queued', 'processing') and ${isDue} order by started_at, id limit 1`);

async function continueWriting(db: OrgDb, clients: Clients, log: Logger, bundle: WritingBundle, isTimeUp: () => boolean): Promise<void> {
  if (bundle.status === "queued") await begin(db, bundle);
  const starterDb = onBehalfOf(db, bundle.startedBy, bundle.id);
  const execute = operationBatcher(starterDb, clients);
  // The import date is the date of the start, so that a chunk retried after midnight sends the same operations.
  const context = await loadWriteContext(starterDb, execute, clients, bundle);
  const counts = await countByType(db, bundle.id);
  while (!isTimeUp()) {
    const { entityType } = bundle.cursor;
    const runAlone = rowIsolation(starterDb, log, bundle);
    const execution: RowExecution = { execute, context, runAlone: (ids, write) => runAlone(ids, (rowDb) => write(operationBatcher(rowDb, clients))) };
    const hasMore =
      counts.has(entityType) &&
      (entityType === "ownership" ? await writeOwnershipChunk(db, bundle, execution) : await writeChunk(db, bundle, entityType, execution));
    if (hasMore) continue;
    if (bundle.cursor.isChargeNamed || bundle.cursor.isUpdate) {
      const cursor = { entityType, position: 0, ...(bundle.cursor.isFreeing && { isUpdate: true as const }) };
      await advanceCursor(db, bundle, { cursor }, () => Promise.resolve());
      continue;
    }
    const next = importEntityTypes.slice(importEntityTypes.indexOf(entityType) + 1).find((type) => counts.has(type));
    if (!next) return complete(db, bundle);
    await advanceCursor(db, bundle, { cursor: writingCursorBefore(next) }, () => Promise.resolve());
  }
}

async function begin(db: OrgDb, bundle: WritingBundle): Promise<void> {
  await db.all(sql`update import_bundle set status = 'processing', updated_at = now(), version = version + 1
    where organization_id = ${db.organizationId} and id = ${bundle.id} and status = 'queued'`);
  await advanceCursor(db, bundle, { phase: "writing" }, (tx) => publishImportStatus(tx, bundle, "processing"));
}

/** Writes the next rows of a type. Returns false when there were none. */
async function writeChunk(db: OrgDb, bundle: WritingBundle, entityType: RowWrittenType, execution: RowExecution): Promise<boolean> {
  // A payment settles the charges that the payments before it have left open, so those of a chunk are one commit.
  const rows = await listReadyAfter(db, bundle.id, bundle.cursor, entityType === "payment" ? OPERATIONS_PER_COMMIT : BATCH_SIZE);
  const lastRow = rows.at(-1);
  if (!lastRow) return false;
  const { remaining, quarantined } = await quarantineRows(db, bundle, rows);
  const results = [...quarantined, ...(await writeRows(entityType, remaining, execution))];
  const { position, paymentDay } = lastRow;
  const cursor = { ...bundle.cursor, position, ...(paymentDay !== undefined && { paymentDay }) };
  await advanceCursor(db, bundle, { cursor, processed: bundle.processed + rows.length }, (tx) => saveWriteResults(tx, bundle, results));
  await analyzeGrownTables(db, rows.length);
  return true;
}

/** Writes the next ownership rows with all other shares of their properties, because the shares of a property are one operation. Returns false when there were none. */
async function writeOwnershipChunk(db: OrgDb, bundle: WritingBundle, execution: RowExecution): Promise<boolean> {
  const next = await listReadyAfter(db, bundle.id, bundle.cursor, BATCH_SIZE);
  const lastRow = next.at(-1);
  if (!lastRow) return false;
  const propertyIds = new Set(next.flatMap(({ linkedIds }) => linkedIds["property"] ?? []));
  const withoutProperty = next.filter(({ linkedIds }) => !linkedIds["property"]);
  const results = await writeOwnership([...withoutProperty, ...(await listOwnershipOf(db, bundle.id, [...propertyIds]))], execution);
  const progress = { cursor: { entityType: "ownership" as const, position: lastRow.position }, processed: bundle.processed + results.length };
  await advanceCursor(db, bundle, progress, (tx) => saveWriteResults(tx, bundle, results));
  return true;
}

/** Completes the candidates that are not written themselves, and the bundle. */
async function complete(db: OrgDb, bundle: WritingBundle): Promise<void> {
  await validateOverlappingBundles(db, bundle.id);
  const ranges = await positionRanges(db, bundle.id);
  for (const range of ranges) await advanceCursor(db, bundle, {}, (tx) => completeUnchanged(tx, bundle.id, range));
  for (const range of ranges) await advanceCursor(db, bundle, {}, (tx) => completeDuplicates(tx, bundle, range));
  await advanceCursor(db, bundle, { phase: null }, async (tx) => {
    const counts = await countByStatus(tx, bundle.id);
    const failed = counts.ambiguous + counts.missing_source_data + counts.invalid + counts.blocked;
    const status = failed > 0 ? "completed_with_errors" : "completed";
    await tx.all(sql`update import_bundle set status = ${status}, cursor = null, failures = 0, counts = ${JSON.stringify(counts)}::jsonb, completed_at = now()
      where organization_id = ${tx.organizationId} and id = ${bundle.id}`);
    await publishImportStatus(tx, bundle, status);
  });
}
