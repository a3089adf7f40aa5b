/** The one decision whether a person may be written to on a channel. */
import { participantTypes } from "@freehold/contract/communications/conversations";
import type { DeliveryChannel } from "../messages/message.entity.ts";
import { type BlockedAddresses, optOutKey } from "./opt-outs.ts";

/** Decision of a person, or of the office for the person, on text messages to a phone number in E.164. */
export interface Consent {
  phone: string;
  isGranted: boolean;
  /** ISO 8601 in UTC. */
  decidedAt: string;
}

/** Decision of a user on e-mails of blasts and notifications. */
export type EmailDecision = Omit<Consent, "phone">;

/** Addresses of a person, and the decisions on messages to them. */
export interface Reachable {
  email: string | null;
  /** In E.164. */
  phone: string | null;
  isDeleted: boolean;
  consents: readonly Consent[];
  emailDecisions: readonly EmailDecision[];
}

/** Types of persons whom the organization writes to. */
export const personTypes = [...participantTypes, "owner"] as const;
export type PersonType = (typeof personTypes)[number];

/** Types of persons who take part in conversations. */
export type ParticipantType = (typeof participantTypes)[number];

/** Person whom the organization writes to. */
export interface Contact<K extends PersonType = ParticipantType> extends Reachable {
  kind: K;
  id: string;
  fullName: string;
  /** Language tag. */
  language: string;
  /** For a merged duplicate, the tenant that it was merged into. */
  mergedIntoId: string | null;
  /** Second phone number of a tenant, in E.164, which receives no messages. */
  alternatePhone: string | null;
  /** Active portal users of the person. */
  userIds: readonly string[];
}

/** Reason why nothing is sent to a person on a channel. */
export type Refusal = "deleted" | "no_email" | "no_phone" | "no_consent" | "opted_out" | "suppressed";

/**
 * Tells whether the latest decision on text messages to the phone number grants them. Of two at the same time, the withdrawal counts. A withdrawal by STOP
 * that START has ended is the consent that it was before.
 */
export function hasConsent(phone: string, consents: readonly Consent[], { restarted }: Pick<BlockedAddresses, "restarted">): boolean {
  const decisions = consents
    .filter((consent) => consent.phone === phone)
    .map(({ isGranted, decidedAt }) => ({ decidedAt, isGranted: isGranted || restarted.has(optOutKey(phone, decidedAt)) }));
  return decisions.length > 0 && !isWithdrawn(decisions);
}

/** Tells whether the latest decision is a withdrawal. Of two at the same time, the withdrawal counts. */
function isWithdrawn(decisions: readonly EmailDecision[]): boolean {
  const latest = decisions.reduce((last, { decidedAt }) => (decidedAt > last ? decidedAt : last), "");
  return decisions.some(({ decidedAt, isGranted }) => decidedAt === latest && !isGranted);
}

/** Templates of e-mails that users request to get into their account. A complaint about another e-mail does not lock them out. */
const accountTemplates = ["password-reset", "email-confirmation"];

/** Returns the reason why nothing may be sent to an address, or null. An e-mail of an account is also sent to an address that has complained. */
export const addressRefusal = (channel: "email" | "sms", address: string, blocked: BlockedAddresses, template?: string): Refusal | null => {
  if (channel === "sms") return blocked.phones.has(address) ? "opted_out" : null;
  const lower = address.toLowerCase();
  const isAccountMail = template !== undefined && accountTemplates.includes(template);
  return blocked.emails.has(lower) && !(isAccountMail && blocked.complained.has(lower)) ? "suppressed" : null;
};

/** Returns the address of a person on a channel, or null. */
export const addressOf = ({ email, phone }: Pick<Reachable, "email" | "phone">, channel: DeliveryChannel): string | null =>
  channel === "in_app" ? null : channel === "email" ? email : phone;

/** Templates of e-mails that are not sent to a person who has withdrawn the consent to e-mails. Those of conversations and invites are written for one person. */
const announcementTemplates = ["blast", "notification", "notification-digest", "owner-statement"];

/** Tells whether consent decides on a message: on each text message, and on the e-mails of blasts, notifications and owner statements. */
export const dependsOnConsent = (channel: DeliveryChannel, template: string): boolean =>
  channel === "sms" || (channel === "email" && announcementTemplates.includes(template));

/** Tells whether a person permits a message: text messages by consent, e-mails of blasts, notifications and owner statements unless the consent was withdrawn. */
function isPermitted(channel: DeliveryChannel, template: string, address: string, { consents, emailDecisions }: Reachable, blocked: BlockedAddresses): boolean {
  if (!dependsOnConsent(channel, template)) return true;
  return channel === "sms" ? hasConsent(address, consents, blocked) : !isWithdrawn(emailDecisions);
}

/** Returns the reason why a message may not be sent to a person on a channel, or null. */
export function contactRefusal(channel: DeliveryChannel, template: string, contact: Reachable, blocked: BlockedAddresses): Refusal | null {
  if (contact.isDeleted) return "deleted";
  if (channel === "in_app") return null;
  const address = addressOf(contact, channel);
  if (address === null) return channel === "email" ? "no_email" : "no_phone";
  return addressRefusal(channel, address, blocked, template) ?? (isPermitted(channel, template, address, contact, blocked) ? null : "no_consent");
}
