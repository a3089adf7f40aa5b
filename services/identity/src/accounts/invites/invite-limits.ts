/** Limits of invites, so that nobody uses them to mail strangers: few before an admin has confirmed an e-mail address, and few to one recipient in a day. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { ApiError, forbidden } from "@freehold/kit/errors";
import { now } from "@freehold/kit/time/clock";
import { sql } from "@freehold/kit/db/statement";
import type { Identity } from "../../context.ts";

const MAX_INVITES_BEFORE_CONFIRMATION = 50;

type WithThrottle = Pick<Identity, "throttle">;

/** Tells whether an admin of the organization has opened a mailed link. */
export const isConfirmed = async (db: StatementRunner): Promise<boolean> =>
  (await db.first(sql`select from organization where organization_id = ${db.organizationId} and id = ${db.organizationId} and confirmed_at is not null`)) !==
  undefined;

/** Counts an invite of an organization. Returns false when the limit before the confirmation of an admin's e-mail address is reached. */
async function countInvite(db: StatementRunner): Promise<boolean> {
  if (await isConfirmed(db)) return true;
  const counted = await db.first(sql`update organization set invites_before_confirmation = invites_before_confirmation + 1
    where organization_id = ${db.organizationId} and id = ${db.organizationId}
      and (confirmed_at is not null or invites_before_confirmation < ${MAX_INVITES_BEFORE_CONFIRMATION}) returning id`);
  return counted !== undefined;
}

/** Reverses the count of an invite that was not written. */
export async function uncountInvite(db: StatementRunner): Promise<void> {
  await db.all(sql`update organization set invites_before_confirmation = invites_before_confirmation - 1
    where organization_id = ${db.organizationId} and id = ${db.organizationId} and confirmed_at is null and invites_before_confirmation > 0`);
}

/** Records that an admin of the organization has opened a mailed link, which lifts the limit. An accepted invite does not, since its sender knows the link. */
export async function confirmOrganization(tx: OrgTx): Promise<void> {
  await tx.all(sql`update organization set confirmed_at = ${now()}
    where organization_id = ${tx.organizationId} and id = ${tx.organizationId} and confirmed_at is null`);
}

/**
 * Counts an e-mail with an invite. Returns the seconds to wait above the daily limit of the recipient, of one organization, and of all that have not
 * confirmed an address, otherwise undefined.
 */
export async function countInviteMail(
  { throttle }: WithThrottle,
  db: StatementRunner,
  { kind, email }: { kind: string; email: string },
): Promise<number | undefined> {
  const recipient = email.toLowerCase();
  const waitSeconds = await throttle.countDailyMail(db.organizationId, recipient, kind);
  if (waitSeconds !== undefined || (await isConfirmed(db))) return waitSeconds;
  return throttle.countUnconfirmedInvite(recipient);
}

/**
 * Counts an invite. Returns the error to throw above a limit: 403 for the limit before the confirmation, unless the limits are turned off, or 429 when
 * the daily limit of the recipient leaves `waitSeconds` to wait.
 */
export async function tryCountInvite({ throttle }: WithThrottle, db: StatementRunner, waitSeconds: number | undefined): Promise<ApiError | undefined> {
  if (waitSeconds !== undefined) return tooManyInvites(waitSeconds);
  return !throttle.isOn || (await countInvite(db)) ? undefined : unconfirmed();
}

/**
 * Counts an invite in the transaction that writes it. Throws 403 or 429 above a limit. A replay of an Idempotency-Key does not run the transaction, so
 * it is not counted.
 */
export async function countInviteOrThrow(identity: WithThrottle, tx: OrgTx, waitSeconds: number | undefined): Promise<void> {
  const refusal = await tryCountInvite(identity, tx, waitSeconds);
  if (refusal) throw refusal;
}

const unconfirmed = () =>
  forbidden(
    `An organization can send ${MAX_INVITES_BEFORE_CONFIRMATION} invites before an admin has confirmed their e-mail address. Open the link in the e-mail that was sent after the sign-up, or request another one with POST /api/auth/email/resend.`,
    "email_unconfirmed",
  );
const tooManyInvites = (waitSeconds: number) =>
  new ApiError(429, "This e-mail address has got too many invites today. Wait until tomorrow, or give the person the link of the last one.", {
    code: "rate_limited",
    headers: { "Retry-After": String(Math.max(1, Math.ceil(waitSeconds))) },
  });
