import type { User } from "@freehold/contract/people/people";
import { withVersion } from "@freehold/kit/http/etag";
import type { UserRow } from "./users.queries.ts";

/** The user on the wire. */
export const userView = ({ version, smsConsentGranted, smsConsentAt, emailConsentGranted, emailConsentAt, ...row }: UserRow): User =>
  withVersion(
    { ...row, smsConsent: { granted: smsConsentGranted, at: smsConsentAt }, emailConsent: { granted: emailConsentGranted, at: emailConsentAt } },
    version,
  );
