import type { auth } from "@freehold/contract/identity/auth";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { conflict } from "@freehold/kit/errors";
import { orUndefinedIfUnavailable } from "@freehold/kit/rpc/optional-calls";
import type { Clients } from "../../clients.ts";
import { hasStoppedSms } from "../../me/sms-opt-outs.ts";

export type InviteView = Output<typeof auth.operations.getInvite>["invite"];
/** Request body of an acceptance, with the phone number in E.164. */
export type Acceptance = BodyOf<typeof auth.operations.acceptInvite>;

export const alreadyAccepted = () => conflict("This invite has already been accepted. Sign in instead.", "invalid_transition");

/** Returns the acceptance without consent to text messages to a phone number that has stopped them with STOP. */
export async function withoutStoppedConsent(db: OrgDb, clients: Clients, { smsConsent, ...acceptance }: Acceptance): Promise<Acceptance> {
  if (smsConsent === undefined) return acceptance;
  const isStopped = smsConsent && acceptance.phone !== undefined && (await orUndefinedIfUnavailable(hasStoppedSms(db, clients, acceptance.phone)));
  return isStopped ? acceptance : { ...acceptance, smsConsent };
}

/** Returns the column values of a user who accepts an invite. The acceptance confirms the e-mail address, also of an invite sent by text message only. */
export function acceptanceColumns({ fullName, phone, smsConsent }: Acceptance, passwordHash: string) {
  const acceptedAt = now();
  return {
    passwordHash,
    emailConfirmedAt: acceptedAt,
    lastLoginAt: acceptedAt,
    ...(fullName !== undefined && { fullName }),
    ...(phone !== undefined && { phone }),
    ...(smsConsent !== undefined && { smsConsentGranted: smsConsent, smsConsentAt: acceptedAt }),
  };
}
