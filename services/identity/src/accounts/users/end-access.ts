import type { OrgTx } from "@freehold/kit/db/org-tx";
import { revokeSessions } from "../../auth/tokens/revoke-session.ts";
import type { User } from "./user.entity.ts";

/** Invalidates the access tokens that were issued to a locked user so far. Sessions continue with a token of the new version. */
export const invalidateAccessTokens = (tx: OrgTx, user: User): void => void tx.assign(user, { accessVersion: user.accessVersion + 1 });

/** Invalidates the access tokens of a locked user and ends all sessions. Returns the number of ended sessions. */
export function endAccess(tx: OrgTx, user: User): Promise<number> {
  invalidateAccessTokens(tx, user);
  return revokeSessions(tx, user.id);
}
