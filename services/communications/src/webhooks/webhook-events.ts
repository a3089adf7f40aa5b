/** The list of the webhook events of an organization, and their replay. */
import type { webhooks, WebhookEvent as View } from "@freehold/contract/communications/webhooks";
import type { Output, QueryOf } from "@freehold/contract/operation";
import { columnsOf } from "@freehold/kit/db/entity";
import { and, listConditions, listPage, onDays } from "@freehold/kit/db/list";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict } from "@freehold/kit/errors";
import { withVersion } from "@freehold/kit/http/etag";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { now } from "@freehold/kit/time/clock";
import { PROCESS_WEBHOOKS } from "./processing/process-events.ts";
import { PROCESS_FILES } from "./processing/process-files.ts";
import { WebhookEvent } from "./webhook-event.entity.ts";

type Operations = (typeof webhooks)["operations"];
type Row = View & { version: number };

const columns = columnsOf(WebhookEvent, "e", ["organizationId", "receiptId", "nextAttemptAt"]);
const eventView = ({ version, ...row }: Row): View => withVersion(row, version);

/** Lists the events of the organization, by default the newest first. */
export async function listWebhookEvents(db: OrgDb, query: QueryOf<Operations["listWebhookEvents"]>): Promise<Output<Operations["listWebhookEvents"]>> {
  const { receiver, status, createdAfter, createdBefore } = query;
  const { rows, paging } = await listPage<Row>(db, query, {
    select: columns,
    from: sql`webhook_event e`,
    where: [
      ...listConditions(db, "e", query, false),
      receiver && sql`e.receiver = any(${receiver})`,
      status && sql`e.status = any(${status})`,
      ...onDays(sql`e.received_at`, createdAfter, createdBefore, db.principal.timezone),
    ],
    sorts: { receivedAt: sql`e.received_at` },
    table: "e",
  });
  return { webhookEvents: rows.map(eventView), ...paging };
}

const refusals = {
  received: "The event is waiting to be processed.",
  processed: "The event has taken effect already. Only failed and ignored events can be replayed.",
};

/** Processes a failed or ignored event again. Throws 409 for another one, whose effect must not be repeated. */
export async function replayWebhookEvent(db: OrgDb, id: string): Promise<View> {
  return transaction(db, async (tx) => {
    const event = await tx.getForUpdate(WebhookEvent, id, "Webhook event");
    if (event.status === "received" || event.status === "processed") throw conflict(refusals[event.status], "invalid_transition");
    tx.assign(event, { status: "received", attempts: 0, error: null, processedAt: null, nextAttemptAt: now() });
    await tx.flush();
    await scheduleNow(tx, PROCESS_WEBHOOKS);
    await scheduleNow(tx, PROCESS_FILES);
    const row = await tx.first(
      sql<Row>`select ${columns} from webhook_event e where ${and([sql`e.organization_id = ${tx.organizationId}`, sql`e.id = ${id}`])}`,
    );
    return eventView(row!);
  });
}
