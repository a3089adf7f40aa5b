import type { FieldError } from "@freehold/contract/errors";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { Logger } from "@freehold/kit/observability/log";
import { isUnexpected, rowIsolation, type RunAlone } from "./run-alone.ts";
import { advanceCursor, type ValidatingBundle } from "../validation/advance-cursor.ts";
import type { CandidateRow } from "../validation/candidates.queries.ts";
import type { ValidationCursor } from "../validation/cursor.ts";

/** Cursor of the steps that process candidates in chunks. */
export type ChunkCursor = ValidationCursor & { step: "link" | "judge" };

/** Returns the progress of a bundle after a chunk at its cursor. */
export const progressAfter = (bundle: ValidatingBundle, rows: readonly CandidateRow[]) => ({
  cursor: { ...(bundle.cursor as ChunkCursor), position: rows.at(-1)!.position },
  processed: bundle.processed + rows.length,
});

/** Processes a chunk and advances the cursor of the bundle behind it. */
type Process = (db: OrgDb, rows: readonly CandidateRow[]) => Promise<void>;

/** Processes a chunk. If it fails unexpectedly, processes it in halves, so that only a candidate that fails by itself is quarantined. */
export async function processIsolated(
  { db, log, bundle }: { db: OrgDb; log: Logger; bundle: ValidatingBundle },
  rows: readonly CandidateRow[],
  process: Process,
): Promise<void> {
  const runAlone = rowIsolation(db, log, bundle);
  const processPart = async (part: readonly CandidateRow[]): Promise<void> => {
    try {
      await process(db, part);
    } catch (error) {
      if (!isUnexpected(error)) throw error;
      if (part.length === 1) return processAlone(db, bundle, part[0]!, runAlone, process);
      const half = Math.ceil(part.length / 2);
      await processPart(part.slice(0, half));
      await processPart(part.slice(half));
    }
  };
  await processPart(rows);
}

async function processAlone(db: OrgDb, bundle: ValidatingBundle, row: CandidateRow, runAlone: RunAlone, process: Process): Promise<void> {
  const outcome = await runAlone([row.id], (ownDb) => process(ownDb, [row]));
  if (!("quarantine" in outcome)) return;
  const { step } = bundle.cursor as ChunkCursor;
  await advanceCursor(db, bundle, progressAfter(bundle, [row]), (tx) => quarantineCandidate(tx, bundle.id, row.id, step, outcome.quarantine));
}

/** Stores the error of a candidate. One whose references were not resolved becomes invalid when it is evaluated, any other at once. */
async function quarantineCandidate(tx: OrgTx, bundleId: string, id: string, step: ChunkCursor["step"], error: FieldError): Promise<void> {
  const errors = JSON.stringify([error]);
  const columns =
    step === "link"
      ? sql`link_errors = ${errors}::jsonb`
      : sql`errors = ${errors}::jsonb, matches = '[]', changes = '[]', verdict = 'ready_create', status = 'invalid', updated_at = now(), version = version + 1`;
  await tx.all(sql`update import_candidate set ${columns} where organization_id = ${tx.organizationId} and bundle_id = ${bundleId} and id = ${id}`);
}
