/** Signing in with an address and a password. */
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
import { startSession, type SignedIn } from "./tokens/sessions.ts";
import { requestContextOf, type AnonymousCaller } from "./anonymous-caller.ts";

/** Signs in the one user whom address and password match. Why they match nobody is not told, neither by words nor by time. */
export async function login(identity: Identity, request: BodyOf<typeof auth.operations.login>, caller: AnonymousCaller): Promise<SignedIn> {
  const email = request.email.toLowerCase();
  await identity.throttle.countAddress(caller.address);
  const matches = await findMatchingCandidates(identity, email, request.password, await findCandidates(identity.database, email, request.organizationId));
  if (matches.length > 1) throw severalOrganizations(matches);
  const [match] = matches;
  if (!match) throw wrongCredentials();
  return await startCandidateSession(identity, await rehashIfOutdated(identity, match, request.password), caller);
}

/** Who signs in with a password that was hashed at another cost gets it hashed anew, unless it was changed meanwhile. */
async function rehashIfOutdated(identity: Identity, candidate: Candidate, password: string): Promise<Candidate> {
  const { organizationId, userId, passwordHash } = candidate;
  if (!needsRehash(passwordHash)) return candidate;
  const renewed = await identity.hashingQueue(() => hashPassword(password));
  const db = new OrgDb(identity.database, systemPrincipal(organizationId));
  const kept = await db.first(sql`update app_user set password_hash = ${renewed}
    where organization_id = ${organizationId} and id = ${userId} and password_hash = ${passwordHash} returning id`);
  return kept ? { ...candidate, passwordHash: renewed } : candidate;
}

/** The candidates whose password it is. Candidates who share a hash cost one check, and nobody costs one as well. */
export const findMatchingCandidates = (identity: Identity, email: string, password: string, candidates: readonly Candidate[]): Promise<Candidate[]> =>
  identity.hashingQueue(async () => {
    // Asked again once it is our turn: of many guesses sent together only the first few are looked at.
    await identity.throttle.requireAttemptsLeft(email);
    const hashes = new Set(candidates.map(({ passwordHash }) => passwordHash));
    const proven = new Set<string>();
    for (const hash of hashes.size > 0 ? hashes : [DUMMY_HASH]) if (await verifyPassword(password, hash)) proven.add(hash);
    const matches = candidates.filter(({ passwordHash }) => proven.has(passwordHash));
    await (matches.length > 0 ? identity.throttle.resetFailures(email) : identity.throttle.countFailure(email));
    return matches;
  });

/** Begins a session unless the user was deactivated or got another password since it was checked. */
async function startCandidateSession(identity: Identity, { organizationId, userId, passwordHash }: Candidate, caller: AnonymousCaller): Promise<SignedIn> {
  const db = new OrgDb(identity.database, { ...systemPrincipal(organizationId), userId }, requestContextOf(caller));
  return transaction(db, async (tx) => {
    const isStillRight = await tx.first(sql`update app_user set last_login_at = ${now()}
      where organization_id = ${organizationId} and id = ${userId} and password_hash = ${passwordHash} and is_active and deleted_at is null returning id`);
    if (!isStillRight) throw wrongCredentials();
    return await startSession(identity, tx, userId, caller);
  });
}

const wrongCredentials = () => unauthorized("The e-mail address or the password is not right.", "credentials_invalid");

const severalOrganizations = (matches: readonly Candidate[]) =>
  conflict(
    "This e-mail address belongs to several organizations. Say which one in organizationId.",
    "duplicate",
    matches.map(({ organizationId, organizationName }) => ({ path: "organizationId", code: "not_allowed", message: `${organizationName}: ${organizationId}` })),
  );
