/** Participants of conversations: tenants and vendors, as portfolio knows them. */
import { sql } from "@freehold/kit/db/statement";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { ApiError, conflict, preconditionFailed } from "@freehold/kit/errors";
import type { EventOf, Once } from "@freehold/kit/events/subscriptions";
import type { ErrorCode } from "@freehold/contract/errors";
import type { Clients } from "../clients.ts";
import { loadContacts, type PersonReference } from "../recipients/contacts.ts";
import { findContactRefusals } from "../recipients/eligibility.ts";
import type { Contact, Refusal } from "../recipients/eligibility.rules.ts";
import { Conversation, type Channel } from "./conversation.entity.ts";

const publish = eventPublisher("communications");

/** Returns the contact of a tenant or vendor, also of a merged or deleted one, or undefined for an unknown id. */
export const findContact = async (db: OrgDb, clients: Clients, person: PersonReference): Promise<Contact | undefined> =>
  (await loadContacts(db, clients, [person])).get(person.id);

/** Returns the contact of a participant, for a merged tenant that of the surviving one, or undefined for an unknown id. */
export async function findParticipant(db: OrgDb, clients: Clients, person: PersonReference): Promise<Contact | undefined> {
  const contact = await findContact(db, clients, person);
  return contact?.mergedIntoId ? findContact(db, clients, { type: "tenant", id: contact.mergedIntoId }) : contact;
}

/** Columns of a conversation that come from the contact of its participant. */
export const participantColumns = ({ id, fullName, email, phone }: Contact) => ({
  participantId: id,
  participantName: fullName.slice(0, 160),
  participantEmail: email,
  participantPhone: phone,
});

const refusalMessages: Record<Exclude<Refusal, "deleted">, readonly [message: string, code: ErrorCode]> = {
  no_email: ["The participant has no e-mail address. Record one, or use another channel.", "recipient_address_missing"],
  no_phone: ["The participant has no phone number. Record one, or use another channel.", "recipient_address_missing"],
  no_consent: ["The participant has not consented to text messages. Record the consent, or use another channel.", "sms_consent_missing"],
  opted_out: ["The participant has stopped text messages with STOP. Use another channel until the participant replies START.", "sms_consent_missing"],
  suppressed: [
    "The participant's address has returned e-mails or reported one as spam. Record another address, use another channel, or ask an admin to lift the suppression of the address.",
    "address_suppressed",
  ],
};

/** Returns the refusal of a message to a participant on a channel as an error, or undefined. */
export async function findRefusal(db: OrgDb, contact: Contact, channel: Channel): Promise<ApiError | undefined> {
  const [refusal] = await findContactRefusals(db, [{ channel, contact, template: "conversation-message" }]);
  if (!refusal) return undefined;
  return refusal === "deleted" ? deletedParticipant(contact.kind) : preconditionFailed(...refusalMessages[refusal]);
}

export const deletedParticipant = (kind: Contact["kind"]) => conflict(`The ${kind} was deleted and can no longer be written to.`, "invalid_transition");

/** Publishes a change of a conversation to the office and its participant. */
export const publishUpdated = (tx: OrgTx, { id, status, participantType, participantId }: Conversation): Promise<void> =>
  publish(tx, "conversation.updated", { entityId: id, data: { status }, audience: { [`${participantType}Ids`]: [participantId] } });

/**
 * Applies a change of a tenant or vendor to the person's conversations: the name and addresses, the surviving tenant after a merge, and
 * the end of open conversations with a deleted person.
 */
export async function followParticipant(
  db: OrgDb,
  clients: Clients,
  { entityId }: Pick<EventOf<"tenant.updated">, "entityId">,
  once: Once,
  type: PersonReference["type"],
): Promise<void> {
  const ids = (
    await db.all(sql<{ id: string }>`select id from conversation where organization_id = ${db.organizationId} and participant_id = ${entityId} order by id`)
  ).map(({ id }) => id);
  const contact = ids.length > 0 ? await findParticipant(db, clients, { type, id: entityId }) : undefined;
  if (!contact) return;
  await once(async (tx) => {
    for (const conversation of await tx.findAllForUpdate(Conversation, ids)) {
      const status = contact.isDeleted && conversation.status === "open" ? "closed" : conversation.status;
      const hasClosed = status !== conversation.status;
      tx.assign(conversation, { ...participantColumns(contact), status });
      if (hasClosed) await publishUpdated(tx, conversation);
    }
  });
}
