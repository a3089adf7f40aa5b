/** Sign-in with e-mail address and password. */
import type { auth } from "@freehold/contract/identity/auth";
import type { BodyOf } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { OrgDb } from "@freehold/kit/db/org-db";
import { transaction } from "@freehold/kit/db/transaction";
import { ApiError, conflict, rateLimited, unauthorized } from "@freehold/kit/errors";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { sql } from "@freehold/kit/db/statement";
import type { Identity } from "../context.ts";
import { findCandidates, type Candidate } from "./sign-in-candidates.queries.ts";
import { hashPassword, needsRehash, verifyPassword, DUMMY_HASH } from "./passwords/password.ts";
import type { Device } from "./devices.ts";
import type { Attempt, Throttle } from "./throttle.ts";
import { startSession, type SignedIn } from "./tokens/sessions.ts";
import { requestContextOf, type AnonymousCaller } from "./anonymous-caller.ts";

/**
 * Signs in the user with this e-mail address and password. Throws 401 with the same message and similar timing for an unknown
 * address and a wrong password, 409 when the credentials match several organizations, 429 above the limits of attempts.
 */
export async function login(identity: Identity, request: BodyOf<typeof auth.operations.login>, caller: AnonymousCaller): Promise<SignedIn> {
  const email = request.email.toLowerCase();
  const countClientAttempt = () => identity.throttle.countClientAttempt(caller.clientAddress);
  // A cookie is verified with the candidates' hashes, so that the limit comes after their queries; without a cookie it comes before.
  if (caller.deviceCookie === undefined) await countClientAttempt();
  const candidates = await findCandidates(identity.database, email, request.organizationId);
  const device = identity.devices.verify(caller.deviceCookie, candidates);
  // Anyone can have an account with the address of another, so a device counts instead of the client address only if the account is its own.
  if (device && candidates.every(({ userId }) => userId === device.userId)) await identity.throttle.countDeviceAttempt(device.id);
  else if (caller.deviceCookie !== undefined) await countClientAttempt();
  const matches = await findMatchingCandidates(identity, request.password, candidates, {
    login: email,
    clientAddress: caller.clientAddress,
    device,
    coversAllAccounts: request.organizationId === undefined,
  });
  if (matches.length > 1) throw ambiguousOrganization(matches);
  const [match] = matches;
  if (!match) throw wrongCredentials();
  return await startCandidateSession(identity, await rehashIfOutdated(identity, match, request.password, caller), caller);
}

/** Rehashes a password stored with other cost parameters, unless the password changed in the meantime. */
async function rehashIfOutdated(identity: Identity, candidate: Candidate, password: string, { clientAddress }: AnonymousCaller): Promise<Candidate> {
  const { organizationId, userId, passwordHash } = candidate;
  if (!needsRehash(passwordHash)) return candidate;
  const newHash = await identity.hashingQueue(clientAddress, () => hashPassword(password));
  const db = new OrgDb(identity.database, systemPrincipal(organizationId));
  const updated = await db.first(sql`update app_user set password_hash = ${newHash}
    where organization_id = ${organizationId} and id = ${userId} and password_hash = ${passwordHash} returning id`);
  return updated ? { ...candidate, passwordHash: newHash } : candidate;
}

interface PasswordAttempt {
  login: string;
  clientAddress: string;
  /** Known device from which the password was sent. */
  device: Device | undefined;
  /** True if the candidates are all accounts with the e-mail address. */
  coversAllAccounts: boolean;
}

/**
 * Returns the candidates with this password. The user of a known device has a limit of failures for this device; the other candidates have
 * those of the e-mail address and their accounts, beyond which they are not verified. Throws 429 when no candidate may be verified.
 */
export async function findMatchingCandidates(
  identity: Identity,
  password: string,
  candidates: readonly Candidate[],
  { login, clientAddress, device, coversAllAccounts }: PasswordAttempt,
): Promise<Candidate[]> {
  const [own, others] = [candidates.filter(({ userId }) => userId === device?.userId), candidates.filter(({ userId }) => userId !== device?.userId)];
  const matches = device ? await verifyCandidates(identity, password, own, { login, clientAddress, separateCounter: device.id }) : [];
  if (device && others.length === 0) return matches;
  const counting = { countsFailures: matches.length === 0, resetsFailures: coversAllAccounts && !device };
  const ofOthers = await verifyCandidates(identity, password, others, { login, clientAddress }, counting).catch((error: unknown) => {
    if (device && error instanceof ApiError && error.status === 429) return [];
    throw error;
  });
  return [...matches, ...ofOthers];
}

/**
 * Returns the candidates with this password. Verifies each distinct hash once, each in a turn of its own, or a dummy hash for no candidates.
 * A failure is counted for the e-mail address when none matches, and for each verified account that does not match, also when another one does: the owner
 * of one account could otherwise guess the password of another without a limit. For the same reason a match resets the failures of its own account
 * only, and those of the e-mail address when all match and the candidates are all accounts with it. Accounts without attempts left are not verified;
 * throws 429 when all have none.
 */
export async function verifyCandidates<C extends Pick<Candidate, "passwordHash" | "userId">>(
  identity: Identity,
  password: string,
  candidates: readonly C[],
  attempt: Attempt,
  { countsFailures = true, resetsFailures = true } = {},
): Promise<C[]> {
  const { throttle } = identity;
  const byHash = candidates.length > 0 ? Map.groupBy(candidates, ({ passwordHash }) => passwordHash) : new Map<string, C[]>([[DUMMY_HASH, []]]);
  const unverified = new Set(byHash.keys());
  const matches: C[] = [];
  const waits: number[] = [];
  for (const [hash, sameHash] of byHash)
    // The limits are checked and the result counted in the turn, so that guesses sent in parallel exceed the limit only by those in other turns.
    await identity.hashingQueue(attempt.clientAddress, async () => {
      await throttle.requireAttemptsLeft(attempt);
      const { allowed, waitSeconds } = await withAttemptsLeft(throttle, sameHash, attempt);
      waits.push(...waitSeconds);
      unverified.delete(hash);
      const isMatch = (allowed.length > 0 || candidates.length === 0) && (await verifyPassword(password, hash));
      if (isMatch) matches.push(...allowed);
      if (attempt.separateCounter === undefined)
        for (const { userId } of allowed) await (isMatch ? throttle.resetFailures({ ...attempt, userId }) : throttle.countFailure({ ...attempt, userId }));
      if (unverified.size > 0) return;
      if (matches.length === 0 && countsFailures) await throttle.countFailure(attempt);
      if (matches.length === candidates.length && candidates.length > 0 && resetsFailures) await throttle.resetFailures(attempt);
    });
  if (candidates.length > 0 && waits.length === candidates.length) throw rateLimited(Math.min(...waits));
  return candidates.filter((candidate) => matches.includes(candidate));
}

/**
 * Returns the candidates whose accounts have attempts left, and the seconds to wait for the others. A known device or session has a limit of its own
 * instead.
 */
async function withAttemptsLeft<C extends Pick<Candidate, "userId">>(
  throttle: Throttle,
  candidates: readonly C[],
  attempt: Attempt,
): Promise<{ allowed: readonly C[]; waitSeconds: number[] }> {
  if (attempt.separateCounter !== undefined) return { allowed: candidates, waitSeconds: [] };
  const allowed: C[] = [];
  const waitSeconds: number[] = [];
  for (const candidate of candidates) {
    const seconds = await throttle.secondsToWait({ ...attempt, userId: candidate.userId });
    if (seconds === undefined) allowed.push(candidate);
    else waitSeconds.push(seconds);
  }
  return { allowed, waitSeconds };
}

/** Starts a session. Throws 401 when the user was deactivated or the password changed since the verification. */
async function startCandidateSession(identity: Identity, { organizationId, userId, passwordHash }: Candidate, caller: AnonymousCaller): Promise<SignedIn> {
  const db = new OrgDb(identity.database, { ...systemPrincipal(organizationId), userId }, requestContextOf(caller));
  return transaction(db, async (tx) => {
    const updated = await tx.first(sql`update app_user set last_login_at = ${now()}
      where organization_id = ${organizationId} and id = ${userId} and password_hash = ${passwordHash} and is_active and deleted_at is null returning id`);
    if (!updated) throw wrongCredentials();
    await tx.all(sql`update sign_in_address set signed_in_at = ${now()} where organization_id = ${organizationId} and user_id = ${userId}`);
    return await startSession(identity, tx, userId, caller);
  });
}

const wrongCredentials = () => unauthorized("The e-mail address or the password is wrong. Check both, or reset the password.", "credentials_invalid");

const ambiguousOrganization = (matches: readonly Candidate[]) =>
  conflict(
    "This e-mail address belongs to several organizations. Set organizationId to one of them.",
    "duplicate",
    matches.map(({ organizationId, organizationName }) => ({ path: "organizationId", code: "not_allowed", message: `${organizationName}: ${organizationId}` })),
  );
