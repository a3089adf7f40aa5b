import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { recordAudit } from "../../audit-log/audit.ts";
import { EXPIRE_USER_INVITES } from "./expire-user-invites.ts";
import { UserInvite } from "./user-invite.entity.ts";

const INVITE_LIFETIME_MS = 7 * 86_400_000;

/** Returns the expiry of a user invite created at a given time: seven days later. */
export const userInviteExpiry = (createdAt: Date): Date => new Date(createdAt.getTime() + INVITE_LIFETIME_MS);

/** Inserts an invite for a user without a password and schedules the expiry job. */
export async function addInvite(tx: OrgTx, userId: string, createdAt: Date): Promise<UserInvite> {
  const expiresAt = userInviteExpiry(createdAt);
  const invite = tx.create(UserInvite, { id: newId(), userId, expiresAt, acceptedAt: null, revokedAt: null, createdByUserId: tx.principal.userId });
  recordAudit(tx, { action: "invite.created", entityType: "invite", entityId: invite.id, after: { kind: "user", userId, expiresAt: expiresAt.toISOString() } });
  await scheduleNow(tx, EXPIRE_USER_INVITES);
  return invite;
}
