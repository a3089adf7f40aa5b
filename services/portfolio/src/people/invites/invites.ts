/** Creation, delivery and revocation of invites of tenants, owners and vendors to their portal. */
import type { PortalRole } from "@freehold/contract/roles";
import { createHash, randomUUID } from "node:crypto";
import type { BodyOf } from "@freehold/contract/operation";
import type { Delivery } from "@freehold/contract/people/people";
import type { tenantInvites } from "@freehold/contract/people/tenant-invites";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { conflict, invalid, notFound, unknownReference } from "@freehold/kit/errors";
import { completeAfterCommit } from "@freehold/kit/db/idempotency";
import { normalizePhone } from "@freehold/domain/phone";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { publish } from "../../publish.ts";
import type { Clients } from "../../clients.ts";
import { LeaseOccupant } from "../../leases/lease.entity.ts";
import { lockReference } from "../../db/references.ts";
import { sendInviteMessage } from "./send-invite-message.ts";
import type { InviteTokens } from "./invite-token.rules.ts";
import { Invite } from "./invite.entity.ts";
import { inviteExpiry, inviteStateMachine, inviteStatusAt } from "./invite.rules.ts";
import { inviteView, type InviteViews } from "./invite.view.ts";
import { findInviteRow, type InviteRow } from "./invites.queries.ts";
import { findOrphanedAccount, removeOrphanedAccount } from "./acceptance/orphaned-accounts.ts";
import { revoke, revokePendingInvites } from "./portal-access.ts";
import { findSubjectEmail, lockSubject, type Subject } from "./subjects.ts";
import { addressTaken, isAddressTaken } from "./invite-address.ts";
import { withinInviteLimits } from "./invite-limits.ts";

/** Terms of an invite without its subject. Only an invite of a tenant has a lease. */
type Terms = Omit<BodyOf<typeof tenantInvites.operations.createTenantInvite>, "tenantId">;

/** Response to the creation or resending of an invite. */
export interface SentInvite<K extends PortalRole> {
  invite: InviteViews[K];
  inviteLink: string | null;
  shortInviteLink: string | null;
  emailDelivery: Delivery | null;
  smsDelivery: Delivery | null;
}

/** Dependencies of the invite operations besides the database. */
export interface InviteDependencies {
  clients: Clients;
  tokens: InviteTokens;
  publicUrl: string;
}

const inviteToken = (tokens: InviteTokens, { kind, organizationId, id, nonce }: InviteRow): string =>
  tokens.issue({ kind, organizationId, inviteId: id }, nonce);

/** Returns the token of an invite for the caller of an operation: null for a service key, so that a program cannot accept an invite for a person. */
export const tokenForCaller = ({ principal }: StatementRunner, tokens: InviteTokens, row: InviteRow): string | null =>
  principal.isServiceKey ? null : inviteToken(tokens, row);

/** Invites a tenant, owner or vendor to the portal, revokes earlier invites and sends the messages after the commit. */
export async function createInvite<K extends PortalRole>(
  db: OrgDb,
  dependencies: InviteDependencies,
  kind: K,
  subjectId: string,
  input: Terms,
): Promise<SentInvite<K>> {
  const terms = { ...input, phone: normalizePhone("phone", input.phone) };
  const { name } = await dependencies.clients.identity.getOrganization(db, {});
  const address = terms.email ?? (await findSubjectEmail(db, kind, subjectId));
  const email = terms.channels.includes("email") ? address : undefined;
  const isTaken = await isAddressTaken(db, dependencies.clients, { email: address, subjectId });
  const orphanedAccount = await findOrphanedAccount(db, dependencies.clients, kind, subjectId);
  const committed = withinInviteLimits(db, dependencies.clients, { kind, email }, (requireAllowed) =>
    transaction(db, async (tx) => {
      requireAllowed();
      const subject = await lockSubject(tx, kind, subjectId);
      if (!subject || subject.deletedAt) throw unknownReference(`${kind}Id`, kind);
      await removeOrphanedAccount(tx, subject, orphanedAccount);
      const { id } = await insertInvite(tx, kind, subject, terms);
      if (isTaken) throw addressTaken(kind);
      return unsentInvite(kind, (await findInviteRow(tx, id))!);
    }),
  );
  return completeAfterCommit(committed, (response) => deliverInvite(db, dependencies, terms, name, response));
}

/** Returns the response before delivery. It is stored with the Idempotency-Key, so it must not contain the token. */
export const unsentInvite = <K extends PortalRole>(kind: K, row: InviteRow): SentInvite<K> => ({
  invite: inviteView(kind, row, null),
  inviteLink: null,
  shortInviteLink: null,
  emailDelivery: null,
  smsDelivery: null,
});

/** Derives the token and sends the messages. Idempotent: a repetition returns the same token and sends nothing again. */
export async function deliverInvite<K extends PortalRole>(
  db: OrgDb,
  { clients, tokens, publicUrl }: InviteDependencies,
  terms: Pick<Terms, "channels" | "phone">,
  organizationName: string,
  response: SentInvite<K>,
): Promise<SentInvite<K>> {
  const row = (await findInviteRow(db, response.invite.id))!;
  const token = inviteToken(tokens, row);
  const path = `/invites/${token}`;
  const link = publicUrl + path;
  const person = { type: row.kind, id: row.subjectId };
  const fields = { organizationName, fullName: row.fullName, link, kind: row.kind, expiresAt: row.expiresAt };
  const shortInviteLink = await tryShortenLink(db, clients, { path, expiresAt: row.expiresAt });
  const deliverEmail = async (): Promise<Delivery | null> => {
    if (!terms.channels.includes("email")) return null;
    return sendInviteMessage(db, clients, { id: messageId(row.nonce, "email"), channel: "email", to: row.email, person, fields });
  };
  const deliverSms = async (): Promise<Delivery | null> => {
    if (!terms.channels.includes("sms")) return null;
    const to = terms.phone ?? row.phone;
    return sendInviteMessage(db, clients, {
      id: messageId(row.nonce, "sms"),
      channel: "sms",
      to,
      person,
      fields: { ...fields, link: shortInviteLink ?? link },
    });
  };
  const [emailDelivery, smsDelivery] = await Promise.all([deliverEmail(), deliverSms()]);
  const links = db.principal.isServiceKey ? { inviteLink: null, shortInviteLink: null } : { inviteLink: link, shortInviteLink };
  return { invite: Object.assign(response.invite, { token: tokenForCaller(db, tokens, row) }), ...links, emailDelivery, smsDelivery };
}

/** Returns the short form of a link, or null when the call to identity fails: the long link works as well. */
const tryShortenLink = (db: OrgDb, clients: Clients, link: { path: string; expiresAt: string }): Promise<string | null> =>
  clients.identity.shortenLinks(db, { links: [link] }).then(
    ({ urls }) => urls[0] ?? null,
    () => null,
  );

/** Returns the message id of an invite over a channel: stable for repetitions, different for every new nonce. */
function messageId(nonce: string, channel: "email" | "sms"): string {
  const hex = createHash("sha256").update(`${nonce} ${channel}`).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join("-");
}

async function insertInvite(tx: OrgTx, kind: PortalRole, subject: Subject, { email, leaseId }: Terms): Promise<Invite> {
  const { id: subjectId } = subject;
  const address = email ?? subject.email;
  if (!address) throw invalid([{ path: "email", code: "required", message: `The ${kind} has no e-mail address to sign in with. Send one in email.` }]);
  if (leaseId) await requireOccupantOfLease(tx, leaseId, subjectId);
  if (subject.userId) throw conflict(`The ${kind} already has a portal account. Delete its user first to invite the ${kind} again.`, "duplicate");
  await revokePendingInvites(tx, subjectId);
  await tx.flush();
  const invite = tx.create(Invite, {
    kind,
    subjectId,
    leaseId: leaseId ?? null,
    email: address,
    nonce: randomUUID(),
    status: "pending",
    expiresAt: inviteExpiry(now()),
    createdByUserId: tx.principal.userId,
  });
  subject.portalStatus = "invited";
  await scheduleNow(tx, "expireInvites");
  await publish(tx, "invite.created", { entityId: invite.id, data: { kind, subjectId } });
  return invite;
}

async function requireOccupantOfLease(tx: OrgTx, leaseId: string, tenantId: string): Promise<void> {
  await lockReference(tx, "lease", leaseId, "leaseId");
  const occupant = await tx.findOne(LeaseOccupant, { leaseId, tenantId, removedAt: null });
  if (!occupant) throw invalid([{ path: "leaseId", code: "mismatch", message: "The tenant is not on this lease. Check tenantId and leaseId." }]);
}

/** Revokes a pending invite. Throws 409 when it was accepted, revoked or has expired. */
export function revokeInvite<K extends PortalRole>(db: OrgDb, { tokens }: InviteDependencies, kind: K, id: string): Promise<{ invite: InviteViews[K] }> {
  return transaction(db, async (tx) => {
    const currentRow = await findInviteRow(tx, id);
    if (currentRow?.kind !== kind) throw notFound("Invite");
    const subject = await lockSubject(tx, kind, currentRow.subjectId);
    const invite = await tx.getForUpdate(Invite, id, "Invite");
    inviteStateMachine.transition(inviteStatusAt(invite, now()), "revoked");
    await revoke(tx, invite);
    subject!.portalStatus = "none";
    const row = (await findInviteRow(tx, id))!;
    return { invite: inviteView(kind, row, tokenForCaller(tx, tokens, row)) };
  });
}
