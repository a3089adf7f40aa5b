/** Sender of a received message among the tenants and vendors of the organization. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { Clients } from "../clients.ts";
import { findContactsByAddress } from "../recipients/contacts.ts";
import type { Contact } from "../recipients/eligibility.rules.ts";
import { findCorrespondence, findLatestRecipient, findUnarchivedConversation } from "./correspondence.queries.ts";
import { findContact, findParticipant } from "./participants.ts";

const kinds: readonly Contact["kind"][] = ["tenant", "vendor"];

/** Compares times, the latest first and a missing one last. */
const byLatest = (one: string | null = null, other: string | null = null): number => ((one ?? "") < (other ?? "") ? 1 : one === other ? 0 : -1);

/**
 * Returns the tenant or vendor with the address of the sender, or undefined: of several, the one with whom the latest message was exchanged at this
 * address, else a tenant before a vendor, else the one of the latest conversation.
 */
export async function findSender(db: OrgDb, clients: Clients, channel: "email" | "sms", from: string): Promise<Contact | undefined> {
  const contacts = await findContactsByAddress(db, clients, channel, from);
  if (contacts.length < 2) return contacts[0];
  const correspondence = await findCorrespondence(
    db,
    contacts.map(({ id }) => id),
    from,
  );
  const byId = new Map(correspondence.map((each) => [each.participantId, each]));
  return contacts.toSorted((one, other) => {
    const [ofOne, ofOther] = [byId.get(one.id), byId.get(other.id)];
    return (
      byLatest(ofOne?.exchangedAt, ofOther?.exchangedAt) || kinds.indexOf(one.kind) - kinds.indexOf(other.kind) || byLatest(ofOne?.activeAt, ofOther?.activeAt)
    );
  })[0];
}

/** Person to whom the organization has written at an address, with the conversation of the message. */
export interface Correspondent {
  /** The surviving tenant after a merge. */
  participant: Contact;
  /** Conversation of the message, else, of a deleted person, the latest one that is not archived. */
  conversationId: string | undefined;
  /** True for an address that is recorded for the person: the second phone number, or that of a merged duplicate. */
  isRecordedAddress: boolean;
}

/**
 * Returns the tenant or vendor to whom the organization has last written at an address, although it may no longer be the person's, or undefined. So an
 * answer finds its conversation after a merge, a change of the address or the deletion of the person.
 */
export async function findCorrespondent(db: OrgDb, clients: Clients, channel: "email" | "sms", address: string): Promise<Correspondent | undefined> {
  const recipient = await findLatestRecipient(db, channel, address);
  if (!recipient) return undefined;
  const [addressee, participant] = await Promise.all([findContact(db, clients, recipient), findParticipant(db, clients, recipient)]);
  if (!addressee || !participant) return undefined;
  const conversationId = recipient.conversationId ?? (participant.isDeleted ? await findUnarchivedConversation(db, participant.id) : undefined);
  return {
    participant,
    conversationId,
    isRecordedAddress: [addressee.email?.toLowerCase(), addressee.phone, participant.alternatePhone].includes(address.toLowerCase()),
  };
}

/**
 * Tells whether the sender of an answer is another person than the participant of the conversation with the same address: one for whom the
 * office has recorded it, while the participant, a vendor, has entered it in the portal.
 */
export async function isOfAnother(db: OrgDb, clients: Clients, participant: Contact, from: string): Promise<boolean> {
  if (participant.kind !== "vendor" || participant.isDeleted || participant.email?.toLowerCase() !== from.toLowerCase()) return false;
  return (await findContactsByAddress(db, clients, "email", from)).every(({ id }) => id !== participant.id);
}
