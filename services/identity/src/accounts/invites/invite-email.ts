import type { Delivery } from "@freehold/contract/people/people";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { Logger } from "@freehold/kit/observability/log";
import type { Clients } from "../../clients.ts";

export interface InviteEmail {
  /** Two letters with one id are sent once. */
  messageId: string;
  to: string;
  /** One of communications' templates, with what it is filled with. */
  template: "invite" | "password-reset" | "email-confirmation";
  fields: Record<string, string>;
}

/** What the answer says before anybody has tried to send. */
export const queuedDelivery = (messageId: string): Delivery => ({ provider: "email", status: "queued", messageId });

/** Hands a letter to communications. What it is about is true whatever becomes of the mail, so a failure is an answer and no error. */
export async function sendInviteEmail(
  communications: Clients["communications"],
  db: OrgDb,
  log: Logger,
  { messageId, to, template, fields }: InviteEmail,
): Promise<Delivery> {
  try {
    const { deliveries } = await communications.sendMessages(db, { messages: [{ id: messageId, channel: "email", to, template, fields }] });
    const { provider, status, error } = deliveries[0]!;
    return { provider, status, messageId, ...(error !== undefined && { error }) };
  } catch (error) {
    log.warn({ err: error, messageId, template }, "a letter could not be handed over");
    return { provider: "email", status: "failed", messageId, error: "The message could not be handed over. Pass the invite link on yourself." };
  }
}
