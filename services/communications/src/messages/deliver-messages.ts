/** Attempts to send queued messages. Each attempt is preceded by a check whether the recipient may still be written to. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import { transaction } from "@freehold/kit/db/transaction";
import { nextRunIn } from "@freehold/kit/jobs/run-delay";
import pLimit from "p-limit";
import type { Clients } from "../clients.ts";
import { resolveSender } from "../email-accounts/sender.ts";
import { findMessageRefusals } from "../recipients/eligibility.ts";
import { optOut } from "../recipients/opt-outs.ts";
import { suppressAddress } from "../recipients/suppressions.ts";
import { emailMessageId, MAX_CONNECTIONS, type SendResult } from "./mailer.ts";
import {
  claimDueMessages,
  completeMessage,
  findSecondsToNextAttempt,
  recordPart,
  renewClaim,
  rescheduleMessage,
  type QueuedMessage,
} from "./message.queries.ts";
import { retryDelaySeconds } from "./message.rules.ts";
import { splitSms } from "./sms/sms-parts.rules.ts";
import type { Channel } from "./message.entity.ts";
import { OPTED_OUT, UNCONFIRMED } from "./sms/sms-provider.ts";
import type { MessageTransports } from "./transports.ts";

/** Name of the job that delivers queued messages. */
export const DELIVER_QUEUED = "deliver_queued";
const BATCH_SIZE = 50;
/** Duration after which a run claims no further messages, so that other jobs have their turn. */
const MAX_RUN_MS = 5_000;
const IDLE_MS = 600_000;

/** Runs as many attempts at a time as the mailer has connections. A claim that expires while its message waits is detected by `renewClaim`. */
const limits = { email: pLimit(MAX_CONNECTIONS), sms: pLimit(MAX_CONNECTIONS) };

/**
 * Makes one attempt to send a claimed message, unless another one has begun while it waited. If the process dies, the message becomes due
 * again when the claim expires. A long text message is sent in parts, one after the other, from the first that the provider has not accepted.
 */
export const deliver = (db: OrgDb, transports: MessageTransports, message: QueuedMessage): Promise<void> =>
  limits[message.channel](async () => {
    const sends = await prepareSending(db, transports, message);
    for (const [index, send] of sends.entries()) {
      if (!(await renewClaim(db, message))) return;
      const result = await send();
      if (result.status !== "sent" || index === sends.length - 1) return recordResult(db, transports, message, result);
      await recordPart(db, message, result.providerMessageId ?? null);
    }
  });

/**
 * Returns the functions that send a message, or the remaining parts of a text message; none without a provider for its channel. The sender of an e-mail
 * is determined for each attempt, since an account may have been disabled or have failed meanwhile.
 */
async function prepareSending(db: OrgDb, transports: MessageTransports, message: QueuedMessage): Promise<(() => Promise<SendResult>)[]> {
  const { mailer, sms } = transports;
  if (message.channel === "sms") {
    const parts = sms ? splitSms(message.text).slice(message.partIds.length) : [];
    return parts.map((text) => () => sms!.send({ ...message, text }));
  }
  if (!mailer) return [];
  const { id, to, text, html, from, emailAccountId, conversationId } = message;
  const { inboundAddress, ...sender } = await resolveSender(db, transports, emailAccountId);
  if (conversationId !== null && inboundAddress !== undefined && transports.replyAddresses)
    sender.replyTo = transports.replyAddresses.addressOf({ inboundAddress, conversationId });
  return [() => mailer.send({ id, to, text, html, ...sender, messageId: emailMessageId(id, from), subject: message.subject ?? "" })];
}

/** Records the result of an attempt: the final status of the message, or its next attempt. An address that was refused for good gets no further messages. */
async function recordResult(db: OrgDb, { count }: MessageTransports, message: QueuedMessage, result: SendResult): Promise<void> {
  const { id, channel, to, attempts } = message;
  if (result.status === "sent") {
    await completeMessage(db, id, result);
    return count?.(channel, "sent");
  }
  const delaySeconds = result.status === "delayed" ? retryDelaySeconds(attempts) : undefined;
  if (delaySeconds !== undefined) {
    await rescheduleMessage(db, id, Math.max(delaySeconds, result.retryAfterSeconds ?? 0), result.error);
    return count?.(channel, "delayed");
  }
  const status = result.error === OPTED_OUT ? "skipped" : "failed";
  await transaction(db, async (tx) => {
    if (result.error === OPTED_OUT) await optOut(tx, to, "provider");
    if (result.isAddressRejected) await suppressAddress(tx, to, "bounced");
    await completeMessage(tx, id, { status, error: result.error });
  });
  count?.(channel, status);
}

/** Sends the due messages for at most some seconds, and returns the time of the next run: at once while more may be due. */
export async function deliverQueued(db: OrgDb, transports: MessageTransports, clients: Clients): Promise<Date> {
  const channels = [...(transports.mailer ? (["email"] as const) : []), ...(transports.sms ? (["sms"] as const) : [])];
  if (channels.length === 0) return nextRunIn(undefined, IDLE_MS);
  for (const startedAt = performance.now(); performance.now() - startedAt < MAX_RUN_MS;)
    if ((await deliverBatch(db, transports, clients, channels)) < BATCH_SIZE) return nextRunIn(await findSecondsToNextAttempt(db, channels), IDLE_MS);
  return nextRunIn(0, IDLE_MS);
}

/** Sends a batch of due messages and returns their number. */
async function deliverBatch(db: OrgDb, transports: MessageTransports, clients: Clients, channels: readonly Channel[]): Promise<number> {
  const claimed = await claimDueMessages(db, channels, BATCH_SIZE);
  // A text message whose last attempt has no result may have been sent.
  const [unconfirmed, due] = [claimed.filter(({ error }) => error === UNCONFIRMED), claimed.filter(({ error }) => error !== UNCONFIRMED)];
  const refusals = await findMessageRefusals(db, clients, due);
  await Promise.all([
    ...unconfirmed.map((message) => endWithoutAttempt(db, transports, message, { status: "failed", error: UNCONFIRMED })),
    ...due.map((message, index) => {
      const refusal = refusals[index];
      return refusal ? endWithoutAttempt(db, transports, message, { status: "skipped", error: refusal }) : deliver(db, transports, message);
    }),
  ]);
  return claimed.length;
}

async function endWithoutAttempt(
  db: OrgDb,
  { count }: MessageTransports,
  { id, channel }: QueuedMessage,
  state: { status: "failed" | "skipped"; error: string },
): Promise<void> {
  await completeMessage(db, id, state);
  count?.(channel, state.status);
}
