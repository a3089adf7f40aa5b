/** The people of the organization: inviting, changing, deleting. */
import type { accounts } from "@freehold/contract/accounts";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import type { User as UserView } from "@freehold/contract/people";
import { LockMode } from "@mikro-orm/core";
import { now } from "@freehold/kit/clock";
import { transaction, type OrgDb, type OrgTx } from "@freehold/kit/db";
import { newId } from "@freehold/kit/entity";
import { invalid, notFound } from "@freehold/kit/errors";
import { given } from "@freehold/kit/given";
import { completed } from "@freehold/kit/idempotency";
import { announcer } from "@freehold/kit/outbox";
import { phoneNumber } from "@freehold/kit/phone";
import { sql } from "@freehold/kit/statement";
import type { Identity } from "../context.ts";
import { endSessions } from "../auth/sessions.ts";
import { queued, sendInviteMail } from "./invite-mail.ts";
import { addUser, newcomer } from "./new-user.ts";
import { readOrganization } from "./organization.queries.ts";
import { UserInvite } from "./user-invite.entity.ts";
import { User } from "./user.entity.ts";
import { requireAnAdmin, requireSameSide } from "./user.rules.ts";
import { userView } from "./user.view.ts";
import { findUser, pageOfUsers } from "./users.queries.ts";

type Operations = typeof accounts.operations;
const announce = announcer("identity");
const INVITE_LIVES_MS = 7 * 86_400_000;

/** Creates a user without a password and mails the invite to choose one. The answer's link works whatever becomes of the mail. */
export async function createUser(identity: Identity, db: OrgDb, request: BodyOf<Operations["createUser"]>): Promise<Output<Operations["createUser"]>> {
  const phone = phoneNumber("phone", request.phone) ?? null;
  if (request.channels.includes("sms") && phone === null) throw invalid([{ path: "phone", code: "required", message: "phone is required to invite by SMS." }]);
  const email = request.email.toLowerCase();
  const messageId = newId();
  const expiresAt = new Date(now().getTime() + INVITE_LIVES_MS);
  const { name } = await readOrganization(db);

  const work = transaction(db, async (tx) => {
    const user = await addUser(tx, { ...newcomer, id: newId(), email, fullName: request.fullName, role: request.role, phone });
    const invite = tx.create(UserInvite, { id: newId(), userId: user.id, expiresAt, acceptedAt: null, revokedAt: null, createdByUserId: db.scope.userId });
    await announce(tx, "user.created", { entityId: user.id, data: { role: user.role } });
    const inviteLink = identity.link(`/invites/${identity.inviteTokens.issue(db.organizationId, invite.id)}`);
    return {
      user: await viewOf(tx, user.id),
      inviteLink,
      emailDelivery: request.channels.includes("email") ? queued(messageId) : null,
      // Nobody can have agreed to text messages before the first sign-in.
      smsDelivery: request.channels.includes("sms") ? { provider: "sms", status: "skipped", error: "no_consent" } : null,
    };
  });
  // A repeated request hands the same letter over once more, under the id that it had.
  return completed(work, async (answer) => {
    if (!answer.emailDelivery) return answer;
    const { fullName } = request;
    const mail = {
      messageId: answer.emailDelivery.messageId!,
      to: email,
      organizationName: name,
      fullName,
      link: answer.inviteLink,
      expiresAt: expiresAt.toISOString(),
    };
    return { ...answer, emailDelivery: await sendInviteMail(identity.clients.communications, db, identity.log, mail) };
  });
}

/** One page of users. */
export async function listUsers(db: OrgDb, query: QueryOf<Operations["listUsers"]>): Promise<Output<Operations["listUsers"]>> {
  const { rows, paging } = await pageOfUsers(db, query);
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
  const changes = { ...given(rest), ...(phone !== undefined && { phone: phoneNumber("phone", phone) }) };
  return transaction(db, async (tx) => {
    const admins = await lockedAdmins(tx, rest.role !== undefined || rest.isActive !== undefined);
    const user = await tx.change(User, id, "User", { deletedAt: null });
    const changed = (Object.keys(changes) as (keyof typeof changes)[]).filter((name) => changes[name] !== user[name]);
    const { role, isActive, passwordHash = null } = user;
    requireSameSide(role, changes.role ?? role);
    tx.assign(user, changes);
    requireAnAdmin({ role, isActive, passwordHash }, user, others(admins, id));
    // Consent was given for a number, not for a person.
    if (changed.includes("phone")) tx.assign(user, { smsConsentGranted: false, smsConsentAt: null });
    if (changed.includes("role") || (isActive && !user.isActive)) await endSessions(tx, id);
    if (changed.length > 0) await announce(tx, "user.updated", { entityId: id, data: { role: user.role, isActive: user.isActive } });
    return await viewOf(tx, id);
  });
}

/** Deletes a user: the sessions end, the invite is void, and the address is free again. */
export const deleteUser = (db: OrgDb, id: string): Promise<UserView> =>
  transaction(db, async (tx) => {
    const admins = await lockedAdmins(tx, true);
    const user = await tx.change(User, id, "User", { deletedAt: null });
    const { role, isActive, passwordHash = null } = user;
    tx.assign(user, { isActive: false, deletedAt: now() });
    requireAnAdmin({ role, isActive, passwordHash }, user, others(admins, id));
    await endSessions(tx, id);
    await tx.all(
      sql`update user_invite set revoked_at = ${now()} where organization_id = ${tx.organizationId} and user_id = ${id} and accepted_at is null and revoked_at is null`,
    );
    await tx.all(sql`delete from sign_in_address where organization_id = ${tx.organizationId} and user_id = ${id}`);
    await announce(tx, "user.deleted", { entityId: id, data: { role: user.role } });
    return await viewOf(tx, id);
  });

/** The admins, locked in the order of their ids: of two who take the last one's role away, one waits and then sees what the other did. */
const lockedAdmins = async (tx: OrgTx, isNeeded: boolean): Promise<User[]> =>
  isNeeded ? tx.find(User, { role: "admin", isActive: true, deletedAt: null }, { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: "asc" } }) : [];

const others = <T extends { id: string }>(admins: readonly T[], id: string): T[] => admins.filter((admin) => admin.id !== id);

async function viewOf(tx: OrgTx, id: string): Promise<UserView> {
  const row = await findUser(tx, id);
  if (!row) throw notFound("User");
  return userView(row);
}
