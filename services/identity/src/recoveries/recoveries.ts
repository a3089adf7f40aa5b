/** Password reset and e-mail confirmation by e-mailed links. */
import type { recoveries } from "@freehold/contract/identity/recoveries";
import type { BodyOf } from "@freehold/contract/operation";
import { clientNetwork } from "@freehold/kit/http/client-network";
import { difference } from "@freehold/kit/db/change-tracking";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { confirmOrganization } from "../accounts/invites/invite-limits.ts";
import type { User } from "../accounts/users/user.entity.ts";
import { recordAddressProof } from "../accounts/users/record-address-proof.ts";
import { endAccess } from "../accounts/users/end-access.ts";
import { publishUserUpdated, getUserView, recordUserChange } from "../accounts/users/user-changes.ts";
import { recordAudit } from "../audit-log/audit.ts";
import { findCandidates, type Candidate } from "../auth/sign-in-candidates.queries.ts";
import { requireUncommonPassword } from "../auth/passwords/common-password.rules.ts";
import { hashPassword } from "../auth/passwords/password.ts";
import { startSession, type SignedIn } from "../auth/tokens/sessions.ts";
import type { AnonymousCaller } from "../auth/anonymous-caller.ts";
import type { Identity } from "../context.ts";
import { mailLink, getLink, consumeLink, invalidateLinks } from "./mailed-links.ts";
import type { Purpose } from "./one-time-token.entity.ts";

type Operations = typeof recoveries.operations;
const ACCEPTED = { accepted: true } as const;

/** E-mails a password reset link for each organization that the e-mail address can sign in to. */
export const requestPasswordReset = (
  identity: Identity,
  { email }: BodyOf<Operations["requestPasswordReset"]>,
  caller: AnonymousCaller,
): Promise<typeof ACCEPTED> => mailLinksLater(identity, "password_reset", email.toLowerCase(), caller, () => true);

/**
 * E-mails a confirmation link for each organization in which no mailed link has confirmed the e-mail address. An accepted invite does not, because its
 * sender knows the link.
 */
export const resendEmailConfirmation = (
  identity: Identity,
  { email }: BodyOf<Operations["resendEmailConfirmation"]>,
  caller: AnonymousCaller,
): Promise<typeof ACCEPTED> => mailLinksLater(identity, "email_confirmation", email.toLowerCase(), caller, ({ proof }) => proof !== "mail");

/** Responds before the lookup of the e-mail address, so that neither content nor timing of the response reveals whether an account exists. */
async function mailLinksLater(
  identity: Identity,
  purpose: Purpose,
  email: string,
  caller: AnonymousCaller,
  isRecipient: (candidate: Candidate) => boolean,
): Promise<typeof ACCEPTED> {
  await identity.throttle.countClientAttempt(caller.clientAddress);
  await identity.throttle.countMail(email, caller.clientAddress);
  const sendLinks = async () => {
    const candidates = await findCandidates(identity.database, email);
    const recipients = candidates.filter(isRecipient);
    // Counted after the response, because the exemption of a known device would reveal the account.
    if (!identity.devices.verify(caller.deviceCookie, candidates) && !(await identity.throttle.countMailToRecipient(email))) return;
    for (const recipient of recipients) {
      const waitSeconds = await identity.throttle.countDailyMail(recipient.organizationId, email, `${purpose} ${clientNetwork(caller.clientAddress)}`);
      if (waitSeconds === undefined) await mailLink(identity, purpose, recipient);
    }
  };
  setImmediate(() => void sendLinks().catch((error: unknown) => identity.log.error({ err: error, requestId: caller.requestId }, "sending a link failed")));
  return ACCEPTED;
}

/** Sets a new password, confirms the e-mail address, ends the user's access, invalidates the user's other links and signs the user in. */
export async function confirmPasswordReset(
  identity: Identity,
  { token, newPassword }: BodyOf<Operations["confirmPasswordReset"]>,
  caller: AnonymousCaller,
): Promise<SignedIn> {
  requireUncommonPassword("newPassword", newPassword);
  const link = await getLink(identity, "password_reset", token, caller);
  const passwordHash = await identity.hashingQueue(caller.clientAddress, () => hashPassword(newPassword));
  const signedIn = await transaction(link.db, async (tx) => {
    const user = await consumeLink(tx, link);
    const before = await getUserView(tx, user.id);
    tx.assign(user, { passwordHash, emailConfirmedAt: user.emailConfirmedAt ?? now() });
    await invalidateLinks(tx, user.id);
    await recordMailedProof(tx, user);
    const endedSessions = await endAccess(tx, user);
    const diff = difference(before, await getUserView(tx, user.id));
    recordAudit(tx, { action: "user.password_reset", entityType: "user", entityId: user.id, ...diff, after: { ...diff?.after, endedSessions } });
    await publishUserUpdated(tx, user.id);
    tx.assign(user, { lastLoginAt: now() });
    return await startSession(identity, tx, user.id, caller);
  });
  for (const userId of [undefined, link.userId]) {
    await identity.throttle.resetFailures({ login: link.email, userId, clientAddress: caller.clientAddress });
    await identity.throttle.resetAccount(link.email, userId);
  }
  return signedIn;
}

/** Records that a user has opened a mailed link, which proves the address and, for an admin, confirms the organization. */
async function recordMailedProof(tx: OrgTx, { id, role }: User): Promise<void> {
  await recordAddressProof(tx, id, "mail");
  if (role === "admin") await confirmOrganization(tx);
}

/** Confirms the e-mail address of the link's user and signs the user in. */
export async function confirmEmail(identity: Identity, { token }: BodyOf<Operations["confirmEmail"]>, caller: AnonymousCaller): Promise<SignedIn> {
  const link = await getLink(identity, "email_confirmation", token, caller);
  return transaction(link.db, async (tx) => {
    const user = await consumeLink(tx, link);
    const before = await getUserView(tx, user.id);
    tx.assign(user, { emailConfirmedAt: user.emailConfirmedAt ?? now() });
    await recordMailedProof(tx, user);
    await recordUserChange(tx, "user.email_confirmed", before);
    tx.assign(user, { lastLoginAt: now() });
    return await startSession(identity, tx, user.id, caller);
  });
}
