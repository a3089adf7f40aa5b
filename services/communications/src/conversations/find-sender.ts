/** Sender of a received message among the tenants and vendors of the organization. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { Clients } from "../clients.ts";
import { findContactsByAddress } from "../recipients/contacts.ts";
import type { Contact } from "../recipients/eligibility.rules.ts";
import { findCorrespondence } from "./correspondence.queries.ts";

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

/**
 * Tells whether the sender of an answer is another person than the participant of the conversation with the same address: one for whom the
 * office has recorded it, while the participant, a vendor, has entered it in the portal.
 */
export async function isOfAnother(db: OrgDb, clients: Clients, participant: Contact, from: string): Promise<boolean> {
  if (participant.kind !== "vendor" || participant.isDeleted || participant.email?.toLowerCase() !== from.toLowerCase()) return false;
  return (await findContactsByAddress(db, clients, "email", from)).every(({ id }) => id !== participant.id);
}
