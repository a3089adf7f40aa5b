import type { auth } from "@freehold/contract/identity/auth";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { conflict } from "@freehold/kit/errors";

export type InviteView = Output<typeof auth.operations.getInvite>["invite"];
/** Request body of an acceptance, with the phone number in E.164. */
export type Acceptance = BodyOf<typeof auth.operations.acceptInvite>;

export const alreadyAccepted = () => conflict("This invite has already been accepted. Sign in instead.", "invalid_transition");

/** Returns the column values of a user who accepts an invite. Confirms the e-mail address, since the invite was sent to it. */
export function acceptedUser({ fullName, phone, smsConsent }: Acceptance, passwordHash: string) {
  const at = now();
  return {
    passwordHash,
    emailConfirmedAt: at,
    lastLoginAt: at,
    ...(fullName !== undefined && { fullName }),
    ...(phone !== undefined && { phone }),
    ...(smsConsent !== undefined && { smsConsentGranted: smsConsent, smsConsentAt: at }),
  };
}
