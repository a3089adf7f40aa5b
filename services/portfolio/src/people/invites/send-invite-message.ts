import type { Delivery } from "@freehold/contract/people/people";
import type { PortalRole } from "@freehold/contract/roles";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { toApiError } from "@freehold/kit/errors";
import type { Clients } from "../../clients.ts";

interface InviteMessage {
  /** Idempotency key: a second message with the same id is not sent. */
  id: string;
  channel: "email" | "sms";
  to: string | null;
  /** Person who is invited, whose consent decides on a text message. */
  person: { type: PortalRole; id: string };
  fields: Record<"organizationName" | "fullName" | "link" | "kind" | "expiresAt", string>;
}

/** Sends an invite by e-mail or text message. Never throws: a failure is returned as the delivery. */
export async function sendInviteMessage(db: OrgDb, clients: Clients, { id, channel, to, person, fields }: InviteMessage): Promise<Delivery> {
  // Consent is for a number, so there is none without a number.
  if (!to) return { provider: channel, status: "skipped", error: channel === "sms" ? "no_consent" : "no_address" };
  const message = { id, channel, to: channel === "sms" ? "" : to, person: { ...person, address: to }, template: "invite", fields };
  try {
    const { deliveries } = await clients.communications.sendMessages(db, { messages: [message] });
    const { provider, status, messageId, error } = deliveries[0]!;
    // STOP ends the consent.
    return { provider, status, messageId, ...(error !== undefined && { error: error === "opted_out" ? "no_consent" : error }) };
  } catch (error) {
    return { provider: channel, status: "failed", error: toApiError(error).code ?? "service_unavailable" };
  }
}
