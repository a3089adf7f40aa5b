import { now } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { sql } from "@freehold/kit/db/statement";
import { publishImportStatus } from "../events.ts";
import { writingCursorBefore } from "../validation/cursor.ts";
import { type BulkSettings, rowEntityTypes } from "./bulk-import.rules.ts";

/** Queues the valid rows of a bulk import to be written. */
export async function queueBulkImport(tx: OrgTx, id: string, bulk: BulkSettings): Promise<void> {
  const cursor = writingCursorBefore(rowEntityTypes[bulk.entityType]);
  await tx.all(sql`update import_bundle set status = 'queued', run = run + 1, cursor = ${JSON.stringify(cursor)}::jsonb, phase = null, processed = 0,
      total = (counts ->> 'ready_create')::int + (counts ->> 'ready_update')::int, started_by = ${JSON.stringify(bulk.startedBy)}::jsonb, started_at = ${now()},
      updated_at = ${now()}, version = version + 1
    where organization_id = ${tx.organizationId} and id = ${id}`);
  await scheduleNow(tx, "writeBundles");
  await publishImportStatus(tx, { id, bulk }, "queued");
}
