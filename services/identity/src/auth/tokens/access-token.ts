import type { User } from "@freehold/contract/people/people";
import { SignJWT } from "jose";
import { newId } from "@freehold/kit/db/entity";
import { subjectTypeOf } from "../../accounts/users/user.rules.ts";
import type { SigningKeys } from "./signing-keys.ts";

export const ACCESS_TOKEN_SECONDS = 900;

/** Claims of a token's grant: the session of a user, or the limits of a service key. */
type GrantClaims = { sid: string } | { isReadOnly: boolean; scopes?: string[] };

export interface AccessTokens {
  /** Issues a signed JWT for a user. Valid for 15 minutes; cannot be revoked. */
  issue(user: User, timezone: string, claims: GrantClaims): Promise<string>;
}

/** Creates the issuer of access tokens. */
export const accessTokens = ({ current }: SigningKeys, issuer: string): AccessTokens => ({
  issue: ({ id, organizationId, role, subjectId }, timezone, claims) =>
    new SignJWT({ organizationId, role, subjectType: subjectTypeOf(role), subjectId, timezone, ...claims })
      .setProtectedHeader({ alg: "EdDSA", typ: "at+jwt", kid: current.kid })
      .setSubject(id)
      .setIssuer(issuer)
      .setAudience("freehold")
      .setIssuedAt()
      .setExpirationTime(`${ACCESS_TOKEN_SECONDS}s`)
      .setJti(newId())
      .sign(current.key),
});
