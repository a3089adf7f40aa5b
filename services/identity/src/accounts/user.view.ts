import type { User } from "@freehold/contract/people";
import { versioned } from "@freehold/kit/version";
import type { UserRow } from "./users.queries.ts";

/** The user on the wire. */
export const userView = ({ version, smsConsentGranted, smsConsentAt, emailConsentGranted, emailConsentAt, ...row }: UserRow): User =>
  versioned(
    { ...row, smsConsent: { granted: smsConsentGranted, at: smsConsentAt }, emailConsent: { granted: emailConsentGranted, at: emailConsentAt } },
    version,
  );
