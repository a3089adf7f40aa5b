/** Invites of office users: accepting sets the password of an existing user. */
import { difference } from "@freehold/kit/db/change-tracking";
import { now } from "@freehold/kit/time/clock";
import { OrgDb } from "@freehold/kit/db/org-db";
import { transaction } from "@freehold/kit/db/transaction";
import { notFound } from "@freehold/kit/errors";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { UserInvite } from "../../accounts/invites/user-invite.entity.ts";
import { recordAddressProof } from "../../accounts/users/record-address-proof.ts";
import { User } from "../../accounts/users/user.entity.ts";
import { getUserView } from "../../accounts/users/user-changes.ts";
import { recordAudit } from "../../audit-log/audit.ts";
import type { Identity } from "../../context.ts";
import { recordConsents } from "../../me/consents.ts";
import { acceptanceColumns, alreadyAccepted, withoutStoppedConsent, type Acceptance, type InviteView } from "./acceptance.ts";
import { hashPassword } from "../passwords/password.ts";
import { startSession, type SignedIn } from "../tokens/sessions.ts";
import { findUserInvite, type UserInviteRow } from "./user-invites.queries.ts";
import { requestContextOf, type AnonymousCaller } from "../anonymous-caller.ts";

const publish = eventPublisher("identity");

/** Returns the user invite of a token. Throws 404. */
export async function getUserInviteView(identity: Identity, token: string, caller: AnonymousCaller): Promise<InviteView> {
  const { email, organizationName, fullName, expiresAt, acceptedAt } = (await loadUserInvite(identity, token, caller)).invite;
  return { kind: "user", email, organizationName, fullName, expiresAt, status: acceptedAt === null ? "pending" : "accepted" };
}

/** Sets the invited user's password and signs the user in. Throws 409 when the invite has been accepted, also by a concurrent request. */
export async function acceptUserInvite(identity: Identity, token: string, request: Acceptance, caller: AnonymousCaller): Promise<SignedIn> {
  const { invite, db } = await loadUserInvite(identity, token, caller);
  if (invite.acceptedAt !== null) throw alreadyAccepted();
  const acceptance = await withoutStoppedConsent(db, identity.clients, request);
  const passwordHash = await identity.hashingQueue(caller.clientAddress, () => hashPassword(acceptance.password));
  return transaction(db, async (tx) => {
    // Locks the user before the invite, in the same order as deleteUser, to avoid a deadlock.
    const user = await tx.getForUpdate(User, invite.userId, "Invite", { isActive: true, deletedAt: null });
    const row = await tx.getForUpdate(UserInvite, invite.id, "Invite", { revokedAt: null });
    if (row.acceptedAt !== null) throw alreadyAccepted();
    row.acceptedAt = now();
    const before = await getUserView(tx, user.id);
    tx.assign(user, acceptanceColumns(acceptance, passwordHash));
    await recordAddressProof(tx, user.id, "invite");
    recordConsents(tx, user.id, { sms: acceptance.smsConsent }, "invite");
    const diff = difference(before, await getUserView(tx, user.id));
    recordAudit(tx, { action: "invite.accepted", entityType: "invite", entityId: invite.id, ...diff });
    await publish(tx, "invite.accepted", { entityId: invite.id, data: { kind: "user", subjectId: null, userId: user.id } });
    return await startSession(identity, tx, user.id, caller);
  });
}

/**
 * Verifies a token and returns the invite, also an accepted one, with a database that acts as the invited user. Throws 404 when
 * the invite is revoked or expired before its acceptance, or the user is inactive or deleted.
 */
async function loadUserInvite(identity: Identity, token: string, caller: AnonymousCaller): Promise<{ invite: UserInviteRow; db: OrgDb }> {
  const ids = identity.inviteTokens.verify(token);
  if (!ids) throw notFound("Invite");
  const db = new OrgDb(identity.database, systemPrincipal(ids.organizationId), requestContextOf(caller));
  const invite = await findUserInvite(db, ids.inviteId);
  if (!invite || (invite.acceptedAt === null && new Date(invite.expiresAt) <= now())) throw notFound("Invite");
  return { invite, db: new OrgDb(identity.database, { ...db.principal, userId: invite.userId }, db.request) };
}
