/** Checks whether persons may be written to, before each message and each further attempt. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { Clients } from "../clients.ts";
import type { Channel, DeliveryChannel, RecipientType } from "../messages/message.entity.ts";
import { loadContacts, type PersonReference } from "./contacts.ts";
import {
  addressOf,
  addressRefusal,
  contactRefusal,
  dependsOnConsent,
  type Contact,
  type PersonType,
  type Reachable,
  type Refusal,
} from "./eligibility.rules.ts";
import { findBlockedAddresses } from "./opt-outs.ts";
import { loadUserContacts } from "./user-contacts.ts";

/** Message to one address, and the person whom it is for; without one, it is for an address of the organization itself. */
export interface AddressedMessage {
  channel: Channel;
  template: string;
  /** E-mail address, or phone number in E.164. */
  to: string;
  recipientType: RecipientType | null;
  recipientId: string | null;
}

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

/**
 * Returns for each message the reason why it may not be sent to its address, or null: an opt-out, a suppressed address, a deleted person, or missing or
 * withdrawn consent. Calls identity and portfolio, so call it before a transaction.
 */
export async function findMessageRefusals(db: OrgDb, clients: Clients, messages: readonly AddressedMessage[]): Promise<(Refusal | null)[]> {
  const needConsent = messages.filter(({ channel, template, recipientType }) => recipientType !== null && dependsOnConsent(channel, template));
  const userIds = needConsent.flatMap(({ recipientType, recipientId }) => (recipientType === "user" ? [recipientId!] : []));
  const persons = needConsent.flatMap(({ recipientType, recipientId }): PersonReference<PersonType>[] =>
    recipientType === null || recipientType === "user" ? [] : [{ type: recipientType, id: recipientId! }],
  );
  const [blocked, contacts, userContacts] = await Promise.all([
    findBlockedAddresses(
      db,
      messages.map(({ to }) => to),
    ),
    loadContacts(db, clients, persons),
    loadUserContacts(db, clients, userIds),
  ]);
  return messages.map((message) => {
    const { channel, template, to, recipientType, recipientId } = message;
    if (!needConsent.includes(message)) return addressRefusal(channel, to, blocked, template);
    const person: Reachable | undefined = recipientType === "user" ? userContacts.get(recipientId!) : contacts.get(recipientId!);
    if (!person) return "deleted";
    return contactRefusal(channel, template, { ...person, [channel === "email" ? "email" : "phone"]: to }, blocked);
  });
}
