import type { Delivery } from "@freehold/contract/people/people";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { toApiError } from "@freehold/kit/errors";
import type { Clients } from "../../clients.ts";

interface InviteMessage {
  /** Idempotency key: a second message with the same id is not sent. */
  id: string;
  channel: "email" | "sms";
  to: string | null;
  fields: Record<"organizationName" | "fullName" | "link" | "kind" | "expiresAt", string>;
}

/** Sends an invite by e-mail or text message. Never throws: a failure is returned as the delivery. */
export async function sendInviteMessage(db: OrgDb, clients: Clients, { id, channel, to, fields }: InviteMessage): Promise<Delivery> {
  if (!to) return { provider: channel, status: "skipped", error: "no_address" };
  try {
    const { deliveries } = await clients.communications.sendMessages(db, { messages: [{ id, channel, to, template: "invite", fields }] });
    const { provider, status, messageId, error } = deliveries[0]!;
    return { provider, status, messageId, ...(error !== undefined && { error }) };
  } catch (error) {
    return { provider: channel, status: "failed", error: toApiError(error).code ?? "service_unavailable" };
  }
}
