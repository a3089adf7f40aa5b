/** Mailed links: handing them out, and using them up. */
import { now } from "@freehold/kit/time/clock";
import { OrgDb } from "@freehold/kit/db/org-db";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { conflict, invalid } from "@freehold/kit/errors";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { sql } from "@freehold/kit/db/statement";
import { sendInviteEmail } from "../accounts/invites/invite-email.ts";
import { User } from "../accounts/users/user.entity.ts";
import type { Candidate } from "../auth/sign-in-candidates.queries.ts";
import { requestContextOf, type AnonymousCaller } from "../auth/anonymous-caller.ts";
import type { Identity } from "../context.ts";
import { newOneTimeToken, readOneTimeToken } from "./one-time-token.ts";
import { OneTimeToken, type Purpose } from "./one-time-token.entity.ts";

const MINUTE_MS = 60_000;
const kinds = {
  password_reset: { livesMs: 60 * MINUTE_MS, path: "password-reset", template: "password-reset" },
  email_confirmation: { livesMs: 24 * 60 * MINUTE_MS, path: "email-confirmation", template: "email-confirmation" },
} as const satisfies Record<Purpose, { livesMs: number; path: string; template: string }>;

type Addressee = Pick<Candidate, "organizationId" | "organizationName" | "userId" | "email" | "fullName">;

/** Keeps a token for a user and mails its link; the user's tokens that have run out are forgotten. */
export async function mailLink(identity: Identity, purpose: Purpose, { organizationId, organizationName, userId, email, fullName }: Addressee): Promise<void> {
  const { livesMs, path, template } = kinds[purpose];
  const db = new OrgDb(identity.database, systemPrincipal(organizationId));
  const { token, tokenHash } = newOneTimeToken(organizationId);
  const expiresAt = new Date(now().getTime() + livesMs);
  await transaction(db, async (tx) => {
    await tx.all(sql`delete from one_time_token where organization_id = ${organizationId} and user_id = ${userId} and expires_at < ${now()}`);
    tx.create(OneTimeToken, { userId, purpose, tokenHash, expiresAt, usedAt: null });
  });
  const fields = { organizationName, fullName, link: identity.link(`/${path}/${token}`), expiresAt: expiresAt.toISOString() };
  await sendInviteEmail(identity.clients.communications, db, identity.log, { messageId: newId(), to: email, template, fields });
}

/** Whom a presented token stands for, and their organization. */
export interface OpenedLink {
  db: OrgDb;
  userId: string;
  email: string;
  tokenHash: string;
}

/** The user a token was mailed to: 400 when it is none that is good for this, 409 when it was used. */
export async function openLink(identity: Identity, purpose: Purpose, token: string, caller: AnonymousCaller): Promise<OpenedLink> {
  const presented = readOneTimeToken(token);
  if (!presented) throw noSuchLink();
  const { organizationId, tokenHash } = presented;
  const db = new OrgDb(identity.database, systemPrincipal(organizationId), requestContextOf(caller));
  const found = await db.first(sql<{ userId: string; email: string; isUsed: boolean }>`select u.id as user_id, u.email, t.used_at is not null as is_used
    from one_time_token t join app_user u on u.organization_id = t.organization_id and u.id = t.user_id and u.is_active and u.deleted_at is null
    where t.organization_id = ${organizationId} and t.token_hash = ${tokenHash} and t.purpose = ${purpose} and t.expires_at > ${now()}`);
  if (!found) throw noSuchLink();
  if (found.isUsed) throw alreadyUsed();
  const { userId, email } = found;
  return { db: new OrgDb(identity.database, { ...db.principal, userId }, db.request), userId, email, tokenHash };
}

/** Uses a token up and answers its user, locked; of several who present it together the first does. */
export async function consumeLink(tx: OrgTx, { userId, tokenHash }: OpenedLink): Promise<User> {
  // The user before the token, so that two tokens of one user cannot block each other.
  const user = await tx.getForUpdate(User, userId, "User", { isActive: true, deletedAt: null });
  const used = await tx.first(sql`update one_time_token set used_at = ${now()}, updated_at = ${now()}, version = version + 1
    where organization_id = ${tx.organizationId} and token_hash = ${tokenHash} and used_at is null and expires_at > ${now()} returning id`);
  if (!used) throw alreadyUsed();
  return user;
}

const noSuchLink = () => invalid([{ path: "token", code: "not_found", message: "This link has run out or was never sent. Ask for a new one." }]);
const alreadyUsed = () => conflict("This link has already been used. Ask for a new one if you need it.", "invalid_transition");
