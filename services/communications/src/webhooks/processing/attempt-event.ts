/** Attempts to process the webhook event of an organization, which are repeated later when they fail. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { transaction } from "@freehold/kit/db/transaction";
import { nextRunIn } from "@freehold/kit/jobs/run-delay";
import type { Logger } from "@freehold/kit/observability/log";
import { dropPendingFiles } from "../../conversations/files/receive-files.ts";
import { readContent, type ContentSettings } from "../content/read-content.ts";
import type { WebhookContent } from "../content/webhook-content.ts";
import { completeEvent, findSecondsToNextEvent, postponeEvent, type DueEvent, type EventStage } from "../webhook-event.queries.ts";
import { findBody } from "../webhook-receipt.queries.ts";
import { webhookRetryDelaySeconds } from "../webhook.rules.ts";

const DAY_MS = 86_400_000;

/** Dependencies of an attempt. */
export interface AttemptDependencies extends ContentSettings {
  log: Logger;
}

/** Applies the content of an event, or schedules the next attempt. Returns true unless the attempt failed. */
export async function attemptEvent(
  db: OrgDb,
  dependencies: AttemptDependencies,
  event: DueEvent,
  apply: (content: WebhookContent) => Promise<void>,
): Promise<boolean> {
  try {
    const body = await findBody(db, event.receiptId);
    if (body) await apply(await readContent(event, body, dependencies));
    else await transaction(db, (tx) => failEvent(tx, event, "content_expired"));
    return true;
  } catch (error) {
    const delaySeconds = webhookRetryDelaySeconds(event.attempts + 1);
    dependencies.log.error({ err: error, webhookEventId: event.id, organizationId: db.organizationId }, "a webhook event could not be processed");
    if (delaySeconds === undefined) await transaction(db, (tx) => failEvent(tx, event, "internal"));
    else await postponeEvent(db, event, delaySeconds, "internal");
    return false;
  }
}

/** Ends an event without its effect. Files of its message that are missing are named as dropped. */
async function failEvent(tx: OrgTx, event: DueEvent, reason: string): Promise<void> {
  await dropPendingFiles(tx, event.id);
  await completeEvent(tx, event, { status: "failed", reason });
}

/** Returns the time of the next run of a stage, at most a day later. */
export const nextRunAt = async (db: OrgDb, stage: EventStage): Promise<Date> => nextRunIn(await findSecondsToNextEvent(db, stage), DAY_MS);
