import type { User } from "@freehold/contract/people/people";
import { withVersion } from "@freehold/kit/http/etag";
import type { UserRow } from "./users.queries.ts";

/** Converts a user row to its API representation. */
export const userView = ({ version, smsConsentGranted, smsConsentAt, emailConsentGranted, emailConsentAt, ...row }: UserRow): User =>
  withVersion(
    { ...row, smsConsent: { granted: smsConsentGranted, at: smsConsentAt }, emailConsent: { granted: emailConsentGranted, at: emailConsentAt } },
    version,
  );
