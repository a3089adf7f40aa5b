import { importEntityTypes, type BundleFile } from "@freehold/contract/import-bundles";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { FileStore } from "@freehold/kit/files/file-store";
import type { Job } from "@freehold/kit/jobs/scheduler";
import { sql } from "@freehold/kit/db/statement";
import { announceMove } from "../events.ts";
import { asBulk } from "../bulk-imports/bulk-settings.queries.ts";
import { findRecords } from "../bulk-imports/validation/find-bulk-matches.ts";
import { judgeBulkRows } from "../bulk-imports/validation/evaluate-rows.ts";
import { keepReferences, linkToRecords } from "../bulk-imports/validation/resolve-record-references.ts";
import { queueBulkImport } from "../bulk-imports/queue-bulk-import.ts";
import { refuseRepeats } from "../bulk-imports/validation/flag-duplicate-rows.ts";
import type { Clients } from "../clients.ts";
import { ImportBundle } from "../import-bundles/import-bundle.entity.ts";
import { bundleFlow } from "../import-bundles/import-bundle.rules.ts";
import { filesOf } from "../import-files/import-files.queries.ts";
import { forgetDecisions, keepDecisions, returnDecisions } from "../import-candidates/decisions.ts";
import { Unreadable } from "../reading/unreadable-file.ts";
import { advance, Overtaken, type Validated } from "./advance-cursor.ts";
import { analyzeCandidates, candidatesAfter, clearCandidates, countCandidates, typesIn } from "./candidates.queries.ts";
import type { Cursor } from "./cursor.ts";
import { findMatches } from "./find-matches.ts";
import { judgeCandidates, setStatuses } from "./evaluate-candidates.ts";
import { keepLinks, linkCandidates } from "./resolve-references.ts";
import { fillFromMerged, mergeCandidates } from "./merge-duplicates.ts";
import { readFile } from "./read-candidates.ts";

/** A replica runs few jobs at once, and other organizations wait their turn: work goes on in slices. */
const SLICE_MS = 5_000;
const HOUR_MS = 3_600_000;
const AT_ONCE = 500;

/** What a validation needs besides the database. */
export interface ValidationParts {
  store: FileStore;
  ask: Clients;
}

/** Goes on with the bundles of an organization that are being validated, a slice at a time, from wherever it was left. */
export const validateBundles =
  (parts: ValidationParts): Job =>
  async (db) => {
    const until = Date.now() + SLICE_MS;
    const isOver = () => Date.now() > until;
    for (;;) {
      const bundle = await nextBundle(db);
      if (!bundle) return new Date(now().getTime() + HOUR_MS);
      await goOn(db, parts, bundle, isOver).catch((error: unknown) => giveUp(db, bundle, error));
      if (isOver()) return now();
    }
  };

const nextBundle = (db: OrgDb): Promise<Validated | undefined> =>
  db.first(sql<Validated>`select id, provider, ${asBulk}, run, cursor, phase, processed, total from import_bundle
    where organization_id = ${db.organizationId} and status in ('inspecting', 'mapping', 'validating') order by updated_at, id limit 1`);

/** What will fail every time ends the validation, and says why; anything else is tried again. */
async function giveUp(db: OrgDb, bundle: Validated, error: unknown): Promise<void> {
  if (error instanceof Overtaken) return;
  const isGone = (error as { code?: string }).code === "ENOENT";
  if (!isGone && !(error instanceof Unreadable)) throw error;
  const sentence = isGone ? "A file of the bundle is not there any more. Remove it and upload it again." : (error as Error).message;
  await transaction(db, async (tx) => {
    const [held] = await tx.findAllForUpdate(ImportBundle, [bundle.id]);
    if (!held || held.run !== bundle.run || !bundleFlow.allows(held.status, "failed")) return;
    tx.assign(held, { status: "failed", error: sentence, phase: null, cursor: null, updatedAt: now() });
    await announceMove(tx, bundle, "failed");
  });
}

async function goOn(db: OrgDb, { store, ask }: ValidationParts, bundle: Validated, isOver: () => boolean): Promise<void> {
  const files = await filesOf(db, [bundle.id]);
  while (!isOver()) {
    const { cursor } = bundle;
    if (cursor.step === "clear") await clear(db, bundle, files, cursor.isKept);
    else if (cursor.step === "read") await read(db, store, bundle, files, isOver);
    else if (cursor.step === "decide") await decide(db, ask, bundle);
    else if (await judgeType(db, ask, bundle, cursor)) return;
  }
}

/** Takes away what an earlier validation found; then the files are known and mapped, and their rows are read. */
async function clear(db: OrgDb, bundle: Validated, files: readonly BundleFile[], isKept = false): Promise<void> {
  if (!isKept) await advance(db, bundle, { cursor: { step: "clear", isKept: true } }, (tx) => keepDecisions(tx, bundle.id));
  let more = true;
  while (more)
    await advance(db, bundle, {}, async (tx) => {
      more = await clearCandidates(tx, bundle.id);
    });
  const total = files.reduce((sum, { rowCount }) => sum + rowCount, 0);
  const step = { cursor: { step: "read" as const, file: 0, row: 0, position: 0, heading: null }, phase: "reading", processed: 0, total };
  await advance(db, bundle, step, async (tx) => {
    for (const status of ["mapping", "validating"] as const) {
      await tx.all(sql`update import_bundle set status = ${status} where organization_id = ${tx.organizationId} and id = ${bundle.id}`);
      await announceMove(tx, bundle, status);
    }
  });
}

async function read(db: OrgDb, store: FileStore, bundle: Validated, files: readonly BundleFile[], isOver: () => boolean): Promise<void> {
  for (;;) {
    const file = bundle.cursor.step === "read" ? files[bundle.cursor.file] : undefined;
    if (!file) break;
    const isRead = await readFile(db, store, bundle, file, isOver).catch((error: unknown) => {
      throw error instanceof Unreadable ? new Unreadable(`${file.fileName}${error.row === undefined ? "" : `, row ${error.row}`}: ${error.message}`) : error;
    });
    if (!isRead || isOver()) return;
  }
  await moveOn(db, bundle, { step: "decide" }, "matching");
}

/** Gives the candidates what was decided over those of the same rows; then they are looked at type by type. */
async function decide(db: OrgDb, ask: Clients, bundle: Validated): Promise<void> {
  const giveBack = await returnDecisions(db, ask, bundle.id);
  const counted = await typesIn(db, bundle.id);
  await analyzeCandidates(db, bundle.total);
  const total = 2 * [...counted.values()].reduce((sum, count) => sum + count, 0);
  const first = importEntityTypes.find((each) => counted.has(each));
  const cursor: Cursor = first ? { step: "link", entityType: first, position: 0 } : { step: "judge", entityType: importEntityTypes.at(-1)!, position: 0 };
  await advance(db, bundle, { cursor, phase: "matching", processed: 0, total }, giveBack);
}

type TypeCursor = Exclude<Cursor, { step: "clear" | "read" | "decide" }>;
const moveOn = (db: OrgDb, bundle: Validated, cursor: Cursor, phase: string) => advance(db, bundle, { cursor, phase }, () => Promise.resolve());

/** Links, merges and judges the candidates of a type, some at a time; then those of the next type. Answers whether all is done. */
async function judgeType(db: OrgDb, ask: Clients, bundle: Validated, cursor: TypeCursor): Promise<boolean> {
  const { step, entityType } = cursor;
  if (step === "merge") {
    let more = !bundle.bulk;
    while (more)
      await advance(db, bundle, {}, async (tx) => {
        more = await mergeCandidates(tx, bundle.id, entityType);
      });
    const next = { cursor: { step: "judge", entityType, position: 0 } as const, phase: "judging" };
    await advance(db, bundle, next, async (tx) => {
      if (bundle.bulk) await refuseRepeats(tx, bundle.id, entityType);
    });
    return false;
  }
  const rows = await candidatesAfter(db, bundle.id, entityType, cursor.position, AT_ONCE);
  const last = rows.at(-1)?.position;
  if (last !== undefined) {
    const done = { cursor: { ...cursor, position: last }, processed: bundle.processed + rows.length };
    if (step === "judge") await judgeChunk(db, ask, bundle, cursor, done);
    else if (bundle.bulk) {
      const linked = await linkToRecords(db, ask, bundle.bulk, rows);
      await advance(db, bundle, done, (tx) => keepReferences(tx, bundle.id, linked));
    } else {
      const linked = await linkCandidates(db, bundle, rows);
      await advance(db, bundle, done, (tx) => keepLinks(tx, bundle.id, linked));
    }
    return false;
  }
  if (step === "judge") return nextType(db, bundle, cursor);
  await moveOn(db, bundle, { step: "merge", entityType }, "matching");
  return false;
}

type Judging = TypeCursor & { step: "link" | "judge" };

/** Judges the candidates of a type between two places: those that stand for others with what the others have. Whether they are there already is asked in between. */
async function judgeChunk(db: OrgDb, ask: Clients, bundle: Validated, cursor: Judging, done: { cursor: Judging; processed: number }): Promise<void> {
  const { entityType, position, again } = cursor;
  const last = done.cursor.position;
  const standing = async () => (await candidatesAfter(db, bundle.id, entityType, position, AT_ONCE, true)).filter((row) => row.position <= last);
  const { bulk } = bundle;
  const ids = again || bulk ? [] : (await standing()).map(({ id }) => id);
  if (ids.length > 0) await advance(db, bundle, {}, (tx) => fillFromMerged(tx, bundle.id, ids));
  const rows = await standing();
  const asked = again ? undefined : await (bulk ? findRecords(db, ask, bulk, entityType, rows) : findMatches(db, ask, entityType, rows));
  await advance(db, bundle, done, async (tx) => {
    await (bulk ? judgeBulkRows(tx, bundle, bulk, rows, asked) : judgeCandidates(tx, bundle, rows, asked));
    await setStatuses(tx, bundle.id, sql`c.entity_type = ${entityType} and c.position > ${position} and c.position <= ${last}`);
  });
}

async function nextType(db: OrgDb, bundle: Validated, { entityType, again }: Judging): Promise<boolean> {
  const counted = await typesIn(db, bundle.id);
  const next = importEntityTypes.slice(importEntityTypes.indexOf(entityType) + 1).find((each) => counted.has(each));
  if (next && again) await moveOn(db, bundle, { step: "judge", entityType: next, position: 0, again }, "judging");
  else if (next) await moveOn(db, bundle, { step: "link", entityType: next, position: 0 }, "matching");
  else await finish(db, bundle);
  return next === undefined;
}

/** Every candidate is judged: the bundle is ready, to be looked at and started. */
async function finish(db: OrgDb, bundle: Validated): Promise<void> {
  await analyzeCandidates(db, bundle.total);
  await advance(db, bundle, { phase: null }, async (tx) => {
    await forgetDecisions(tx, bundle.id);
    const counts = await countCandidates(tx, bundle.id);
    await tx.all(sql`update import_bundle set status = 'ready', cursor = null, counts = ${JSON.stringify(counts)}::jsonb, validated_at = now()
      where organization_id = ${tx.organizationId} and id = ${bundle.id}`);
    if (bundle.bulk && !bundle.bulk.dryRun) await queueBulkImport(tx, bundle.id, bundle.bulk);
    else await announceMove(tx, bundle, "ready");
  });
}
