import type { User } from "@freehold/contract/people/people";
import { withVersion } from "@freehold/kit/http/etag";
import type { UserRow } from "./users.queries.ts";

/** Returns the API representation of a user. */
export function userView(row: UserRow): User {
  const { version, accessVersion: _, smsConsentGranted, smsConsentAt, emailConsentGranted, emailConsentAt, ...user } = row;
  return withVersion(
    { ...user, smsConsent: { granted: smsConsentGranted, at: smsConsentAt }, emailConsent: { granted: emailConsentGranted, at: emailConsentAt } },
    version,
  );
}
