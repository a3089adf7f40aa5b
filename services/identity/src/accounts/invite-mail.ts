import type { Delivery } from "@freehold/contract/people";
import type { OrgDb } from "@freehold/kit/db";
import type { Logger } from "@freehold/kit/log";
import type { Clients } from "../clients.ts";

export interface InviteMail {
  messageId: string;
  to: string;
  organizationName: string;
  fullName: string;
  link: string;
  expiresAt: string;
}

/** What the answer says before anybody has tried to send. */
export const queued = (messageId: string): Delivery => ({ provider: "email", status: "queued", messageId });

/** Hands the invite to communications. The user exists whatever becomes of the mail, so a failure is an answer and no error. */
export async function sendInviteMail(communications: Clients["communications"], db: OrgDb, log: Logger, mail: InviteMail): Promise<Delivery> {
  const { messageId, to, ...fields } = mail;
  try {
    const { deliveries } = await communications.send(db, {
      messages: [{ id: messageId, channel: "email", to, template: "invite", fields: { ...fields, kind: "user" } }],
    });
    const { provider, status, error } = deliveries[0]!;
    return { provider, status, messageId, ...(error !== undefined && { error }) };
  } catch (error) {
    log.warn({ err: error, messageId }, "an invite could not be handed over");
    return { provider: "email", status: "failed", messageId, error: "The message could not be handed over. Pass the invite link on yourself." };
  }
}
