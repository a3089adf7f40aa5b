/** Attempts to send queued messages. Each attempt is preceded by a check whether the recipient may still be written to. */
import { now } from "@freehold/kit/time/clock";
import type { OrgDb } from "@freehold/kit/db/org-db";
import pLimit from "p-limit";
import type { Clients } from "../clients.ts";
import { loadContacts, type PersonReference } from "../recipients/contacts.ts";
import { findAddressRefusals } from "../recipients/eligibility.ts";
import { hasConsent, type Refusal } from "../recipients/eligibility.rules.ts";
import { MAX_CONNECTIONS } from "./mailer.ts";
import { claimDueMessages, completeMessage, findNextAttemptAt, renewClaim, rescheduleMessage, type QueuedMessage } from "./message.queries.ts";
import { retryDelaySeconds } from "./message.rules.ts";
import type { MessageTransports } from "./transports.ts";

/** Name of the job that delivers queued messages. */
export const DELIVER_QUEUED = "deliver_queued";
const BATCH_SIZE = 20;
const IDLE_MS = 600_000;

/** Runs as many attempts at a time as the mailer has connections, so that no claim expires while its mail waits for one. */
const limitAttempts = pLimit(MAX_CONNECTIONS);

/**
 * Makes one attempt to send a claimed message, unless another one has begun while it waited. If the process dies, the message becomes due
 * again when the claim expires.
 */
export const deliver = (db: OrgDb, { mailer }: MessageTransports, message: QueuedMessage): Promise<void> =>
  limitAttempts(async () => {
    if (!mailer || !(await renewClaim(db, message))) return;
    const { status, error } = await mailer.send({ ...message, subject: message.subject ?? "" });
    const delaySeconds = status === "delayed" ? retryDelaySeconds(message.attempts) : undefined;
    if (delaySeconds !== undefined) await rescheduleMessage(db, message.id, delaySeconds, error!);
    else await completeMessage(db, message.id, { status: status === "sent" ? "sent" : "failed", error });
  });

/** Sends the due messages and returns the time of the next run. */
export async function deliverQueued(db: OrgDb, transports: MessageTransports, clients: Clients): Promise<Date> {
  if (transports.mailer) {
    const due = await claimDueMessages(db, BATCH_SIZE);
    const refusals = await findRefusals(db, clients, due);
    await Promise.all(
      due.map((message, index) => {
        const refusal = refusals[index];
        return refusal ? completeMessage(db, message.id, { status: "skipped", error: refusal }) : deliver(db, transports, message);
      }),
    );
    const next = await findNextAttemptAt(db);
    if (next) return new Date(next);
  }
  return new Date(now().getTime() + IDLE_MS);
}

/** Returns for each message the reason why it may not be sent any more, or null: an opt-out, a suppressed address, or consent that was withdrawn. */
async function findRefusals(db: OrgDb, clients: Clients, messages: readonly QueuedMessage[]): Promise<(Refusal | null)[]> {
  const needConsent = messages.filter(({ channel, recipientType }) => channel === "sms" && (recipientType === "tenant" || recipientType === "vendor"));
  const [blocked, contacts] = await Promise.all([
    findAddressRefusals(db, messages),
    loadContacts(
      db,
      clients,
      needConsent.map(({ recipientType, recipientId }): PersonReference => ({ type: recipientType as PersonReference["type"], id: recipientId! })),
    ),
  ]);
  return messages.map((message, index) => {
    if (blocked[index]) return blocked[index];
    if (!needConsent.includes(message)) return null;
    const contact = contacts.get(message.recipientId!);
    return contact && hasConsent(message.to, contact.consents) ? null : "no_consent";
  });
}
