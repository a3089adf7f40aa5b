/** What people agreed to: the user says what holds, the records say how it came to that. */
import { now } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { User } from "../accounts/users/user.entity.ts";
import { ConsentRecord } from "./consent-record.entity.ts";

interface Consents {
  sms?: boolean | undefined;
  email?: boolean | undefined;
}

/** Notes each consent that was given or taken back with instant, address and source. Those not mentioned stay as they are. */
export function changeConsents(tx: OrgTx, user: User, { sms, email }: Consents, source: string): void {
  const at = now();
  if (sms !== undefined) tx.assign(user, { smsConsentGranted: sms, smsConsentAt: at });
  if (email !== undefined) tx.assign(user, { emailConsentGranted: email, emailConsentAt: at });
  recordConsents(tx, user.id, { sms, email }, source);
}

/** Gives a user another number, or none. Consent was given for a number, not for a person, so it ends with the number. */
export function changePhone(tx: OrgTx, user: User, phone: string | null): void {
  if (phone === user.phone) return;
  if (user.smsConsentGranted) recordConsents(tx, user.id, { sms: false }, "another phone number");
  tx.assign(user, { phone, smsConsentGranted: false, smsConsentAt: null });
}

/** The proof alone, where the user says already what holds. */
export function recordConsents(tx: OrgTx, userId: string, consents: Consents, source: string): void {
  for (const [channel, isGranted] of Object.entries(consents) as ["sms" | "email", boolean | undefined][]) {
    if (isGranted === undefined) continue;
    tx.create(ConsentRecord, { userId, channel, isGranted, recordedAt: now(), ip: tx.db.request.clientAddress ?? null, source });
  }
}
