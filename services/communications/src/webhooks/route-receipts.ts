/** The job that assigns received events to the organizations that they concern. One runs at a time, so that events keep their order. */
import { toE164 } from "@freehold/domain/phone";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { newId } from "@freehold/kit/db/entity";
import { OrgDb, type Database } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { nextRunIn } from "@freehold/kit/jobs/run-delay";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import type { Logger } from "@freehold/kit/observability/log";
import type { Clients } from "../clients.ts";
import type { ReplyAddresses } from "../conversations/reply-addresses.ts";
import { smsKeyword } from "../recipients/sms-keyword.rules.ts";
import { startNumber, stopNumber } from "../recipients/stopped-numbers.queries.ts";
import { confirmSubscription } from "./confirm-subscription.ts";
import { previewOf, type WebhookContent } from "./content/webhook-content.ts";
import { readContent } from "./content/read-content.ts";
import { findConcerned } from "./find-concerned.ts";
import { PROCESS_WEBHOOKS } from "./processing/process-events.ts";
import type { CloudHosts } from "./verification/cloud-notification.rules.ts";
import { webhookRetryDelaySeconds } from "./webhook.rules.ts";
import {
  completeReceipt,
  deleteExpiredReceipts,
  findBody,
  findDueReceipts,
  findSecondsToNextReceipt,
  postponeReceipt,
  type Receipt,
} from "./webhook-receipt.queries.ts";

/** Dependencies of the routing of events. */
export interface RoutingDependencies extends CloudHosts {
  database: Database;
  clients: Clients;
  /** Sender of every e-mail. */
  mailFrom: string;
  replyAddresses?: ReplyAddresses | undefined;
  keptDays: number;
  idDays: number;
  log: Logger;
}

const BATCH_SIZE = 50;
/** Attempts to find the sent message of a status report, which can arrive before the message's id is stored. */
const MATCH_ATTEMPTS = 4;
const EXPIRY_MS = 3_600_000;

/** Assigns the due events, deletes expired ones, and returns the time of the next run. */
export async function routeReceipts(db: OrgDb, dependencies: RoutingDependencies): Promise<Date> {
  for (let due = await findDueReceipts(db, BATCH_SIZE); due.length > 0; due = await findDueReceipts(db, BATCH_SIZE))
    for (const receipt of due) await routeOrPostpone(db, dependencies, receipt);
  // A backup may hold the partition that is to be emptied. The next run empties it.
  await deleteExpiredReceipts(db, dependencies).catch((error: unknown) => dependencies.log.warn({ err: error }, "expired webhook events were not deleted"));
  return nextRunIn(await findSecondsToNextReceipt(db), EXPIRY_MS);
}

async function routeOrPostpone(db: OrgDb, dependencies: RoutingDependencies, receipt: Receipt): Promise<void> {
  try {
    await route(db, dependencies, receipt);
  } catch (error) {
    const delaySeconds = webhookRetryDelaySeconds(receipt.attempts + 1);
    dependencies.log.error({ err: error, receiver: receipt.receiver, receiptId: receipt.id }, "a webhook event could not be assigned to an organization");
    if (delaySeconds === undefined) await completeReceipt(db, receipt.id, "failed", "internal");
    else await postponeReceipt(db, receipt.id, delaySeconds, "internal");
  }
}

async function route(db: OrgDb, dependencies: RoutingDependencies, receipt: Receipt): Promise<void> {
  const body = await findBody(db, receipt.id);
  if (!body) return void (await completeReceipt(db, receipt.id, "failed", "content_expired"));
  const content = await readContent(receipt, body);
  if (content.kind === "none") return void (await completeReceipt(db, receipt.id, "ignored", content.reason));
  if (content.kind === "subscription") {
    const refusal = await confirmSubscription(body, dependencies);
    return void (await completeReceipt(db, receipt.id, refusal === null ? "processed" : "ignored", refusal));
  }
  await recordKeyword(db, content, receipt);
  const { organizationIds, reason } = await findConcerned(db, dependencies, content);
  for (const organizationId of organizationIds) await assign(dependencies, organizationId, receipt, content);
  if (organizationIds.length > 0) return void (await completeReceipt(db, receipt.id, "routed", null));
  if (content.kind === "sms_status" && receipt.attempts + 1 < MATCH_ATTEMPTS)
    return void (await postponeReceipt(db, receipt.id, webhookRetryDelaySeconds(receipt.attempts + 1)!, reason));
  await completeReceipt(db, receipt.id, "ignored", reason);
}

/** Records STOP and START of a phone number for all organizations, also those that do not know the number yet. Their events record it in the consents. */
async function recordKeyword(db: OrgDb, content: WebhookContent, { receivedAt }: Receipt): Promise<void> {
  const keyword = content.kind === "message" && content.channel === "sms" ? smsKeyword(content.body) : undefined;
  const phone = keyword && content.kind === "message" ? toE164(content.from) : undefined;
  if (!keyword || phone === undefined) return;
  await (keyword.effect === "stop" ? stopNumber : startNumber)(db, phone, new Date(receivedAt));
}

/** Adds an event to an organization, once, and requests its processing. */
async function assign({ database }: RoutingDependencies, organizationId: string, receipt: Receipt, content: WebhookContent): Promise<void> {
  const { id, receiver, providerEventId, receivedAt } = receipt;
  await transaction(new OrgDb(database, systemPrincipal(organizationId)), async (tx) => {
    await tx.all(sql`insert into webhook_event (organization_id, id, created_at, updated_at, receipt_id, receiver, provider_event_id, status, attempts, preview, received_at, next_attempt_at)
      values (${organizationId}, ${newId()}, now(), now(), ${id}, ${receiver}, ${providerEventId}, 'received', 0, ${previewOf(content)}, ${receivedAt}, now())
      on conflict (organization_id, receipt_id) do nothing`);
    await scheduleNow(tx, PROCESS_WEBHOOKS);
  });
}
