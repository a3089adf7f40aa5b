import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { now } from "@freehold/kit/time/clock";
import { newId } from "@freehold/kit/db/entity";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { sql } from "@freehold/kit/db/statement";
import { recordAudit } from "../../audit-log/audit.ts";
import { EXPIRE_USER_INVITES } from "./expire-user-invites.ts";
import { UserInvite } from "./user-invite.entity.ts";

const publish = eventPublisher("identity");
const INVITE_LIFETIME_MS = 7 * 86_400_000;

/** Returns the stored expiry of an invite. */
export async function getInviteExpiry(db: OrgDb, inviteId: string): Promise<Date> {
  const row = await db.first(sql<{ expiresAt: string }>`select expires_at from user_invite where organization_id = ${db.organizationId} and id = ${inviteId}`);
  return new Date(row!.expiresAt);
}

/** Inserts an invite for a user that expires seven days after `createdAt`, records it in the audit log, publishes it and schedules the expiry job. */
export async function addInvite(tx: OrgTx, userId: string, createdAt: Date): Promise<UserInvite> {
  const expiresAt = new Date(createdAt.getTime() + INVITE_LIFETIME_MS);
  const invite = tx.create(UserInvite, { id: newId(), userId, expiresAt, acceptedAt: null, revokedAt: null, createdByUserId: tx.principal.userId });
  recordAudit(tx, { action: "invite.created", entityType: "invite", entityId: invite.id, after: { kind: "user", userId, expiresAt: expiresAt.toISOString() } });
  await publish(tx, "invite.created", { entityId: invite.id, data: { kind: "user", subjectId: null, userId } });
  await scheduleNow(tx, EXPIRE_USER_INVITES);
  return invite;
}

/** Revokes the pending invites of a locked user. */
export async function revokeInvites(tx: OrgTx, userId: string): Promise<void> {
  const revoked = await tx.all(sql<{ id: string }>`update user_invite set revoked_at = ${now()}, updated_at = ${now()}, version = version + 1
    where organization_id = ${tx.organizationId} and user_id = ${userId} and accepted_at is null and revoked_at is null returning id`);
  for (const { id } of revoked) {
    recordAudit(tx, { action: "invite.revoked", entityType: "invite", entityId: id, after: { kind: "user", userId } });
    await publish(tx, "invite.revoked", { entityId: id, data: { kind: "user", subjectId: null, userId } });
  }
}
