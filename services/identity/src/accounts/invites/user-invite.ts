import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { recordAudit } from "../../audit-log/audit.ts";
import { EXPIRE_USER_INVITES } from "./expire-user-invites.ts";
import { UserInvite } from "./user-invite.entity.ts";

const INVITE_LIVES_MS = 7 * 86_400_000;

/** When an invite made at a moment runs out. */
export const inviteExpiry = (madeAt: Date): Date => new Date(madeAt.getTime() + INVITE_LIVES_MS);

/** An invite of seven days for a user who has no password yet; that it runs out will be told of. */
export async function addInvite(tx: OrgTx, userId: string, madeAt: Date): Promise<UserInvite> {
  const expiresAt = inviteExpiry(madeAt);
  const invite = tx.create(UserInvite, { id: newId(), userId, expiresAt, acceptedAt: null, revokedAt: null, createdByUserId: tx.principal.userId });
  recordAudit(tx, { action: "invite.created", entityType: "invite", entityId: invite.id, after: { kind: "user", userId, expiresAt: expiresAt.toISOString() } });
  await scheduleNow(tx, EXPIRE_USER_INVITES);
  return invite;
}
