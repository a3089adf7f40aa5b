import type { Delivery } from "@freehold/contract/people/people";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { toApiError } from "@freehold/kit/errors";
import type { Clients } from "../../clients.ts";

interface Letter {
  /** Two letters with one id are sent once. */
  id: string;
  channel: "email" | "sms";
  to: string | null;
  fields: Record<"organizationName" | "fullName" | "link" | "kind" | "expiresAt", string>;
}

/** Hands the letter over. That it cannot be sent is said in the answer and fails nothing. */
export async function sendInviteMessage(db: OrgDb, clients: Clients, { id, channel, to, fields }: Letter): Promise<Delivery> {
  if (!to) return { provider: channel, status: "skipped", error: "no_address" };
  try {
    const { deliveries } = await clients.communications.sendMessages(db, { messages: [{ id, channel, to, template: "invite", fields }] });
    const { provider, status, messageId, error } = deliveries[0]!;
    return { provider, status, messageId, ...(error !== undefined && { error }) };
  } catch (error) {
    return { provider: channel, status: "failed", error: toApiError(error).code ?? "service_unavailable" };
  }
}
