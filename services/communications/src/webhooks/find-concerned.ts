/** The organizations that an event concerns. */
import { toE164 } from "@freehold/domain/phone";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { OrgDb, type Database } from "@freehold/kit/db/org-db";
import type { Clients } from "../clients.ts";
import type { ReplyAddresses } from "../conversations/reply-addresses.ts";
import { findCorrespondence } from "../conversations/correspondence.queries.ts";
import { findCorrespondent } from "../conversations/find-sender.ts";
import { findContactsByAddress } from "../recipients/contacts.ts";
import { hasConfirmedAddress } from "../recipients/confirmation.ts";
import { smsKeyword } from "../recipients/sms-keyword.rules.ts";
import { parseAddress } from "./content/address.rules.ts";
import type { EmailFeedback, InboundMessage, SmsStatus } from "./content/webhook-content.ts";
import { findLatestMessageAt, findOnlyOrganization, findOrganizations, type RouteKey } from "./message-routes.queries.ts";

interface Dependencies {
  database: Database;
  clients: Clients;
  mailFrom: string;
  replyAddresses?: ReplyAddresses | undefined;
}

/** Ids of organizations, or the reason why there are none. */
interface Concerned {
  organizationIds: string[];
  reason: string;
}

/**
 * Returns the organizations that an event concerns: for a report, those that sent the message; for an e-mail to the address for replies of a
 * conversation, that of the conversation; for an answer, that of the answered e-mail; for an e-mail to the inbound address of an e-mail account, that
 * of the account; for another message, the one that has written to the sender and in which the sender is a tenant or vendor (of several, see
 * `chooseOrganization`). STOP and START concern all that have written to the phone number or have recorded it, since they share the number that sends.
 */
export async function findConcerned(db: OrgDb, dependencies: Dependencies, content: InboundMessage | EmailFeedback | SmsStatus): Promise<Concerned> {
  if (content.kind === "sms_status") return { organizationIds: await findOrganizations(db, [`sid:${content.sid}`]), reason: "unknown_message" };
  if (content.kind === "email_feedback")
    return { organizationIds: await findSenders(db, content), reason: content.isReturnedMail ? "returned_mail" : "unknown_address" };
  if (isOwn(content, dependencies.mailFrom)) return { organizationIds: [], reason: "own_message" };
  const replied = content.deliveredTo.flatMap((address) => dependencies.replyAddresses?.parse(address) ?? []);
  const addressees = await findOrganizations(
    db,
    replied.map(({ inboundAddress }): RouteKey => `inbound:${inboundAddress}`),
  );
  if (addressees.length > 0) return { organizationIds: addressees.slice(0, 1), reason: "" };
  const answered = await findOrganizations(db, (content.inReplyTo ?? []).toReversed().flatMap(messageKey));
  if (answered.length > 0) return { organizationIds: answered.slice(0, 1), reason: "" };
  const addressed = await findOrganizations(
    db,
    content.deliveredTo.map((address): RouteKey => `inbound:${address}`),
  );
  if (addressed.length > 0) return { organizationIds: addressed.slice(0, 1), reason: "" };
  const from = content.channel === "sms" ? (toE164(content.from) ?? content.from) : content.from;
  const candidates = await findOrganizations(db, [`${content.channel}:${from.toLowerCase()}`]);
  // In the deployment of one organization, people it has never written to are found as well.
  const only = candidates.length === 0 ? await findOnlyOrganization(db) : undefined;
  const searched = only === undefined ? candidates : [only];
  const hasWritten = only === undefined;
  if (content.channel === "sms" && smsKeyword(content.body)) {
    const { ids } = await dependencies.clients.portfolio.findOrganizationsByPhone(db, { phone: from });
    return { organizationIds: [...new Set([...searched, ...ids])], reason: "unknown_sender" };
  }
  return { organizationIds: await chooseOrganization(dependencies, searched, { channel: content.channel, from, hasWritten }), reason: "unknown_sender" };
}

/** Returns the key of an e-mail that a message of ours has as its `Message-ID`, if it has the form of ours. */
function messageKey(emailMessageId: string): RouteKey[] {
  const id = /^<([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})@/i.exec(emailMessageId)?.[1];
  return id === undefined ? [] : [`id:${id.toLowerCase()}`];
}

/** Tells whether an e-mail is from our own sender, so that answering it would start a loop. */
const isOwn = ({ channel, from }: InboundMessage, mailFrom: string): boolean => channel === "email" && from === parseAddress(mailFrom);

/** Returns the organizations that sent the e-mails of a report, or else, for a report of the provider, those that have written to its addresses. */
async function findSenders(db: OrgDb, { emailMessageIds, addresses, isReturnedMail = false }: EmailFeedback): Promise<string[]> {
  const senders = await findOrganizations(db, emailMessageIds.flatMap(messageKey));
  return senders.length > 0 || isReturnedMail
    ? senders
    : findOrganizations(
        db,
        addresses.map((address): RouteKey => `email:${address}`),
      );
}

/** Sender of a message. */
interface Origin {
  channel: "email" | "sms";
  from: string;
  /** True if the candidates have written to the address. */
  hasWritten: boolean;
}

/** Organization that a message may be for. */
interface Candidate {
  organizationId: string;
  db: OrgDb;
  contactIds: string[];
  /** `2` with a tenant or vendor of this address, also a former one, `1` with a deleted one, `0` with none, after a message to somebody else. */
  knowledge: "0" | "1" | "2";
}

/**
 * Returns the organization in which an address belongs to a tenant or vendor: of several, the one that received the latest message from it, else the
 * one that wrote to it last. Organizations without a confirmed e-mail address come last. So an organization that writes to a tenant of another one
 * does not receive what the tenant sends to that one. Without such an organization it is one that has written to the address, where the message is
 * listed as that of an unknown sender.
 */
async function chooseOrganization({ database, clients }: Dependencies, candidates: readonly string[], origin: Origin): Promise<string[]> {
  const { from } = origin;
  const found = await Promise.all(
    candidates.map((organizationId) => findCandidate(new OrgDb(database, systemPrincipal(organizationId)), clients, organizationId, origin)),
  );
  const concerned = found.flat();
  if (concerned.length < 2) return concerned.map(({ organizationId }) => organizationId);
  const ranked = await Promise.all(
    concerned.map(async ({ organizationId, db, contactIds, knowledge }) => {
      const received = (await findCorrespondence(db, contactIds, from)).flatMap(({ receivedAt }) => receivedAt ?? []);
      const isConfirmed = (await hasConfirmedAddress(db, clients)) ? "1" : "0";
      return { organizationId, rank: [knowledge, isConfirmed, received.sort().at(-1) ?? "", (await findLatestMessageAt(db, from)) ?? ""] };
    }),
  );
  return ranked
    .sort((one, other) => compareRanks(other.rank, one.rank))
    .slice(0, 1)
    .map(({ organizationId }) => organizationId);
}

/** Returns an organization with the persons to whom the address belongs or the organization has written at it. */
async function findCandidate(db: OrgDb, clients: Clients, organizationId: string, { channel, from, hasWritten }: Origin): Promise<Candidate[]> {
  const contacts = await findContactsByAddress(db, clients, channel, from);
  if (contacts.length > 0) return [{ organizationId, db, contactIds: contacts.map(({ id }) => id), knowledge: "2" }];
  if (!hasWritten) return [];
  const participant = (await findCorrespondent(db, clients, channel, from))?.participant;
  return [{ organizationId, db, contactIds: participant ? [participant.id] : [], knowledge: participant ? (participant.isDeleted ? "1" : "2") : "0" }];
}

/** Compares lists of texts by the first ones that differ. */
function compareRanks(one: readonly string[], other: readonly string[]): number {
  const index = one.findIndex((text, at) => text !== other[at]);
  return index < 0 ? 0 : one[index]! < other[index]! ? -1 : 1;
}
