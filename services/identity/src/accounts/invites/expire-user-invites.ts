/** Job that publishes `invite.expired` once for each expired invite of an office user. */
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { expiryJob } from "@freehold/kit/jobs/expiry";
import { sql } from "@freehold/kit/db/statement";
import { UserInvite } from "./user-invite.entity.ts";
import { User } from "../users/user.entity.ts";

export const EXPIRE_USER_INVITES = "expireUserInvites";

const publish = eventPublisher("identity");

interface ExpiringInvite {
  id: string;
  userId: string;
  expiresAt: string;
}

const findExpiringInvites = (db: OrgDb, limit: number): Promise<ExpiringInvite[]> =>
  db.all(sql<ExpiringInvite>`select id, user_id, expires_at from user_invite
    where organization_id = ${db.organizationId} and accepted_at is null and revoked_at is null and expiry_announced_at is null
    order by expires_at, id limit ${limit}`);

/**
 * Marks an invite as expired and publishes the event. Locks the user before the invite, in the same order as the acceptance.
 * Publishes nothing for a user who already has a password or was deleted.
 */
const expire = (db: OrgDb, { id, userId }: ExpiringInvite): Promise<void> =>
  transaction(db, async (tx) => {
    const [user] = await tx.findAllForUpdate(User, [userId]);
    const [invite] = await tx.findAllForUpdate(UserInvite, [id]);
    if (!invite || invite.acceptedAt || invite.revokedAt || invite.expiryAnnouncedAt || invite.expiresAt > now()) return;
    tx.assign(invite, { expiryAnnouncedAt: now() });
    if (user?.passwordHash || user?.deletedAt) return;
    await publish(tx, "invite.expired", { entityId: id, data: { kind: "user", subjectId: null, userId } });
  });

export const expireUserInvites = expiryJob({ findNext: findExpiringInvites, expire });
