/** Ends sessions, with their refresh tokens. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { now } from "@freehold/kit/time/clock";
import { recordAudit } from "../../audit-log/audit.ts";

/** Ends a session that has not ended, and records the user and the reason. */
export async function revokeSession(tx: OrgTx, id: string, reason: "logout" | "refresh_reused" | "ended_by_user"): Promise<void> {
  const ended = await tx.first(sql<{ userId: string }>`update session set revoked_at = ${now()}, updated_at = ${now()}, version = version + 1
    where organization_id = ${tx.organizationId} and id = ${id} and revoked_at is null returning user_id`);
  if (ended) recordAudit(tx, { action: "session.ended", entityType: "session", entityId: id, after: { userId: ended.userId, reason } });
}

/** Ends all sessions of a user except `exceptId`. Returns the number of ended sessions. */
export async function revokeSessions(tx: OrgTx, userId: string, exceptId?: string): Promise<number> {
  const ended = await tx.all(sql`update session set revoked_at = ${now()}, updated_at = ${now()}, version = version + 1
    where organization_id = ${tx.organizationId} and user_id = ${userId} and revoked_at is null and id is distinct from ${exceptId ?? null}::uuid returning id`);
  return ended.length;
}
