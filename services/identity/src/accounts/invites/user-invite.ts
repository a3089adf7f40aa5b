import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { sql } from "@freehold/kit/db/statement";
import { recordAudit } from "../../audit-log/audit.ts";
import { EXPIRE_USER_INVITES } from "./expire-user-invites.ts";
import { UserInvite } from "./user-invite.entity.ts";

const INVITE_LIFETIME_MS = 7 * 86_400_000;

/** Returns the stored expiry of an invite. */
export async function readInviteExpiry(db: OrgDb, inviteId: string): Promise<Date> {
  const row = await db.first(sql<{ expiresAt: string }>`select expires_at from user_invite where organization_id = ${db.organizationId} and id = ${inviteId}`);
  return new Date(row!.expiresAt);
}

/** Inserts an invite for a user that expires seven days after `createdAt`, records it in the audit log and schedules the expiry job. */
export async function addInvite(tx: OrgTx, userId: string, createdAt: Date): Promise<UserInvite> {
  const expiresAt = new Date(createdAt.getTime() + INVITE_LIFETIME_MS);
  const invite = tx.create(UserInvite, { id: newId(), userId, expiresAt, acceptedAt: null, revokedAt: null, createdByUserId: tx.principal.userId });
  recordAudit(tx, { action: "invite.created", entityType: "invite", entityId: invite.id, after: { kind: "user", userId, expiresAt: expiresAt.toISOString() } });
  await scheduleNow(tx, EXPIRE_USER_INVITES);
  return invite;
}
