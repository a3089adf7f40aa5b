/** Rules of refresh token rotation and lifetimes. */

const DAY_MS = 86_400_000;
const TOKEN_LIFETIME_MS = 7 * DAY_MS;
const SESSION_LIFETIME_MS = 30 * DAY_MS;
/** Grace period for tabs of one browser that refresh concurrently with the same cookie. Later reuse indicates a stolen token. */
const CONCURRENT_REFRESH_MS = 10_000;

export interface RefreshTokenState {
  usedAt: Date | null;
  expiresAt: Date;
  session: { expiresAt: Date; revokedAt: Date | null };
}

export type RefreshDecision = "rotate" | "refresh_invalid" | "refresh_recently_rotated" | "refresh_reused";

/** Decides whether a presented token is rotated, invalid, just rotated by another tab, or reused. */
export function decideRefresh(token: RefreshTokenState | undefined, presentedAt: Date): RefreshDecision {
  if (!token || token.session.revokedAt || token.expiresAt <= presentedAt || token.session.expiresAt <= presentedAt) return "refresh_invalid";
  if (!token.usedAt) return "rotate";
  return presentedAt.getTime() - token.usedAt.getTime() <= CONCURRENT_REFRESH_MS ? "refresh_recently_rotated" : "refresh_reused";
}

/** Returns the expiry of a session: 30 days after its start. */
export const sessionExpiry = (startedAt: Date): Date => new Date(startedAt.getTime() + SESSION_LIFETIME_MS);

/** Returns the expiry of a token: seven days after its issue, at most the session's expiry. */
export const tokenExpiry = (issuedAt: Date, sessionExpiresAt: Date): Date =>
  new Date(Math.min(issuedAt.getTime() + TOKEN_LIFETIME_MS, sessionExpiresAt.getTime()));
