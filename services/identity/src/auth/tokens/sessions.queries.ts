import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { RefreshTokenState } from "./refresh-token.rules.ts";

interface RefreshTokenRow {
  usedAt: string | null;
  expiresAt: string;
  sessionId: string;
  userId: string;
  sessionExpiresAt: string;
  sessionRevokedAt: string | null;
}

export type StoredRefreshToken = RefreshTokenState & { session: { id: string; userId: string } };

const toDate = (value: string | null): Date | null => (value === null ? null : new Date(value));

/**
 * Locks a refresh token and its session by the token's digest, so that concurrent refreshes are serialized. Returns
 * undefined when the token is unknown, or its user is inactive or deleted.
 */
export async function lockRefreshToken(tx: OrgTx, tokenHash: string): Promise<StoredRefreshToken | undefined> {
  const row =
    await tx.first(sql<RefreshTokenRow>`select t.used_at, t.expires_at, s.id as session_id, s.user_id, s.expires_at as session_expires_at, s.revoked_at as session_revoked_at
    from refresh_token t
    join session s on s.organization_id = t.organization_id and s.id = t.session_id
    join app_user u on u.organization_id = s.organization_id and u.id = s.user_id and u.is_active and u.deleted_at is null
    where t.organization_id = ${tx.organizationId} and t.token_hash = ${tokenHash} for update of s, t`);
  return (
    row && {
      usedAt: toDate(row.usedAt),
      expiresAt: new Date(row.expiresAt),
      session: { id: row.sessionId, userId: row.userId, expiresAt: new Date(row.sessionExpiresAt), revokedAt: toDate(row.sessionRevokedAt) },
    }
  );
}
