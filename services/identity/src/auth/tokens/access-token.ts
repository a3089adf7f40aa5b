import type { User } from "@freehold/contract/people/people";
import { SignJWT } from "jose";
import { newId } from "@freehold/kit/db/entity";
import { subjectTypeOf } from "../../accounts/users/user.rules.ts";
import type { SigningKeys } from "./signing-keys.ts";

export const ACCESS_TOKEN_SECONDS = 900;

/** Claims of a token's grant: the session of a user, or the limits of a service key. `accessVersion` invalidates the token when it is no longer current. */
type GrantClaims = { accessVersion: number } & ({ sid: string } | { isReadOnly: boolean; scopes?: string[] });

export interface AccessTokens {
  /** Issues a signed JWT for a user. Valid for 15 minutes, or until `accessVersion` grows. */
  issue(user: User, timezone: string, claims: GrantClaims, lifetimeSeconds?: number): Promise<string>;
}

/** Creates the issuer of access tokens. */
export const accessTokens = (signingKeys: SigningKeys, issuer: string): AccessTokens => ({
  async issue({ id, organizationId, role, subjectId }, timezone, claims, lifetimeSeconds = ACCESS_TOKEN_SECONDS) {
    const { kid, key } = signingKeys.current();
    return new SignJWT({ organizationId, role, subjectType: subjectTypeOf(role), subjectId, timezone, ...claims })
      .setProtectedHeader({ alg: "EdDSA", typ: "at+jwt", kid })
      .setSubject(id)
      .setIssuer(issuer)
      .setAudience("freehold")
      .setIssuedAt()
      .setExpirationTime(`${lifetimeSeconds}s`)
      .setJti(newId())
      .sign(key);
  },
});
