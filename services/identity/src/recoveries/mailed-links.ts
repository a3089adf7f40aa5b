/** E-mailed single-use links: creation and consumption. */
import { now } from "@freehold/kit/time/clock";
import { OrgDb } from "@freehold/kit/db/org-db";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { conflict, invalid } from "@freehold/kit/errors";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { sql } from "@freehold/kit/db/statement";
import { sendEmail } from "../send-email.ts";
import { User } from "../accounts/users/user.entity.ts";
import type { Candidate } from "../auth/sign-in-candidates.queries.ts";
import { requestContextOf, type AnonymousCaller } from "../auth/anonymous-caller.ts";
import type { Identity } from "../context.ts";
import { newOneTimeToken, parseOneTimeToken } from "./one-time-token.ts";
import { OneTimeToken, type Purpose } from "./one-time-token.entity.ts";

const MINUTE_MS = 60_000;
const linkTypes = {
  password_reset: { lifetimeMs: 60 * MINUTE_MS, path: "password-reset", template: "password-reset" },
  email_confirmation: { lifetimeMs: 24 * 60 * MINUTE_MS, path: "email-confirmation", template: "email-confirmation" },
} as const satisfies Record<Purpose, { lifetimeMs: number; path: string; template: string }>;

type Recipient = Pick<Candidate, "organizationId" | "organizationName" | "userId" | "email" | "fullName">;

/** Stores a token for a user, deletes the user's expired tokens and e-mails the link. */
export async function mailLink(identity: Identity, purpose: Purpose, { organizationId, organizationName, userId, email, fullName }: Recipient): Promise<void> {
  const { lifetimeMs, path, template } = linkTypes[purpose];
  const db = new OrgDb(identity.database, systemPrincipal(organizationId));
  const { token, tokenHash } = newOneTimeToken(organizationId);
  const expiresAt = new Date(now().getTime() + lifetimeMs);
  await transaction(db, async (tx) => {
    await tx.all(sql`delete from one_time_token where organization_id = ${organizationId} and user_id = ${userId} and expires_at < ${now()}`);
    tx.create(OneTimeToken, { userId, purpose, tokenHash, expiresAt, usedAt: null });
  });
  const fields = { organizationName, fullName, link: identity.link(`/${path}/${token}`), expiresAt: expiresAt.toISOString() };
  await sendEmail(identity.clients.communications, db, identity.log, { messageId: newId(), to: email, template, fields });
}

/** Unused link of an active user, with a database in the scope of the user's organization. */
export interface MailedLink {
  db: OrgDb;
  userId: string;
  email: string;
  tokenHash: string;
}

/** Returns the link of a token. Throws 400 when no unexpired token of the purpose matches, 409 when the token was used. */
export async function getLink(identity: Identity, purpose: Purpose, token: string, caller: AnonymousCaller): Promise<MailedLink> {
  const presented = parseOneTimeToken(token);
  if (!presented) throw invalidLink();
  const { organizationId, tokenHash } = presented;
  const db = new OrgDb(identity.database, systemPrincipal(organizationId), requestContextOf(caller));
  const row = await db.first(sql<{ userId: string; email: string; isUsed: boolean }>`select u.id as user_id, u.email, t.used_at is not null as is_used
    from one_time_token t join app_user u on u.organization_id = t.organization_id and u.id = t.user_id and u.is_active and u.deleted_at is null
    where t.organization_id = ${organizationId} and t.token_hash = ${tokenHash} and t.purpose = ${purpose} and t.expires_at > ${now()}`);
  if (!row) throw invalidLink();
  if (row.isUsed) throw alreadyUsed();
  const { userId, email } = row;
  return { db: new OrgDb(identity.database, { ...db.principal, userId }, db.request), userId, email, tokenHash };
}

/** Marks a token as used and returns the locked user. Throws 409 when the token was used, also by a concurrent request. */
export async function consumeLink(tx: OrgTx, { userId, tokenHash }: MailedLink): Promise<User> {
  // Locks the user before the token, so that two tokens of one user cannot deadlock.
  const user = await tx.getForUpdate(User, userId, "User", { isActive: true, deletedAt: null });
  const consumed = await tx.first(sql`update one_time_token set used_at = ${now()}, updated_at = ${now()}, version = version + 1
    where organization_id = ${tx.organizationId} and token_hash = ${tokenHash} and used_at is null and expires_at > ${now()} returning id`);
  if (!consumed) throw alreadyUsed();
  return user;
}

/** Invalidates the unused links of a locked user, of either purpose, since each signs in. Runs when the password changes. */
export async function invalidateLinks(tx: OrgTx, userId: string): Promise<void> {
  await tx.all(sql`update one_time_token set used_at = ${now()}, updated_at = ${now()}, version = version + 1
    where organization_id = ${tx.organizationId} and user_id = ${userId} and used_at is null`);
}

const invalidLink = () => invalid([{ path: "token", code: "not_found", message: "This link is invalid or has expired. Request a new one." }]);
const alreadyUsed = () => conflict("This link has already been used. Request a new one if you need it.", "invalid_transition");
