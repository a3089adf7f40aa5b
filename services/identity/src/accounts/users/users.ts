/** Users of the organization: invites, updates and deletion. */
import type { accounts } from "@freehold/contract/identity/accounts";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import type { User as UserView } from "@freehold/contract/people/people";
import { LockMode } from "@mikro-orm/core";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { invalid, notFound } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { completeAfterCommit } from "@freehold/kit/db/idempotency";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { normalizePhone } from "@freehold/domain/phone";
import { recordAudit } from "../../audit-log/audit.ts";
import type { Identity } from "../../context.ts";
import { changePhone } from "../../me/consents.ts";
import { queuedDelivery, sendEmail, type EmailMessage } from "../../send-email.ts";
import { endAccess } from "./end-access.ts";
import { insertUser, newUserDefaults } from "./new-user.ts";
import { hasDeletedSubject, removeFormerUser } from "./portal-users.ts";
import { removeUser } from "./remove-user.ts";
import { getOrganizationRow } from "../organization/organization.queries.ts";
import { getUserView, recordUserChange } from "./user-changes.ts";
import { countInviteMail, countInviteOrThrow } from "../invites/invite-limits.ts";
import { addInvite, getInviteExpiry } from "../invites/user-invite.ts";
import { User } from "./user.entity.ts";
import { requireRemainingAdmin, forbidOfficePortalSwitch, subjectDeleted } from "./user.rules.ts";
import { userView } from "./user.view.ts";
import { findUser, listUserRows } from "./users.queries.ts";

type Operations = typeof accounts.operations;
const publish = eventPublisher("identity");

/** Creates a user without a password and e-mails the invite. The returned link works even when the e-mail fails. */
export async function createUser(identity: Identity, db: OrgDb, request: BodyOf<Operations["createUser"]>): Promise<Output<Operations["createUser"]>> {
  const phone = normalizePhone("phone", request.phone) ?? null;
  if (request.channels.includes("sms") && phone === null) throw invalid([{ path: "phone", code: "required", message: "phone is required to invite by SMS." }]);
  const email = request.email.toLowerCase();
  const messageId = newId();
  const createdAt = now();
  const { name: organizationName } = await getOrganizationRow(db);

  const waitSeconds = request.channels.includes("email") ? await countInviteMail(identity, db, { kind: "user", email }) : undefined;

  const write = transaction(db, async (tx) => {
    await countInviteOrThrow(identity, tx, waitSeconds);
    await removeFormerUser(tx, email);
    const user = await insertUser(tx, { ...newUserDefaults, id: newId(), email, fullName: request.fullName, role: request.role, phone });
    const invite = await addInvite(tx, user.id, createdAt);
    const view = await getUserView(tx, user.id);
    recordAudit(tx, { action: "user.created", entityType: "user", entityId: user.id, after: view });
    await publish(tx, "user.created", { entityId: user.id, data: { role: user.role } });
    return {
      user: view,
      // The response is stored for replay with its Idempotency-Key, so it holds the invite's id instead of the link with the token.
      inviteId: invite.id,
      emailDelivery: request.channels.includes("email") ? queuedDelivery(messageId) : null,
      // A user can consent to text messages only after the first sign-in.
      smsDelivery: request.channels.includes("sms") ? { provider: "sms", status: "skipped", error: "no_consent" } : null,
    };
  });
  // A replayed request sends the e-mail again with the same message id, which communications deduplicates.
  return completeAfterCommit(write, async ({ inviteId, ...response }) => {
    const inviteLink = identity.link(`/invites/${identity.inviteTokens.issue(db.organizationId, inviteId)}`);
    if (!response.emailDelivery) return { ...response, inviteLink };
    const expiresAt = (await getInviteExpiry(db, inviteId)).toISOString();
    const fields = { kind: "user", organizationName, fullName: request.fullName, link: inviteLink, expiresAt };
    const inviteEmail: EmailMessage = { messageId: response.emailDelivery.messageId!, to: email, template: "invite", fields };
    return { ...response, inviteLink, emailDelivery: await sendEmail(identity.clients.communications, db, identity.log, inviteEmail) };
  });
}

/** Returns one page of users. */
export async function listUsers(db: OrgDb, query: QueryOf<Operations["listUsers"]>): Promise<Output<Operations["listUsers"]>> {
  const { rows, paging } = await listUserRows(db, query);
  return { users: rows.map(userView), ...paging };
}

/** Returns a user. Throws 404 for a deleted user. */
export async function getUser(db: OrgDb, id: string): Promise<UserView> {
  const row = await findUser(db, id);
  if (!row || row.deletedAt !== null) throw notFound("User");
  return userView(row);
}

/**
 * Updates the given fields of a user. A role change or deactivation ends the user's access. Throws 409 when no active admin would remain, and for the
 * activation of a portal user whose tenant, owner or vendor was deleted.
 */
export function updateUser(db: OrgDb, id: string, { phone, ...rest }: BodyOf<Operations["updateUser"]>): Promise<UserView> {
  const normalizedPhone = normalizePhone("phone", phone);
  return transaction(db, async (tx) => {
    const admins = rest.role !== undefined || rest.isActive !== undefined ? await lockAdmins(tx) : [];
    const user = await tx.getForUpdate(User, id, "User", { deletedAt: null });
    const before = await getUserView(tx, id);
    const { role, isActive, passwordHash = null } = user;
    forbidOfficePortalSwitch(role, rest.role ?? role);
    if (rest.isActive && (await hasDeletedSubject(tx, user))) throw subjectDeleted();
    tx.assign(user, omitUndefined(rest));
    requireRemainingAdmin({ role, isActive, passwordHash }, user, withoutUser(admins, id));
    if (normalizedPhone !== undefined) changePhone(tx, user, normalizedPhone);
    if (user.role !== role || (isActive && !user.isActive)) await endAccess(tx, user);
    return recordUserChange(tx, "user.updated", before);
  });
}

/** Soft-deletes a user: ends the access, revokes pending invites and frees the e-mail address. Throws 409 for the last active admin. */
export const deleteUser = (db: OrgDb, id: string): Promise<UserView> =>
  transaction(db, async (tx) => {
    const admins = await lockAdmins(tx);
    const user = await tx.getForUpdate(User, id, "User", { deletedAt: null });
    requireRemainingAdmin(user, { role: user.role, isActive: false }, withoutUser(admins, id));
    return removeUser(tx, user);
  });

/** Locks the active admins in the order of their ids, so that concurrent demotions cannot remove the last admin. */
const lockAdmins = (tx: OrgTx): Promise<User[]> =>
  tx.find(User, { role: "admin", isActive: true, deletedAt: null }, { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: "asc" } });

const withoutUser = <T extends { id: string }>(admins: readonly T[], id: string): T[] => admins.filter((admin) => admin.id !== id);
