/** The people of the organization: inviting, changing, deleting. */
import type { accounts } from "@freehold/contract/identity/accounts";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import type { User as UserView } from "@freehold/contract/people/people";
import { LockMode } from "@mikro-orm/core";
import { difference } from "@freehold/kit/db/change-tracking";
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
import { sql } from "@freehold/kit/db/statement";
import { recordAudit } from "../../audit-log/audit.ts";
import { endSessions } from "../../auth/tokens/sessions.ts";
import type { Identity } from "../../context.ts";
import { changePhone } from "../../me/consents.ts";
import { queuedDelivery, sendInviteEmail, type InviteEmail } from "../invites/invite-email.ts";
import { insertUser, newUserDefaults } from "./new-user.ts";
import { readOrganization } from "../organization/organization.queries.ts";
import { readUser, recordUserChange } from "./user-changes.ts";
import { addInvite, inviteExpiry } from "../invites/user-invite.ts";
import { User } from "./user.entity.ts";
import { requireRemainingAdmin, forbidOfficePortalSwitch } from "./user.rules.ts";
import { userView } from "./user.view.ts";
import { findUser, listUserRows } from "./users.queries.ts";

type Operations = typeof accounts.operations;
const publish = eventPublisher("identity");

/** Creates a user without a password and mails the invite to choose one. The answer's link works whatever becomes of the mail. */
export async function createUser(identity: Identity, db: OrgDb, request: BodyOf<Operations["createUser"]>): Promise<Output<Operations["createUser"]>> {
  const phone = normalizePhone("phone", request.phone) ?? null;
  if (request.channels.includes("sms") && phone === null) throw invalid([{ path: "phone", code: "required", message: "phone is required to invite by SMS." }]);
  const email = request.email.toLowerCase();
  const messageId = newId();
  const at = now();
  const { name } = await readOrganization(db);

  const work = transaction(db, async (tx) => {
    const user = await insertUser(tx, { ...newUserDefaults, id: newId(), email, fullName: request.fullName, role: request.role, phone });
    const invite = await addInvite(tx, user.id, at);
    const view = await readUser(tx, user.id);
    recordAudit(tx, { action: "user.created", entityType: "user", entityId: user.id, after: view });
    await publish(tx, "user.created", { entityId: user.id, data: { role: user.role } });
    return {
      user: view,
      // Kept with an Idempotency-Key, the answer names the invite and must not hold what opens it.
      inviteLink: invite.id,
      emailDelivery: request.channels.includes("email") ? queuedDelivery(messageId) : null,
      // Nobody can have agreed to text messages before the first sign-in.
      smsDelivery: request.channels.includes("sms") ? { provider: "sms", status: "skipped", error: "no_consent" } : null,
    };
  });
  // A repeated request hands the same letter over once more, under the id that it had.
  return completeAfterCommit(work, async (answer) => {
    const inviteLink = identity.link(`/invites/${identity.inviteTokens.issue(db.organizationId, answer.inviteLink)}`);
    if (!answer.emailDelivery) return { ...answer, inviteLink };
    const fields = { kind: "user", organizationName: name, fullName: request.fullName, link: inviteLink, expiresAt: inviteExpiry(at).toISOString() };
    const letter: InviteEmail = { messageId: answer.emailDelivery.messageId!, to: email, template: "invite", fields };
    return { ...answer, inviteLink, emailDelivery: await sendInviteEmail(identity.clients.communications, db, identity.log, letter) };
  });
}

/** One page of users. */
export async function listUsers(db: OrgDb, query: QueryOf<Operations["listUsers"]>): Promise<Output<Operations["listUsers"]>> {
  const { rows, paging } = await listUserRows(db, query);
  return { users: rows.map(userView), ...paging };
}

/** A user who was not deleted. */
export async function getUser(db: OrgDb, id: string): Promise<UserView> {
  const row = await findUser(db, id);
  if (!row || row.deletedAt !== null) throw notFound("User");
  return userView(row);
}

/** Changes what was sent. A new role or a deactivation ends the user's sessions; the last active admin keeps both. */
export function updateUser(db: OrgDb, id: string, { phone, ...rest }: BodyOf<Operations["updateUser"]>): Promise<UserView> {
  const number = normalizePhone("phone", phone);
  return transaction(db, async (tx) => {
    const admins = await lockedAdmins(tx, rest.role !== undefined || rest.isActive !== undefined);
    const user = await tx.getForUpdate(User, id, "User", { deletedAt: null });
    const before = await readUser(tx, id);
    const { role, isActive, passwordHash = null } = user;
    forbidOfficePortalSwitch(role, rest.role ?? role);
    tx.assign(user, omitUndefined(rest));
    requireRemainingAdmin({ role, isActive, passwordHash }, user, others(admins, id));
    if (number !== undefined) changePhone(tx, user, number);
    if (user.role !== role || (isActive && !user.isActive)) await endSessions(tx, id);
    return recordUserChange(tx, "user.updated", before);
  });
}

/** Deletes a user: the sessions end, the invite is void, and the address is free again. */
export const deleteUser = (db: OrgDb, id: string): Promise<UserView> =>
  transaction(db, async (tx) => {
    const admins = await lockedAdmins(tx, true);
    const user = await tx.getForUpdate(User, id, "User", { deletedAt: null });
    const { role, isActive, passwordHash = null } = user;
    const before = await readUser(tx, id);
    tx.assign(user, { isActive: false, deletedAt: now() });
    requireRemainingAdmin({ role, isActive, passwordHash }, user, others(admins, id));
    await endSessions(tx, id);
    await tx.all(
      sql`update user_invite set revoked_at = ${now()} where organization_id = ${tx.organizationId} and user_id = ${id} and accepted_at is null and revoked_at is null`,
    );
    await tx.all(sql`delete from sign_in_address where organization_id = ${tx.organizationId} and user_id = ${id}`);
    const after = await readUser(tx, id);
    recordAudit(tx, { action: "user.deleted", entityType: "user", entityId: id, ...difference(before, after) });
    await publish(tx, "user.deleted", { entityId: id, data: { role: user.role } });
    return after;
  });

/** The admins, locked in the order of their ids: of two who take the last one's role away, one waits and then sees what the other did. */
const lockedAdmins = async (tx: OrgTx, isNeeded: boolean): Promise<User[]> =>
  isNeeded ? tx.find(User, { role: "admin", isActive: true, deletedAt: null }, { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: "asc" } }) : [];

const others = <T extends { id: string }>(admins: readonly T[], id: string): T[] => admins.filter((admin) => admin.id !== id);
