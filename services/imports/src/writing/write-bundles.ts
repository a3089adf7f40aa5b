/** Writes bundles through the services that own what is in them: chunk by chunk, each row once, whoever dies meanwhile. */
import { importEntityTypes } from "@freehold/contract/import-bundles";
import { localDateOf, now } from "@freehold/kit/time/clock";
import { OrgDb, type OrgDb as Db } from "@freehold/kit/db/org-db";
import { ApiError } from "@freehold/kit/errors";
import type { Job } from "@freehold/kit/jobs/scheduler";
import { sql } from "@freehold/kit/db/statement";
import { announceMove } from "../events.ts";
import { asBulk } from "../bulk-imports/bulk-settings.queries.ts";
import type { Bulk } from "../bulk-imports/bulk-import.rules.ts";
import { setApart } from "../bulk-imports/validation/quarantine-rows.ts";
import type { Clients } from "../clients.ts";
import type { StartedBy } from "../import-bundles/import-bundle.entity.ts";
import { advance, Overtaken } from "../validation/advance-cursor.ts";
import type { WritingCursor } from "../validation/cursor.ts";
import { countCandidates, typesIn } from "../validation/candidates.queries.ts";
import { booksOf } from "./write-context.ts";
import { performing, type Perform } from "./operation-batcher.ts";
import type { Books } from "./writable-row.ts";
import { writeOwnership, writeRows } from "./write-rows.ts";
import type { RowType } from "./writers.ts";
import { keepTheRest, keepUnchanged, keepWritten, partsOf, readyAfter, stretchesOf } from "./writing.queries.ts";

/** A replica runs few jobs at once: in slices as short as this no organization waits long for others. */
const SLICE_MS = 3_000;
const HOUR_MS = 3_600_000;
const AT_ONCE = 400;

interface Writing {
  id: string;
  namespace: string;
  bulk: Bulk | null;
  status: "queued" | "processing";
  startedAt: string;
  startedBy: StartedBy;
  run: number;
  cursor: WritingCursor;
  phase: string | null;
  processed: number;
  total: number;
}

/** Goes on with the bundles of an organization that were started, a slice at a time, from wherever it was left. */
export const writeBundles =
  (ask: Clients): Job =>
  async (db) => {
    const until = Date.now() + SLICE_MS;
    const isOver = () => Date.now() > until;
    for (;;) {
      const bundle = await nextBundle(db);
      if (!bundle) return new Date(now().getTime() + HOUR_MS);
      try {
        await goOn(db, ask, bundle, isOver);
      } catch (error) {
        // A service that is away is asked again soon; what it did meanwhile it does not do twice.
        if (error instanceof ApiError && error.status === 503) return new Date(now().getTime() + 1_000);
        if (!(error instanceof Overtaken)) throw error;
      }
      if (isOver()) return now();
    }
  };

const nextBundle = (db: Db): Promise<Writing | undefined> =>
  db.first(sql<Writing>`select id, ${asBulk}, status, started_at, started_by, run, cursor, phase, processed, total from import_bundle
    where organization_id = ${db.organizationId} and status in ('queued', 'processing') order by started_at, id limit 1`);

async function goOn(db: Db, ask: Clients, bundle: Writing, isOver: () => boolean): Promise<void> {
  if (bundle.status === "queued") await begin(db, bundle);
  const { userId, role, timezone } = bundle.startedBy;
  const asker = new OrgDb(db.database, { organizationId: db.organizationId, userId, role, subjectId: null, timezone });
  const perform = performing(asker, ask);
  // Its day is the one it was started on: a chunk that is asked for again after midnight is the same one.
  const books = await booksOf(db, perform, bundle.id, localDateOf(bundle.startedAt, timezone));
  const types = await typesIn(db, bundle.id);
  while (!isOver()) {
    const { entityType } = bundle.cursor;
    const isLeft =
      types.has(entityType) &&
      (entityType === "ownership" ? await ownershipChunk(db, bundle, perform, books) : await chunk(db, bundle, entityType, perform, books));
    if (isLeft) continue;
    const next = importEntityTypes.slice(importEntityTypes.indexOf(entityType) + 1).find((each) => types.has(each));
    if (!next) return finish(db, bundle);
    await advance(db, bundle, { cursor: { entityType: next, position: 0 } }, () => Promise.resolve());
  }
}

async function begin(db: Db, bundle: Writing): Promise<void> {
  await db.all(sql`update import_bundle set status = 'processing', updated_at = now(), version = version + 1
    where organization_id = ${db.organizationId} and id = ${bundle.id} and status = 'queued'`);
  await advance(db, bundle, { phase: "writing" }, (tx) => announceMove(tx, bundle, "processing"));
}

/** Writes the next rows of a type; answers whether there were any. */
async function chunk(db: Db, bundle: Writing, entityType: RowType, perform: Perform, books: Books): Promise<boolean> {
  const { position } = bundle.cursor;
  const rows = await readyAfter(db, bundle.id, entityType, position, AT_ONCE);
  const last = rows.at(-1);
  if (!last) return false;
  const { left, refused } = await setApart(db, bundle, rows);
  const written = [...refused, ...(await writeRows(entityType, left, perform, books))];
  const step = { cursor: { entityType, position: last.position }, processed: bundle.processed + rows.length };
  await advance(db, bundle, step, (tx) => keepWritten(tx, bundle, written));
  return true;
}

/** Ownership is one change for each property, so all rows of it are looked at together. */
async function ownershipChunk(db: Db, bundle: Writing, perform: Perform, books: Books): Promise<boolean> {
  const rows = bundle.cursor.position > 0 ? [] : await partsOf(db, bundle.id, "ownership");
  if (rows.length === 0) return false;
  const written = await writeOwnership(rows, perform, books);
  const step = { cursor: { entityType: "ownership" as const, position: rows.at(-1)!.position }, processed: bundle.processed + written.length };
  await advance(db, bundle, step, (tx) => keepWritten(tx, bundle, written));
  return true;
}

/** Everything is written that could be; what could not stands in the failures. */
async function finish(db: Db, bundle: Writing): Promise<void> {
  const stretches = await stretchesOf(db, bundle.id);
  for (const stretch of stretches) await advance(db, bundle, {}, (tx) => keepUnchanged(tx, bundle.id, stretch));
  for (const stretch of stretches) await advance(db, bundle, {}, (tx) => keepTheRest(tx, bundle, stretch));
  await advance(db, bundle, { phase: null }, async (tx) => {
    const counts = await countCandidates(tx, bundle.id);
    const failed = counts.ambiguous + counts.missing_source_data + counts.invalid + counts.blocked;
    const status = failed > 0 ? "completed_with_errors" : "completed";
    await tx.all(sql`update import_bundle set status = ${status}, cursor = null, counts = ${JSON.stringify(counts)}::jsonb, completed_at = now()
      where organization_id = ${tx.organizationId} and id = ${bundle.id}`);
    await announceMove(tx, bundle, status);
  });
}
