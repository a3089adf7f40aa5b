/**
 * Authentication by access tokens: JWTs that identity signs with EdDSA. The caller of a verified token is cached at most until
 * the token expires, since access tokens are never revoked.
 */
import { unauthorized, unavailable } from "@freehold/kit/errors";
import { LRUCache } from "lru-cache";
import type { Principal } from "@freehold/kit/auth/principal";
import type { Role } from "@freehold/contract/roles";
import { createRemoteJWKSet, customFetch, errors, jwtVerify } from "jose";
import type { Upstream } from "./upstream.ts";

export interface Caller {
  principal: Principal & { userId: string; role: Role };
  /** Expiry of the access token, in milliseconds since the epoch. */
  expiresAtMs: number;
  /** Limits of a service key beyond its role; undefined for users. */
  key?: { isReadOnly: boolean; scopes: readonly string[] | undefined };
}

export interface Authenticator {
  /**
   * Returns the caller of an access token; throws 401 when the token is missing, invalid or expired, and 503 while the
   * signing keys cannot be fetched.
   */
  authenticate(token: string | undefined): Promise<Caller>;
}

export const bearerOf = (authorization: string | undefined): string | undefined => /^Bearer ([\w.~+/=-]+)$/i.exec(authorization ?? "")?.[1];

export function authenticator(identity: Upstream, issuer: string): Authenticator {
  const keys = createRemoteJWKSet(new URL("http://identity/.well-known/jwks.json"), {
    cooldownDuration: 5_000,
    cacheMaxAge: 600_000,
    timeoutDuration: 3_000,
    [customFetch]: (url, options) => fetch(new URL(new URL(url).pathname, identity.next().origin), options),
  });
  const callersByToken = new LRUCache<string, Caller>({ max: 50_000 });

  async function verify(token: string): Promise<Caller> {
    try {
      const { payload } = await jwtVerify(token, keys, {
        algorithms: ["EdDSA"],
        typ: "at+jwt",
        issuer,
        audience: "freehold",
        requiredClaims: ["exp", "sub", "organizationId", "role"],
      });
      const claims = payload as typeof payload & {
        organizationId: string;
        role: Role;
        subjectId?: string | null;
        timezone?: string;
        sid?: string;
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
        },
        expiresAtMs: payload.exp! * 1000,
        ...(claims.isReadOnly !== undefined && { key: { isReadOnly: claims.isReadOnly, scopes: claims.scopes } }),
      };
    } catch (error) {
      throw toApiError(error);
    }
  }

  return {
    async authenticate(token) {
      if (!token)
        throw unauthorized("Send an access token as `Authorization: Bearer …`, or on the event stream as `token`. Sign in to get one.", "token_missing");
      let caller = callersByToken.get(token);
      if (!caller) callersByToken.set(token, (caller = await verify(token)));
      if (caller.expiresAtMs > Date.now()) return caller;
      callersByToken.delete(token);
      throw expired();
    },
  };
}

const expired = () => unauthorized("The access token has expired. Refresh it or sign in again.", "token_expired");

function toApiError(error: unknown): Error {
  if (error instanceof errors.JWTExpired) return expired();
  const isKeyServerError =
    !(error instanceof errors.JOSEError) ||
    error instanceof errors.JWKSTimeout ||
    error instanceof errors.JWKSInvalid ||
    // A response other than 200, or without JSON.
    error.code === "ERR_JOSE_GENERIC";
  return isKeyServerError ? unavailable(error) : unauthorized("The access token is not valid. Sign in to get one.", "token_invalid");
}
