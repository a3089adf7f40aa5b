/** Checks whether persons may be written to, before each message and each further attempt. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { DeliveryChannel } from "../messages/message.entity.ts";
import { addressOf, addressRefusal, contactRefusal, type Contact, type Refusal } from "./eligibility.rules.ts";
import { findBlockedAddresses } from "./opt-outs.ts";

/** Returns for each person, channel and template the reason why the message may not be sent, or null. */
export async function findContactRefusals(
  db: OrgDb,
  requests: readonly { channel: DeliveryChannel; contact: Contact; template: string }[],
): Promise<(Refusal | null)[]> {
  const blocked = await findBlockedAddresses(
    db,
    requests.flatMap(({ channel, contact }) => addressOf(contact, channel) ?? []),
  );
  return requests.map(({ channel, contact, template }) => contactRefusal(channel, template, contact, blocked));
}

/** Returns for each address the reason why nothing may be sent to it, or null. Consent is not checked: the person is unknown. */
export async function findAddressRefusals(
  db: OrgDb,
  requests: readonly { channel: "email" | "sms"; to: string; template?: string }[],
): Promise<(Refusal | null)[]> {
  const blocked = await findBlockedAddresses(
    db,
    requests.map(({ to }) => to),
  );
  return requests.map(({ channel, to, template }) => addressRefusal(channel, to, blocked, template));
}
