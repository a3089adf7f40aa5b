/** The job that processes the webhook events of an organization, in the order of their receipt. The effect and the status commit together. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { transaction } from "@freehold/kit/db/transaction";
import { toE164 } from "@freehold/domain/phone";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import type { Clients } from "../../clients.ts";
import { receiveMessage } from "../../conversations/receive-message.ts";
import type { ReplyAddresses } from "../../conversations/reply-addresses.ts";
import { findSentAddresses, recordBounce, recordSmsReport } from "../../messages/delivery-reports.ts";
import { optOut } from "../../recipients/opt-outs.ts";
import { suppressAddress } from "../../recipients/suppressions.ts";
import { smsKeyword } from "../../recipients/sms-keyword.rules.ts";
import { attemptEvent, nextRunAt, type AttemptDependencies } from "./attempt-event.ts";
import type { EmailFeedback, InboundMessage, SmsStatus, WebhookContent } from "../content/webhook-content.ts";
import { PROCESS_FILES } from "./process-files.ts";
import { completeEvent, deleteExpiredEvents, findDueEvents, type DueEvent } from "../webhook-event.queries.ts";

/** Name of the job that processes the events of an organization. */
export const PROCESS_WEBHOOKS = "process_webhooks";
const BATCH_SIZE = 50;

/** Dependencies of the processing of events. */
export interface ProcessingDependencies extends AttemptDependencies {
  clients: Clients;
  replyAddresses?: ReplyAddresses | undefined;
  keptDays: number;
}

/** Result of the processing of an event. */
interface Outcome {
  status: "processed" | "ignored" | "failed";
  reason: string | null;
}

/** Processes the due events, deletes expired ones, and returns the time of the next run. */
export async function processEvents(db: OrgDb, dependencies: ProcessingDependencies): Promise<Date> {
  await deleteExpiredEvents(db, dependencies.keptDays);
  for (let due = await findDueEvents(db, "content", BATCH_SIZE); due.length > 0; due = await findDueEvents(db, "content", BATCH_SIZE))
    for (const event of due) await processEvent(db, dependencies, event);
  return nextRunAt(db, "content");
}

/** Applies the content of an event, or schedules the next attempt. Returns true unless the attempt failed. */
export const processEvent = (db: OrgDb, dependencies: ProcessingDependencies, event: DueEvent): Promise<boolean> =>
  attemptEvent(db, dependencies, event, (content) => apply(db, dependencies, event, content));

/** Applies the content of an event and completes it, in one transaction. */
async function apply(db: OrgDb, dependencies: ProcessingDependencies, event: DueEvent, content: WebhookContent): Promise<void> {
  const within = (work: (tx: OrgTx) => Promise<Outcome>) => transaction(db, async (tx) => completeEvent(tx, event, await work(tx)));
  switch (content.kind) {
    case "message":
      return content.automaticReason === null ? receive(db, dependencies, event, content) : within(() => Promise.resolve(ignored(content.automaticReason!)));
    case "email_feedback":
      return within((tx) => applyFeedback(tx, content));
    case "sms_status":
      return within((tx) => applyStatus(tx, content));
    default:
      return within(() => Promise.resolve(ignored("unknown_format")));
  }
}

const processed: Outcome = { status: "processed", reason: null };
const ignored = (reason: string): Outcome => ({ status: "ignored", reason });

/**
 * Adds a message to its conversation, with the id of its event. Its files are stored afterwards, by a job of their own, which completes the event. A
 * message with another id is a repetition by the provider. A keyword of an unknown sender has taken effect nevertheless.
 */
async function receive(db: OrgDb, dependencies: ProcessingDependencies, event: DueEvent, { files, ...message }: InboundMessage): Promise<void> {
  const metadata = { ...message.metadata, ...(files.length > 0 && { pendingAttachments: files.length }) };
  const conversationIds = message.deliveredTo.flatMap((address) => dependencies.replyAddresses?.parse(address)?.conversationId ?? []);
  const received = { ...message, id: event.id, metadata, conversationIds, receivedAt: new Date(event.receivedAt) };
  await receiveMessage(db, dependencies.clients, received, async (tx, receipt) => {
    if (files.length > 0 && receipt.status !== "unmatched" && receipt.messageId === event.id) return scheduleNow(tx, PROCESS_FILES);
    const hasEffect = receipt.status !== "unmatched" || (message.channel === "sms" && smsKeyword(message.body) !== undefined);
    await completeEvent(tx, event, hasEffect ? processed : ignored("unknown_sender"));
  });
}

/** Ends e-mails to the addresses of a permanent bounce or a complaint. Returned mail concerns the addresses of the e-mails that it names. */
async function applyFeedback(tx: OrgTx, { effect, addresses, emailMessageIds, isReturnedMail = false }: EmailFeedback): Promise<Outcome> {
  if (effect === "delayed") return ignored("temporary_bounce");
  const concerned = isReturnedMail ? await findSentAddresses(tx, { addresses, emailMessageIds }) : addresses;
  if (concerned.length === 0) return ignored("returned_mail");
  if (effect !== "rejected") for (const address of concerned) await suppressAddress(tx, address, effect);
  if (effect !== "complained") await recordBounce(tx, { addresses: concerned, emailMessageIds });
  return processed;
}

/** The provider refuses messages to a number that has opted out there. */
const OPTED_OUT_ERROR = "rejected_21610";

/** Records the final status of a text message. */
async function applyStatus(tx: OrgTx, { sid, to, status, error }: SmsStatus): Promise<Outcome> {
  if (status === null) return ignored("status_on_the_way");
  await recordSmsReport(tx, { providerMessageId: sid, status, error });
  const phone = toE164(to);
  if (error === OPTED_OUT_ERROR && phone !== undefined) await optOut(tx, phone, "provider");
  return processed;
}
