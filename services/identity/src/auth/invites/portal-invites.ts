/** Invites of tenants, owners and vendors. Portfolio stores the invites; accepting one creates the user. */
import type { PortalRole } from "@freehold/contract/roles";
import { now } from "@freehold/kit/time/clock";
import { OrgDb } from "@freehold/kit/db/org-db";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict, notFound } from "@freehold/kit/errors";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import type { Invite } from "@freehold/proto/portfolio/v1/portfolio";
import { insertUser, newUserDefaults } from "../../accounts/users/new-user.ts";
import { findOrganization, type OrganizationRow } from "../../accounts/organization/organization.queries.ts";
import { getUserView } from "../../accounts/users/user-changes.ts";
import { findConflictingUsers, findUser } from "../../accounts/users/users.queries.ts";
import { lockCurrentSubject } from "../../accounts/users/ended-subjects.queries.ts";
import { findAddressHolders, removeFormerUser } from "../../accounts/users/portal-users.ts";
import { recordAudit } from "../../audit-log/audit.ts";
import type { Identity } from "../../context.ts";
import { recordConsents } from "../../me/consents.ts";
import { acceptanceColumns, alreadyAccepted, withoutStoppedConsent, type Acceptance, type InviteView } from "./acceptance.ts";
import { hashPassword } from "../passwords/password.ts";
import { startSession, type SignedIn } from "../tokens/sessions.ts";
import { requestContextOf, type AnonymousCaller } from "../anonymous-caller.ts";

const publish = eventPublisher("identity");

/** Returns the portal invite of a token. One whose acceptance has created no user is pending until it expires. Throws 404. */
export async function getPortalInviteView(identity: Identity, organizationId: string, token: string, caller: AnonymousCaller): Promise<InviteView> {
  const { invite, organization, db } = await loadPortalInvite(identity, organizationId, token, caller);
  const hasUser = invite.userId !== undefined && (await findUser(db, invite.userId)) !== undefined;
  if (!hasUser && new Date(invite.expiresAt) <= now()) throw notFound("Invite");
  return {
    kind: invite.kind as PortalRole,
    email: invite.email,
    organizationName: organization.name,
    fullName: invite.fullName,
    expiresAt: invite.expiresAt,
    status: hasUser ? "accepted" : "pending",
  };
}

/**
 * Creates the invited user and signs the user in. Portfolio assigns one user id per invite, so a request that failed between
 * the claim and the commit can be repeated, and only one of several concurrent requests succeeds. Throws 404 when the subject was deleted
 * meanwhile; the user gets the survivor when it was merged.
 */
export async function acceptPortalInvite(
  identity: Identity,
  organizationId: string,
  token: string,
  request: Acceptance,
  caller: AnonymousCaller,
): Promise<SignedIn> {
  const { invite: unclaimedInvite, db } = await loadPortalInvite(identity, organizationId, token, caller);
  await requireNoAccount(db, unclaimedInvite);
  const acceptance = await withoutStoppedConsent(db, identity.clients, request);
  const passwordHash = await identity.hashingQueue(caller.clientAddress, () => hashPassword(acceptance.password));
  const invite = await identity.clients.portfolio.claimInvite(db, { token });
  const userId = invite.userId;
  if (!userId) throw new Error("Portfolio returned a claimed invite without a user id.");
  if (await findUser(db, userId)) throw alreadyAccepted();

  const userDb = new OrgDb(identity.database, { ...db.principal, userId }, db.request);
  const role = invite.kind as PortalRole;
  return transaction(userDb, async (tx) => {
    // The events of a merge or a deletion after the claim can arrive before the user exists.
    const subjectId = await lockCurrentSubject(tx, invite.subjectId);
    if (subjectId === undefined) throw notFound("Invite");
    const { email, fullName } = invite;
    await removeFormerUser(tx, email.toLowerCase());
    await insertUser(tx, {
      ...newUserDefaults,
      id: userId,
      email: email.toLowerCase(),
      fullName,
      role,
      subjectId,
      ...acceptanceColumns(acceptance, passwordHash),
    });
    recordConsents(tx, userId, { sms: acceptance.smsConsent }, "invite");
    const user = await getUserView(tx, userId);
    recordAudit(tx, { action: "user.created", entityType: "user", entityId: userId, after: user });
    recordAudit(tx, { action: "invite.accepted", entityType: "invite", entityId: invite.id, after: user });
    await publish(tx, "invite.accepted", { entityId: invite.id, data: { kind: role, subjectId, userId }, audience: { [`${role}Ids`]: [subjectId] } });
    await publish(tx, "user.created", { entityId: userId, data: { role } });
    return await startSession(identity, tx, userId, caller);
  });
}

/**
 * Throws 409 when the subject or the e-mail address already has a user, other than one whose subject was deleted. Runs before the claim, so that the
 * invite stays usable.
 */
async function requireNoAccount(db: OrgDb, { email, subjectId }: Invite): Promise<void> {
  const users = await findConflictingUsers(db, email.toLowerCase(), subjectId);
  if (users.some((user) => user.subjectId === subjectId)) throw alreadyAccepted();
  if ((await findAddressHolders(db, { email, subjectId })).length > 0)
    throw conflict("This e-mail address already belongs to another user of the organization. Ask for an invite to another address.", "duplicate");
}

/** Returns the invite of a token, its organization and a database in the organization's time zone. Throws 404. */
async function loadPortalInvite(
  identity: Identity,
  organizationId: string,
  token: string,
  caller: AnonymousCaller,
): Promise<{ invite: Invite; organization: OrganizationRow; db: OrgDb }> {
  const lookupDb = new OrgDb(identity.database, systemPrincipal(organizationId), requestContextOf(caller));
  const organization = await findOrganization(lookupDb);
  if (!organization) throw notFound("Invite");
  const db = new OrgDb(identity.database, systemPrincipal(organizationId, organization.timezone), lookupDb.request);
  const invite = await identity.clients.portfolio.findInvite(db, { token });
  // A user without an e-mail address could not sign in.
  if (!invite.email) throw notFound("Invite");
  return { invite, organization, db };
}
