import type { Delivery } from "@freehold/contract/people/people";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { toApiError } from "@freehold/kit/errors";
import type { Logger } from "@freehold/kit/observability/log";
import type { Clients } from "./clients.ts";

/** E-mail to a user from a template. */
export interface EmailMessage {
  /** Idempotency key: communications sends one e-mail per id. */
  messageId: string;
  to: string;
  /** Template of the communications service; `fields` holds its values. */
  template: "invite" | "password-reset" | "email-confirmation";
  fields: Record<string, string>;
}

/** Delivery of an e-mail that has not been sent yet. */
export const queuedDelivery = (messageId: string): Delivery => ({ provider: "email", status: "queued", messageId });

/** Sends an e-mail through communications. Returns a failed delivery instead of throwing, since the change behind the e-mail has committed. */
export async function sendEmail(
  communications: Clients["communications"],
  db: OrgDb,
  log: Logger,
  { messageId, to, template, fields }: EmailMessage,
): Promise<Delivery> {
  try {
    const { deliveries } = await communications.sendMessages(db, { messages: [{ id: messageId, channel: "email", to, template, fields }] });
    const { provider, status, error } = deliveries[0]!;
    return { provider, status, messageId, ...(error !== undefined && { error }) };
  } catch (error) {
    log.warn({ err: error, messageId, template }, "sending an e-mail failed");
    return { provider: "email", status: "failed", messageId, error: toApiError(error).code ?? "service_unavailable" };
  }
}
