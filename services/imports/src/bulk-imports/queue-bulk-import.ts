import { now } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { sql } from "@freehold/kit/db/statement";
import { announceMove } from "../events.ts";
import type { WritingCursor } from "../validation/cursor.ts";
import { rowType, type Bulk } from "./bulk-import.rules.ts";

/** Has the valid rows of a bulk import written by whichever replica comes first. */
export async function queueBulkImport(tx: OrgTx, id: string, bulk: Bulk): Promise<void> {
  const cursor: WritingCursor = { entityType: rowType[bulk.entityType], position: 0 };
  await tx.all(sql`update import_bundle set status = 'queued', run = run + 1, cursor = ${JSON.stringify(cursor)}::jsonb, phase = null, processed = 0,
      total = (counts ->> 'ready_create')::int + (counts ->> 'ready_update')::int, started_by = ${JSON.stringify(bulk.by)}::jsonb, started_at = ${now()}, updated_at = ${now()},
      version = version + 1
    where organization_id = ${tx.organizationId} and id = ${id}`);
  await scheduleNow(tx, "writeBundles");
  await announceMove(tx, { id, bulk }, "queued");
}
