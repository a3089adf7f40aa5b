import type { ImportProvider } from "@freehold/contract/imports/import-bundles";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { type Progress, publishImportProgress } from "../events.ts";
import type { BulkSettings } from "../bulk-imports/bulk-import.rules.ts";
import type { StartedBy } from "../import-bundles/started-by.ts";
import type { ValidationCursor } from "./cursor.ts";
import { rateAssignments, speedColumns } from "../import-bundles/progress.queries.ts";

/** Bundle that a job validates or writes. */
export interface RunningBundle {
  id: string;
  /** Settings of a bulk import; null for other bundles. */
  bulk: BulkSettings | null;
  /** Number of the run: increases with each validation or writing, so that the chunks of an earlier run are stale. */
  run: number;
  cursor: unknown;
  phase: string | null;
  processed: number;
  total: number;
  /** Time of the retry for which the bundle waited; null unless its last attempt failed. */
  retryAt: string | null;
  /** Number of unexpected failures at the cursor. */
  failures: number;
}

/** Bundle whose validation is in progress. */
export interface ValidatingBundle extends RunningBundle {
  provider: ImportProvider;
  /** Principal that requested the validation; null for bundles of earlier versions. */
  startedBy: StartedBy | null;
  /** Time zone of the organization when the validation was requested. */
  timezone: string;
  namespace: string;
  cursor: ValidationCursor;
}

/** Error of a chunk whose cursor is outdated: another replica has advanced it, or the run was cancelled or replaced. */
export class StaleCursorError extends Error {}

interface UpdatedBundle extends Pick<Progress, "rowsPerSecond" | "estimatedEndAt"> {
  isEventDue: boolean;
  failures: number;
}

type CursorProgress<B extends RunningBundle> = Partial<Pick<B, "cursor" | "phase" | "processed" | "total">>;

/**
 * Commits one chunk of work together with the progress of its bundle, and assigns the progress to the bundle. The update
 * compares the cursor, so a chunk that advances it commits once: a replica with an old cursor gets a `StaleCursorError` and
 * changes nothing. Work whose progress has no cursor may be repeated and must be idempotent. Publishes the progress at most
 * once a second.
 */
export async function advanceCursor<B extends RunningBundle>(
  db: OrgDb,
  bundle: B,
  progress: CursorProgress<B>,
  work: (tx: OrgTx) => Promise<void>,
): Promise<void> {
  const next = { ...bundle, ...progress };
  const failures = await transaction(db, async (tx) => {
    const [updated] = await tx.all(sql<UpdatedBundle>`update import_bundle set cursor = ${JSON.stringify(next.cursor)}::jsonb, phase = ${next.phase},
        processed = ${next.processed}, total = ${next.total}, updated_at = now(), version = version + 1,
        ${rateAssignments(next.processed)},
        retry_at = null, failures = case when cursor = ${JSON.stringify(next.cursor)}::jsonb then failures else 0 end,
        announced_at = case when announced_at > now() - interval '1 second' then announced_at else date_trunc('milliseconds', now()) end
      where organization_id = ${tx.organizationId} and id = ${bundle.id} and run = ${bundle.run} and cursor = ${JSON.stringify(bundle.cursor)}::jsonb
        and status in ('inspecting', 'mapping', 'validating', 'processing')
      returning announced_at = date_trunc('milliseconds', now()) as is_event_due, failures, ${speedColumns}`);
    if (!updated) throw new StaleCursorError();
    await work(tx);
    const { isEventDue, rowsPerSecond, estimatedEndAt } = updated;
    const { phase, processed, total } = next;
    if (isEventDue && phase !== null) await publishImportProgress(tx, bundle, { phase, processed, total, rowsPerSecond, estimatedEndAt });
    return updated.failures;
  });
  Object.assign(bundle, progress, { retryAt: null, failures });
}
