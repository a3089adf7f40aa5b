/** The caller's own sessions. */
import type { Session as SessionView } from "@freehold/contract/identity/sessions";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { withVersion } from "@freehold/kit/http/etag";
import { revokeSession } from "../auth/tokens/revoke-session.ts";
import { Session } from "../auth/tokens/session.entity.ts";
import { callerUserId } from "../me/me.ts";

const MAX_SESSIONS = 100;

type Row = Omit<SessionView, "current"> & { version: number };
const columns = sql`s.id, s.created_at, coalesce(s.last_used_at, s.created_at) as last_used_at, s.ip, s.user_agent, s.revoked_at, s.version`;

const sessionView = (db: StatementRunner, { version, ...row }: Row): SessionView =>
  withVersion({ ...row, current: row.id === db.principal.sessionId }, version);

/** Returns the caller's sessions that can still be refreshed, the most recently used first. */
export async function listSessions(db: OrgDb): Promise<SessionView[]> {
  const at = now();
  const rows = await db.all(sql<Row>`select ${columns} from session s
    where s.organization_id = ${db.organizationId} and s.user_id = ${callerUserId(db)} and s.revoked_at is null and s.expires_at > ${at}
      and exists (select from refresh_token t where t.organization_id = s.organization_id and t.session_id = s.id and t.used_at is null and t.expires_at > ${at})
    order by coalesce(s.last_used_at, s.created_at) desc, s.id desc limit ${MAX_SESSIONS}`);
  return rows.map((row) => sessionView(db, row));
}

/** Ends one of the caller's sessions. Throws 404 for an ended session and for another user's. */
export const endSession = (db: OrgDb, id: string): Promise<SessionView> =>
  transaction(db, async (tx) => {
    await tx.getForUpdate(Session, id, "Session", { userId: callerUserId(db), revokedAt: null });
    await revokeSession(tx, id, "ended_by_user");
    const row = await tx.first(sql<Row>`select ${columns} from session s where s.organization_id = ${tx.organizationId} and s.id = ${id}`);
    return sessionView(tx, row!);
  });
