/** Invites of tenants, owners and vendors: portfolio keeps them, and accepting one makes the user. */
import { OrgDb } from "@freehold/kit/db/org-db";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict, notFound } from "@freehold/kit/errors";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import type { Invite } from "@freehold/proto/portfolio/v1/portfolio";
import { insertUser, newUserDefaults } from "../../accounts/users/new-user.ts";
import { findOrganization, type OrganizationRow } from "../../accounts/organization/organization.queries.ts";
import { readUser } from "../../accounts/users/user-changes.ts";
import { findConflictingUsers, findUser } from "../../accounts/users/users.queries.ts";
import { relinkPortalUser } from "../../accounts/users/relink-portal-user.ts";
import { recordAudit } from "../../audit-log/audit.ts";
import type { Identity } from "../../context.ts";
import { recordConsents } from "../../me/consents.ts";
import { acceptedUser, alreadyAccepted, type Acceptance, type InviteView } from "./acceptance.ts";
import { hashPassword } from "../passwords/password.ts";
import { startSession, type SignedIn } from "../tokens/sessions.ts";
import { requestContextOf, type AnonymousCaller } from "../anonymous-caller.ts";

const publish = eventPublisher("identity");
type PortalKind = "tenant" | "owner" | "vendor";

export async function readPortalInvite(identity: Identity, organizationId: string, token: string, caller: AnonymousCaller): Promise<InviteView> {
  const { invite, organization } = await openInvite(identity, organizationId, token, caller);
  return {
    kind: invite.kind as PortalKind,
    email: invite.email,
    organizationName: organization.name,
    fullName: invite.fullName,
    expiresAt: invite.expiresAt,
    status: invite.status === "accepted" ? "accepted" : "pending",
  };
}

/**
 * Creates the user that portfolio names for the invite and signs them in. Portfolio names the same one each time, so
 * whoever was cut off between the claim and the commit can accept again, and only one of several gets through.
 */
export async function acceptPortalInvite(
  identity: Identity,
  organizationId: string,
  token: string,
  acceptance: Acceptance,
  caller: AnonymousCaller,
): Promise<SignedIn> {
  const { invite: found, db } = await openInvite(identity, organizationId, token, caller);
  await requireNoAccount(db, found);
  const passwordHash = await identity.hashingQueue(() => hashPassword(acceptance.password));
  const invite = await identity.clients.portfolio.claimInvite(db, { token });
  const userId = invite.userId;
  if (!userId) throw new Error("Portfolio claimed an invite for nobody.");
  if (await findUser(db, userId)) throw alreadyAccepted();

  const asUser = new OrgDb(identity.database, { ...db.principal, userId }, db.request);
  const role = invite.kind as PortalKind;
  const signedIn = await transaction(asUser, async (tx) => {
    const { subjectId, email, fullName } = invite;
    await insertUser(tx, { ...newUserDefaults, id: userId, email: email.toLowerCase(), fullName, role, subjectId, ...acceptedUser(acceptance, passwordHash) });
    recordConsents(tx, userId, { sms: acceptance.smsConsent }, "invite");
    recordAudit(tx, { action: "invite.accepted", entityType: "invite", entityId: invite.id, after: await readUser(tx, userId) });
    await publish(tx, "invite.accepted", { entityId: invite.id, data: { kind: role, subjectId, userId }, audience: { [`${role}Ids`]: [subjectId] } });
    await publish(tx, "user.created", { entityId: userId, data: { role } });
    return await startSession(identity, tx, userId, caller);
  });
  // The user is there and signed in: what fails now must not say otherwise.
  await followMerge(identity, asUser, token, invite).catch((error: unknown) => identity.log.error({ err: error, userId }, "a merge could not be looked for"));
  return signedIn;
}

/** Somebody who was merged while accepting stands for whom all of it went to: the event of it found no user yet. */
async function followMerge(identity: Identity, db: OrgDb, token: string, { subjectId: accepted }: Invite): Promise<void> {
  const { subjectId } = await identity.clients.portfolio.findInvite(db, { token });
  if (subjectId !== accepted) await transaction(db, (tx) => relinkPortalUser(tx, accepted, subjectId));
}

/** Before the invite is claimed: it is not used up where the subject or somebody else here has an account already. */
async function requireNoAccount(db: OrgDb, { email, subjectId }: Invite): Promise<void> {
  const holders = await findConflictingUsers(db, email.toLowerCase(), subjectId);
  if (holders.some((holder) => holder.subjectId === subjectId)) throw alreadyAccepted();
  if (holders.length > 0) throw conflict("This e-mail address already belongs to another user here. Ask for an invite to another address.", "duplicate");
}

async function openInvite(
  identity: Identity,
  organizationId: string,
  token: string,
  caller: AnonymousCaller,
): Promise<{ invite: Invite; organization: OrganizationRow; db: OrgDb }> {
  const known = new OrgDb(identity.database, systemPrincipal(organizationId), requestContextOf(caller));
  const organization = await findOrganization(known);
  if (!organization) throw notFound("Invite");
  const db = new OrgDb(identity.database, systemPrincipal(organizationId, organization.timezone), known.request);
  const invite = await identity.clients.portfolio.findInvite(db, { token });
  // Without an address there is nothing to sign in with.
  if (!invite.email) throw notFound("Invite");
  return { invite, organization, db };
}
