/** Message consents: the user row has the current state, the consent records have the history. */
import { now } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { User } from "../accounts/users/user.entity.ts";
import { ConsentRecord } from "./consent-record.entity.ts";

interface Consents {
  sms?: boolean | undefined;
  email?: boolean | undefined;
}

/** Sets the given consents on the user and records each with time, client address and source. Leaves undefined consents unchanged. */
export function changeConsents(tx: OrgTx, user: User, { sms, email }: Consents, source: string, changedAt = now()): void {
  if (sms !== undefined) tx.assign(user, { smsConsentGranted: sms, smsConsentAt: changedAt });
  if (email !== undefined) tx.assign(user, { emailConsentGranted: email, emailConsentAt: changedAt });
  recordConsents(tx, user.id, { sms, email }, source);
}

/** Changes or removes a user's phone number. Ends the SMS consent, which applies to the old number only; a withdrawal remains. */
export function changePhone(tx: OrgTx, user: User, phone: string | null): void {
  if (phone === user.phone) return;
  if (user.smsConsentGranted) {
    recordConsents(tx, user.id, { sms: false }, "another phone number");
    tx.assign(user, { smsConsentGranted: false, smsConsentAt: null });
  }
  tx.assign(user, { phone });
}

/** Inserts consent records without changing the user row. */
export function recordConsents(tx: OrgTx, userId: string, consents: Consents, source: string): void {
  for (const [channel, isGranted] of Object.entries(consents) as ["sms" | "email", boolean | undefined][]) {
    if (isGranted === undefined) continue;
    tx.create(ConsentRecord, { userId, channel, isGranted, recordedAt: now(), ip: tx.db.request.clientAddress ?? null, source });
  }
}
