/** What a presented refresh token is worth. */

const DAY_MS = 86_400_000;
const TOKEN_LIFETIME_MS = 7 * DAY_MS;
const SESSION_LIFETIME_MS = 30 * DAY_MS;
/** Tabs of one browser share a cookie and may refresh together; whoever comes this late has a copy. */
const CONCURRENT_REFRESH_MS = 10_000;

export interface RefreshTokenState {
  usedAt: Date | null;
  expiresAt: Date;
  session: { expiresAt: Date; revokedAt: Date | null };
}

export type RefreshDecision = "rotate" | "refresh_invalid" | "refresh_recently_rotated" | "refresh_reused";

/** Whether the token is exchanged, unknown, beaten to it by another tab, or a copy of one that was used. */
export function decideRefresh(token: RefreshTokenState | undefined, presentedAt: Date): RefreshDecision {
  if (!token || token.session.revokedAt || token.expiresAt <= presentedAt || token.session.expiresAt <= presentedAt) return "refresh_invalid";
  if (!token.usedAt) return "rotate";
  return presentedAt.getTime() - token.usedAt.getTime() <= CONCURRENT_REFRESH_MS ? "refresh_recently_rotated" : "refresh_reused";
}

export const sessionExpiry = (start: Date): Date => new Date(start.getTime() + SESSION_LIFETIME_MS);

/** A token lives seven days from its own birth and never longer than its session. */
export const tokenExpiry = (issuedAt: Date, sessionEnds: Date): Date => new Date(Math.min(issuedAt.getTime() + TOKEN_LIFETIME_MS, sessionEnds.getTime()));
