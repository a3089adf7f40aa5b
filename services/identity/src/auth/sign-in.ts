/** Sign-in with e-mail address and password. */
import type { auth } from "@freehold/contract/identity/auth";
import type { BodyOf } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { OrgDb } from "@freehold/kit/db/org-db";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict, unauthorized } from "@freehold/kit/errors";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { sql } from "@freehold/kit/db/statement";
import type { Identity } from "../context.ts";
import { findCandidates, type Candidate } from "./sign-in-candidates.queries.ts";
import { hashPassword, needsRehash, verifyPassword, DUMMY_HASH } from "./passwords/password.ts";
import type { Attempt } from "./throttle.ts";
import { startSession, type SignedIn } from "./tokens/sessions.ts";
import { requestContextOf, type AnonymousCaller } from "./anonymous-caller.ts";

/**
 * Signs in the user with this e-mail address and password. Throws 401 with the same message and similar timing for an unknown
 * address and a wrong password, 409 when the credentials match several organizations, 429 above the limits of attempts.
 */
export async function login(identity: Identity, request: BodyOf<typeof auth.operations.login>, caller: AnonymousCaller): Promise<SignedIn> {
  const email = request.email.toLowerCase();
  await identity.throttle.countClientAttempt(caller.address);
  const matches = await findMatchingCandidates(identity, request.password, await findCandidates(identity.database, email, request.organizationId), {
    login: email,
    ...caller,
  });
  if (matches.length > 1) throw ambiguousOrganization(matches);
  const [match] = matches;
  if (!match) throw wrongCredentials();
  return await startCandidateSession(identity, await rehashIfOutdated(identity, match, request.password, caller), caller);
}

/** Rehashes a password stored with other cost parameters, unless the password changed in the meantime. */
async function rehashIfOutdated(identity: Identity, candidate: Candidate, password: string, { address }: AnonymousCaller): Promise<Candidate> {
  const { organizationId, userId, passwordHash } = candidate;
  if (!needsRehash(passwordHash)) return candidate;
  const newHash = await identity.hashingQueue(address, () => hashPassword(password));
  const db = new OrgDb(identity.database, systemPrincipal(organizationId));
  const updated = await db.first(sql`update app_user set password_hash = ${newHash}
    where organization_id = ${organizationId} and id = ${userId} and password_hash = ${passwordHash} returning id`);
  return updated ? { ...candidate, passwordHash: newHash } : candidate;
}

/** Returns the candidates with this password; counts a failure if none match. Verifies each distinct hash once, or a dummy hash for no candidates. */
export function findMatchingCandidates(
  identity: Identity,
  password: string,
  candidates: readonly Candidate[],
  { login, address, deviceId, deviceCookie }: Attempt & { deviceCookie?: string | undefined },
): Promise<Candidate[]> {
  const attempt = { login, address, deviceId: deviceId ?? identity.devices.verify(deviceCookie, candidates) };
  return identity.hashingQueue(address, async () => {
    // Checked after waiting in the queue, so that guesses sent in parallel cannot exceed the limit.
    await identity.throttle.requireAttemptsLeft(attempt);
    const hashes = new Set(candidates.map(({ passwordHash }) => passwordHash));
    const verified = new Set<string>();
    for (const hash of hashes.size > 0 ? hashes : [DUMMY_HASH]) if (await verifyPassword(password, hash)) verified.add(hash);
    const matches = candidates.filter(({ passwordHash }) => verified.has(passwordHash));
    await (matches.length > 0 ? identity.throttle.resetFailures(attempt) : identity.throttle.countFailure(attempt));
    return matches;
  });
}

/** Starts a session. Throws 401 when the user was deactivated or the password changed since the verification. */
async function startCandidateSession(identity: Identity, { organizationId, userId, passwordHash }: Candidate, caller: AnonymousCaller): Promise<SignedIn> {
  const db = new OrgDb(identity.database, { ...systemPrincipal(organizationId), userId }, requestContextOf(caller));
  return transaction(db, async (tx) => {
    const updated = await tx.first(sql`update app_user set last_login_at = ${now()}
      where organization_id = ${organizationId} and id = ${userId} and password_hash = ${passwordHash} and is_active and deleted_at is null returning id`);
    if (!updated) throw wrongCredentials();
    return await startSession(identity, tx, userId, caller);
  });
}

const wrongCredentials = () => unauthorized("The e-mail address or the password is not right.", "credentials_invalid");

const ambiguousOrganization = (matches: readonly Candidate[]) =>
  conflict(
    "This e-mail address belongs to several organizations. Set organizationId to one of them.",
    "duplicate",
    matches.map(({ organizationId, organizationName }) => ({ path: "organizationId", code: "not_allowed", message: `${organizationName}: ${organizationId}` })),
  );
