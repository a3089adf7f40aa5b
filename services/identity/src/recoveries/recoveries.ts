/** Choosing another password and confirming an address, by links that came by mail. */
import type { recoveries } from "@freehold/contract/identity/recoveries";
import type { BodyOf } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import { sql } from "@freehold/kit/db/statement";
import { readUser, recordUserChange } from "../accounts/users/user-changes.ts";
import { recordAudit } from "../audit-log/audit.ts";
import { findCandidates, type Candidate } from "../auth/sign-in-candidates.queries.ts";
import { requireUncommonPassword } from "../auth/passwords/common-password.rules.ts";
import { hashPassword } from "../auth/passwords/password.ts";
import { endSessions, startSession, type SignedIn } from "../auth/tokens/sessions.ts";
import type { AnonymousCaller } from "../auth/anonymous-caller.ts";
import type { Identity } from "../context.ts";
import { mailLink, openLink, consumeLink } from "./mailed-links.ts";
import type { Purpose } from "./one-time-token.entity.ts";

type Operations = typeof recoveries.operations;
const ACCEPTED = { accepted: true } as const;

/** Mails a link to choose another password, for each organization that the address can sign in to. */
export const requestPasswordReset = (
  identity: Identity,
  { email }: BodyOf<Operations["requestPasswordReset"]>,
  caller: AnonymousCaller,
): Promise<typeof ACCEPTED> => mailUnlessUnknown(identity, "password_reset", email, caller, () => true);

/** Mails another link to confirm an address, wherever it is not confirmed yet. */
export const resendEmailConfirmation = (
  identity: Identity,
  { email }: BodyOf<Operations["resendEmailConfirmation"]>,
  caller: AnonymousCaller,
): Promise<typeof ACCEPTED> => mailUnlessUnknown(identity, "email_confirmation", email, caller, ({ isConfirmed }) => !isConfirmed);

/** The answer is given before anybody looks for the address, so that neither its content nor its time tells who has an account. */
async function mailUnlessUnknown(
  identity: Identity,
  purpose: Purpose,
  given: string,
  caller: AnonymousCaller,
  isWanted: (candidate: Candidate) => boolean,
): Promise<typeof ACCEPTED> {
  const email = given.toLowerCase();
  await identity.throttle.countAddress(caller.address);
  await identity.throttle.countMail(email);
  const work = async () => {
    const wanted = (await findCandidates(identity.database, email)).filter(isWanted);
    for (const candidate of wanted) await mailLink(identity, purpose, candidate);
  };
  setImmediate(() => void work().catch((error: unknown) => identity.log.error({ err: error, requestId: caller.requestId }, "a link could not be mailed")));
  return ACCEPTED;
}

/** Gives the user another password, ends all of their sessions and begins a new one. Other links to do the same are void. */
export async function confirmPasswordReset(
  identity: Identity,
  { token, newPassword }: BodyOf<Operations["confirmPasswordReset"]>,
  caller: AnonymousCaller,
): Promise<SignedIn> {
  requireUncommonPassword("newPassword", newPassword);
  const opened = await openLink(identity, "password_reset", token, caller);
  const passwordHash = await identity.hashingQueue(() => hashPassword(newPassword));
  const signedIn = await transaction(opened.db, async (tx) => {
    const user = await consumeLink(tx, opened);
    const at = now();
    tx.assign(user, { passwordHash, emailConfirmedAt: user.emailConfirmedAt ?? at, lastLoginAt: at });
    await tx.all(sql`update one_time_token set used_at = ${at}, updated_at = ${at}, version = version + 1
      where organization_id = ${tx.organizationId} and user_id = ${user.id} and purpose = 'password_reset' and used_at is null`);
    const endedSessions = await endSessions(tx, user.id);
    recordAudit(tx, { action: "user.password_reset", entityType: "user", entityId: user.id, after: { endedSessions } });
    return await startSession(identity, tx, user.id, caller);
  });
  await identity.throttle.resetFailures(opened.email);
  return signedIn;
}

/** Confirms the address of the user that the link was mailed to, and signs them in. */
export async function confirmEmail(identity: Identity, { token }: BodyOf<Operations["confirmEmail"]>, caller: AnonymousCaller): Promise<SignedIn> {
  const opened = await openLink(identity, "email_confirmation", token, caller);
  return transaction(opened.db, async (tx) => {
    const user = await consumeLink(tx, opened);
    const before = await readUser(tx, user.id);
    tx.assign(user, { emailConfirmedAt: user.emailConfirmedAt ?? now() });
    await recordUserChange(tx, "user.email_confirmed", before);
    tx.assign(user, { lastLoginAt: now() });
    return await startSession(identity, tx, user.id, caller);
  });
}
