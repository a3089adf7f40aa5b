import type { me } from "@freehold/contract/identity/me";
import type { BodyOf } from "@freehold/contract/operation";
import type { User as UserView } from "@freehold/contract/people/people";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { invalid, notFound } from "@freehold/kit/errors";
import { getUserView } from "../accounts/users/user-changes.ts";
import { User } from "../accounts/users/user.entity.ts";
import { recordAudit } from "../audit-log/audit.ts";
import { findCandidate } from "../auth/sign-in-candidates.queries.ts";
import { requireUncommonPassword } from "../auth/passwords/common-password.rules.ts";
import { hashPassword } from "../auth/passwords/password.ts";
import { revokeSessions } from "../auth/tokens/revoke-session.ts";
import { verifyCandidates } from "../auth/sign-in.ts";
import type { Identity } from "../context.ts";
import { invalidateLinks } from "../recoveries/mailed-links.ts";
import { callerUserId } from "./me.ts";

/**
 * Changes the caller's password, ends the caller's other sessions and invalidates links that were mailed before. Returns the cookie by which
 * the caller's device stays known, since the new password ends those of all devices. Throws 400 for a common new password and for a wrong
 * current password, also when a concurrent request changed it, and 429 after too many wrong passwords.
 */
export async function changeMyPassword(
  identity: Identity,
  db: OrgDb,
  { currentPassword, newPassword }: BodyOf<typeof me.operations.changeMyPassword>,
): Promise<{ user: UserView; deviceCookie: string }> {
  requireUncommonPassword("newPassword", newPassword);
  const candidate = await findCandidate(db, callerUserId(db));
  if (!candidate) throw notFound("User");
  const clientAddress = db.request.clientAddress ?? "unknown";
  const [verified] = await verifyCandidates(identity, currentPassword, [candidate], {
    login: candidate.email,
    clientAddress,
    // Failures count per session, so that nobody without one can lock its user out.
    separateCounter: `session ${db.principal.sessionId ?? candidate.userId}`,
  });
  if (!verified) throw wrongPassword();
  const passwordHash = await identity.hashingQueue(clientAddress, () => hashPassword(newPassword));
  return transaction(db, async (tx) => {
    const user = await tx.getForUpdate(User, candidate.userId, "User", { deletedAt: null });
    if (user.passwordHash !== verified.passwordHash) throw wrongPassword();
    tx.assign(user, { passwordHash });
    await invalidateLinks(tx, user.id);
    const endedSessions = await revokeSessions(tx, user.id, db.principal.sessionId);
    recordAudit(tx, { action: "user.password_changed", entityType: "user", entityId: user.id, after: { endedSessions } });
    return { user: await getUserView(tx, user.id), deviceCookie: identity.devices.issue({ userId: user.id, passwordHash }) };
  });
}

const wrongPassword = () =>
  invalid([{ path: "currentPassword", code: "mismatch", message: "currentPassword is not the current password. Check it and try again." }]);
