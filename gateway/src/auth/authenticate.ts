/**
 * Authentication by access tokens: JWTs that identity signs with EdDSA. The caller of a verified token is cached for a minute, at
 * most until the token expires. A token has one spelling, so that its variants neither pass nor fill the cache.
 */
import { unauthorized, unavailable } from "@freehold/kit/errors";
import { LRUCache } from "lru-cache";
import type { Principal } from "@freehold/kit/auth/principal";
import type { Role } from "@freehold/contract/roles";
import { createRemoteJWKSet, customFetch, errors, jwtVerify } from "jose";
import { createHash } from "node:crypto";
import type { Upstream } from "../forwarding/upstream.ts";
import type { TokenChanges } from "./token-changes.ts";
import { clockSkew } from "./clock-skew.ts";

export interface Caller {
  principal: Principal & { userId: string; role: Role };
  /** Expiry of the access token, in milliseconds since the epoch. */
  expiresAtMs: number;
  /** Limits of a service key beyond its role; undefined for users. */
  key?: { isReadOnly: boolean; scopes: readonly string[] | undefined };
}

export interface Authenticator {
  /**
   * Returns the caller of an access token; throws 401 when the token is missing, invalid, expired or no longer current, and 503
   * while the signing keys cannot be fetched, or the clocks of this process and of identity differ by more than the tolerance.
   */
  authenticate(token: string | undefined): Promise<Caller>;
}

export const bearerOf = (authorization: string | undefined): string | undefined => /^Bearer ([\w.~+/=-]+)$/i.exec(authorization ?? "")?.[1];

/** Slightly longer than identity's tokens are valid, so that a stolen key cannot sign one that outlives the key. */
const MAX_TOKEN_AGE_SECONDS = 16 * 60;
/** Maximum difference between the clocks of this process and of identity. */
const CLOCK_TOLERANCE_SECONDS = 120;
/** Time after which the signature of a token is verified again, with the keys that are published then. */
const CALLER_MS = 60_000;
const MAX_TOKEN_CHARACTERS = 4_096;
const KEYS_PATH = "/.well-known/jwks.json";
const TOKEN_PATTERN = /^[\w-]+\.[\w-]+\.([\w-]+)$/;

/** Returns whether a text can be a token: a signed JWT whose signature is in canonical base64url, without unused bits. */
function isWellFormed(token: string): boolean {
  if (token.length > MAX_TOKEN_CHARACTERS) return false;
  const signature = TOKEN_PATTERN.exec(token)?.[1];
  return signature !== undefined && Buffer.from(signature, "base64url").toString("base64url") === signature;
}

export function authenticator(identity: Upstream, issuer: string, tokenChanges: TokenChanges): Authenticator {
  const keys = createRemoteJWKSet(new URL(KEYS_PATH, "http://identity"), {
    cooldownDuration: 5_000,
    cacheMaxAge: 600_000,
    timeoutDuration: 3_000,
    [customFetch]: (url, options) => fetch(new URL(new URL(url).pathname, identity.next().origin), { ...options, redirect: "error" }),
  });
  const readClockSkewMs = clockSkew(identity, KEYS_PATH);
  const callersByDigest = new LRUCache<string, Caller>({ max: 50_000, ttl: CALLER_MS });

  async function verify(token: string): Promise<Caller> {
    try {
      const { payload } = await jwtVerify(token, keys, {
        algorithms: ["EdDSA"],
        typ: "at+jwt",
        issuer,
        audience: "freehold",
        maxTokenAge: MAX_TOKEN_AGE_SECONDS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        requiredClaims: ["exp", "sub", "organizationId", "role"],
      });
      const claims = payload as typeof payload & {
        organizationId: string;
        role: Role;
        subjectId?: string | null;
        timezone?: string;
        sid?: string;
        accessVersion?: number;
        isReadOnly?: boolean;
        scopes?: string[];
      };
      return {
        principal: {
          organizationId: claims.organizationId,
          userId: claims.sub!,
          role: claims.role,
          subjectId: claims.subjectId ?? null,
          timezone: claims.timezone ?? "UTC",
          ...(claims.sid !== undefined && { sessionId: claims.sid }),
          ...(claims.accessVersion !== undefined && { accessVersion: claims.accessVersion }),
          ...(claims.isReadOnly !== undefined && { isServiceKey: true }),
        },
        expiresAtMs: payload.exp! * 1000,
        ...(claims.isReadOnly !== undefined && { key: { isReadOnly: claims.isReadOnly, scopes: claims.scopes } }),
      };
    } catch (error) {
      if (isIssuedInFuture(error)) throw clockOutOfSync();
      if (error instanceof errors.JWTExpired) await requireClockInSync();
      throw toApiError(error);
    }
  }

  /** Throws 503 when a token may only seem to have expired. */
  async function requireClockInSync(): Promise<void> {
    if (Math.abs(await readClockSkewMs()) > CLOCK_TOLERANCE_SECONDS * 1_000) throw clockOutOfSync();
  }

  return {
    async authenticate(token) {
      if (!token)
        throw unauthorized("Send an access token as `Authorization: Bearer …`, or on the event stream as `token`. Sign in to get one.", "token_missing");
      if (!isWellFormed(token)) throw malformed();
      const digest = createHash("sha256").update(token).digest("base64url");
      let caller = callersByDigest.get(digest);
      if (!caller) callersByDigest.set(digest, (caller = await verify(token)));
      if (caller.expiresAtMs <= Date.now()) {
        callersByDigest.delete(digest);
        await requireClockInSync();
        throw expired();
      }
      if (!tokenChanges.isCurrent(caller.principal)) throw outdated();
      return withTimezone(caller, tokenChanges.timezoneOf(caller.principal.organizationId));
    },
  };
}

const withTimezone = (caller: Caller, timezone: string | undefined): Caller =>
  timezone === undefined || timezone === caller.principal.timezone ? caller : { ...caller, principal: { ...caller.principal, timezone } };

const expired = () => unauthorized("The access token has expired. Refresh it or sign in again.", "token_expired");
const malformed = () => unauthorized("The access token is not valid. Sign in to get one.", "token_invalid");
const outdated = () => unauthorized("The access of this user or service key has changed since the token was issued. Sign in again.", "token_expired");

const clockOutOfSync = () => unavailable(new Error("The clocks of this process and of identity differ by more than two minutes."));

/** Returns true for a genuine token that is from the future by the clock of this process, beyond the tolerance. */
const isIssuedInFuture = (error: unknown): boolean =>
  error instanceof errors.JWTClaimValidationFailed && error.claim === "iat" && error.reason === "check_failed";

function toApiError(error: unknown): Error {
  if (error instanceof errors.JWTExpired) return expired();
  const isKeyServerError =
    !(error instanceof errors.JOSEError) ||
    error instanceof errors.JWKSTimeout ||
    error instanceof errors.JWKSInvalid ||
    // A response other than 200, or without JSON.
    error.code === "ERR_JOSE_GENERIC";
  return isKeyServerError ? unavailable(error) : malformed();
}
