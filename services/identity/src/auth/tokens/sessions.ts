/** Sessions: one per sign-in, extended by single-use refresh tokens. */
import type { auth } from "@freehold/contract/identity/auth";
import type { Output } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { OrgDb } from "@freehold/kit/db/org-db";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { unauthorized } from "@freehold/kit/errors";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { sql } from "@freehold/kit/db/statement";
import { getOrganizationRow } from "../../accounts/organization/organization.queries.ts";
import { userView } from "../../accounts/users/user.view.ts";
import { findUser } from "../../accounts/users/users.queries.ts";
import { recordAudit } from "../../audit-log/audit.ts";
import type { Identity } from "../../context.ts";
import { ACCESS_TOKEN_SECONDS } from "./access-token.ts";
import { revokeSession } from "./revoke-session.ts";
import { RefreshToken } from "./refresh-token.entity.ts";
import { newRefreshToken, parseRefreshToken } from "./refresh-token.ts";
import { sessionExpiry, tokenExpiry, decideRefresh, type RefreshDecision } from "./refresh-token.rules.ts";
import { Session } from "./session.entity.ts";
import { lockRefreshToken } from "./sessions.queries.ts";
import { requestContextOf, type AnonymousCaller } from "../anonymous-caller.ts";

export type AuthResult = Output<typeof auth.operations.login>;

/** Response of a sign-in, and the tokens for the cookies. */
export interface SignedIn {
  response: AuthResult;
  refreshToken: string;
  /** Cookie of the device, which has signed in. Absent after a refresh. */
  deviceCookie?: string;
}

/** Starts a session and deletes the user's expired sessions. */
export async function startSession(identity: Identity, tx: OrgTx, userId: string, { clientAddress, userAgent }: AnonymousCaller): Promise<SignedIn> {
  const at = now();
  await tx.all(sql`delete from session where organization_id = ${tx.organizationId} and user_id = ${userId} and expires_at < ${at}`);
  const session = tx.create(Session, { id: newId(), userId, expiresAt: sessionExpiry(at), revokedAt: null, lastUsedAt: at, ip: clientAddress, userAgent });
  recordAudit(tx, { action: "session.started", entityType: "session", entityId: session.id, after: { userId, userAgent } });
  await tx.flush();
  const [user] = await tx.all(
    sql<{ passwordHash: string }>`select password_hash from app_user where organization_id = ${tx.organizationId} and id = ${userId}`,
  );
  return {
    response: await authResult(identity, tx, userId, session.id),
    refreshToken: issueRefreshToken(tx, session, at),
    deviceCookie: identity.devices.issue({ userId, passwordHash: user!.passwordHash }),
  };
}

/** Rotates a refresh token. Reuse of a rotated token ends the session. */
export async function refreshToken(identity: Identity, cookie: string | undefined, caller: AnonymousCaller): Promise<SignedIn> {
  const presentedAt = now();
  const presented = parseRefreshToken(cookie);
  if (!presented) throw refreshDenied("refresh_invalid");
  const db = new OrgDb(identity.database, systemPrincipal(presented.organizationId), requestContextOf(caller));
  // Throws after the commit, since an error inside the transaction would roll back the end of the session.
  const result = await transaction(db, (tx) => rotateRefreshToken(identity, tx, { tokenHash: presented.tokenHash, presentedAt, caller }));
  if (typeof result === "string") throw refreshDenied(result);
  return result;
}

interface PresentedToken {
  tokenHash: string;
  presentedAt: Date;
  caller: AnonymousCaller;
}

async function rotateRefreshToken(
  identity: Identity,
  tx: OrgTx,
  { tokenHash, presentedAt, caller }: PresentedToken,
): Promise<SignedIn | Exclude<RefreshDecision, "rotate">> {
  const token = await lockRefreshToken(tx, tokenHash);
  const decision = decideRefresh(token, presentedAt);
  if (decision === "refresh_reused") await revokeSession(tx, token!.session.id, decision);
  if (decision !== "rotate") return decision;
  const { session } = token!;
  await tx.all(sql`update session set last_used_at = ${presentedAt}, ip = ${caller.clientAddress}, user_agent = ${caller.userAgent}
    where organization_id = ${tx.organizationId} and id = ${session.id}`);
  await tx.all(sql`update refresh_token set used_at = ${now()} where organization_id = ${tx.organizationId} and token_hash = ${tokenHash}`);
  await tx.all(sql`delete from refresh_token where organization_id = ${tx.organizationId} and session_id = ${session.id} and expires_at < ${presentedAt}`);
  return { response: await authResult(identity, tx, session.userId, session.id), refreshToken: issueRefreshToken(tx, session, presentedAt) };
}

/** Ends the session of the refresh cookie. Does nothing for a missing, invalid or unknown token. */
export async function logout(identity: Identity, cookie: string | undefined, caller: AnonymousCaller): Promise<void> {
  const presented = parseRefreshToken(cookie);
  if (!presented) return;
  const db = new OrgDb(identity.database, systemPrincipal(presented.organizationId), requestContextOf(caller));
  await transaction(db, async (tx) => {
    const session = await tx.first(sql<{ id: string }>`select session_id as id from refresh_token
      where organization_id = ${db.organizationId} and token_hash = ${presented.tokenHash}`);
    if (session) await revokeSession(tx, session.id, "logout");
  });
}

function issueRefreshToken(tx: OrgTx, session: { id: string; expiresAt: Date }, at: Date): string {
  const { token, tokenHash } = newRefreshToken(tx.organizationId);
  tx.create(RefreshToken, { sessionId: session.id, tokenHash, expiresAt: tokenExpiry(at, session.expiresAt), usedAt: null });
  return token;
}

async function authResult(identity: Identity, tx: OrgTx, userId: string, sessionId: string): Promise<AuthResult> {
  const row = await findUser(tx, userId);
  if (!row) throw refreshDenied("refresh_invalid");
  const user = userView(row);
  const { id, name, slug, timezone } = await getOrganizationRow(tx);
  const accessToken = await identity.accessTokens.issue(user, timezone, { sid: sessionId, accessVersion: row.accessVersion });
  return { accessToken, tokenType: "Bearer", expiresIn: ACCESS_TOKEN_SECONDS, user, organization: { id, name, slug, timezone } };
}

const messages: Record<Exclude<RefreshDecision, "rotate">, string> = {
  refresh_invalid: "The session has ended. Sign in again.",
  refresh_recently_rotated: "The session was refreshed a moment ago. Use the refresh token of that response.",
  refresh_reused: "This refresh token was used before, so the session has been ended. Sign in again.",
};
const refreshDenied = (code: Exclude<RefreshDecision, "rotate">) => unauthorized(messages[code], code);
