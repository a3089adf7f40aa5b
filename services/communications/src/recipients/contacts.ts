/** Contacts of tenants, vendors and owners: their addresses from portfolio, and their users and consents from identity. */
import { toE164 } from "@freehold/domain/phone";
import { runBatches } from "@freehold/kit/jobs/batches";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { User } from "@freehold/proto/identity/v1/identity";
import type { Contact as ContactMessage } from "@freehold/proto/portfolio/v1/portfolio";
import type { Clients } from "../clients.ts";
import type { Consent, Contact, ParticipantType, PersonType } from "./eligibility.rules.ts";

/** Person by kind and id. */
export interface PersonReference<K extends PersonType = ParticipantType> {
  type: K;
  id: string;
}

/** Persons in one call. */
const BATCH_SIZE = 500;

/** Returns the contacts of persons by id, including deleted ones. Ids that portfolio does not know are left out. */
export async function loadContacts<K extends PersonType>(
  db: OrgDb,
  clients: Clients,
  persons: readonly PersonReference<K>[],
): Promise<Map<string, Contact<K>>> {
  const distinct = [...new Map(persons.map((person) => [person.id, person])).values()];
  const contacts = await runBatches(distinct, { size: BATCH_SIZE }, async (batch) => {
    const idsOf = (type: PersonType) => batch.flatMap((person) => (person.type === type ? [person.id] : []));
    const response = await clients.portfolio.getContacts(db, { tenantIds: idsOf("tenant"), vendorIds: idsOf("vendor"), ownerIds: idsOf("owner") });
    return withUsers<K>(db, clients, response.contacts);
  });
  return new Map(contacts.map((contact) => [contact.id, contact]));
}

/** Returns the persons with an e-mail address or a phone number in E.164, without deleted ones. */
export async function findContactsByAddress(db: OrgDb, clients: Clients, channel: "email" | "sms", address: string): Promise<Contact[]> {
  const { contacts } = await clients.portfolio.findContacts(db, channel === "email" ? { email: address } : { phone: address });
  return withUsers(db, clients, contacts);
}

/** Adds the portal users and consents to contacts. A person without a phone number has that of the portal user. */
async function withUsers<K extends PersonType>(db: OrgDb, { identity }: Clients, contacts: readonly ContactMessage[]): Promise<Contact<K>[]> {
  if (contacts.length === 0) return [];
  const { users } = await identity.listRecipients(db, { roles: [], subjectIds: contacts.map(({ id }) => id), userIds: [] });
  const usersBySubject = Map.groupBy(users, ({ subjectId }) => subjectId);
  return contacts.map((contact) => toContact<K>(contact, usersBySubject.get(contact.id) ?? []));
}

function toContact<K extends PersonType>(
  { id, kind, fullName, email, phone, alternatePhone, language, isDeleted, mergedIntoId, smsConsent }: ContactMessage,
  users: readonly User[],
): Contact<K> {
  const ownPhone = phone === undefined ? undefined : toE164(phone);
  const userPhone = users.find((user) => user.phone !== undefined)?.phone;
  // Without a recorded number, the record repeats the consent for the user's own one, which may have changed since; a withdrawal counts for that one, too.
  const recordedPhone = ownPhone ?? (smsConsent?.isGranted ? undefined : userPhone);
  const recorded: Consent[] = recordedPhone !== undefined && smsConsent ? [{ phone: recordedPhone, ...smsConsent }] : [];
  // A withdrawal by the person counts for the recorded number, too, whichever number the user has; consent for the user's own one only.
  const given = users.flatMap((user): Consent[] => {
    if (!user.smsConsent) return [];
    const phones = [user.phone, ...(user.smsConsent.isGranted ? [] : [ownPhone])].filter((each) => each !== undefined);
    return [...new Set(phones)].map((each) => ({ phone: each, ...user.smsConsent! }));
  });
  return {
    id,
    kind: kind as K,
    fullName,
    email: email ?? null,
    phone: ownPhone ?? userPhone ?? null,
    alternatePhone: (alternatePhone !== undefined && toE164(alternatePhone)) || null,
    language,
    isDeleted,
    mergedIntoId: mergedIntoId ?? null,
    consents: [...recorded, ...given],
    emailDecisions: users.flatMap(({ emailConsent }) => emailConsent ?? []),
    userIds: users.map((user) => user.id),
  };
}
