import type { User } from "@freehold/contract/people/people";
import { SignJWT } from "jose";
import { newId } from "@freehold/kit/db/entity";
import { subjectTypeOf } from "../../accounts/users/user.rules.ts";
import type { SigningKeys } from "./signing-keys.ts";

export const LIFETIME_SECONDS = 900;

/** What a token came of: a signing in, or a service key with what it is limited to. */
type Origin = { sid: string } | { isReadOnly: boolean; scopes?: string[] };

export interface AccessTokens {
  /** A signed statement of who somebody is, good for fifteen minutes and not to be called back. */
  issue(user: User, timezone: string, of: Origin): Promise<string>;
}

export const accessTokens = ({ current }: SigningKeys, issuer: string): AccessTokens => ({
  issue: ({ id, organizationId, role, subjectId }, timezone, of) =>
    new SignJWT({ organizationId, role, subjectType: subjectTypeOf(role), subjectId, timezone, ...of })
      .setProtectedHeader({ alg: "EdDSA", typ: "at+jwt", kid: current.kid })
      .setSubject(id)
      .setIssuer(issuer)
      .setAudience("freehold")
      .setIssuedAt()
      .setExpirationTime(`${LIFETIME_SECONDS}s`)
      .setJti(newId())
      .sign(current.key),
});
