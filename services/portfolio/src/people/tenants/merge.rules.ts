/** What the one record left of a person takes over from the other. */
import type { Tenant } from "./tenant.entity.ts";

const particulars = ["firstName", "lastName", "companyName", "email", "phone", "alternatePhone", "dateOfBirth", "emergencyContact", "mailingAddress"] as const;
const consent = ["smsConsentGranted", "smsConsentAt"] as const;

type Particulars = Pick<Tenant, (typeof particulars)[number] | (typeof consent)[number]>;

/** What a survivor left empty and its duplicate did not. Whether text messages may be sent is said of a phone number and goes with it. */
export function fillMissingFields(survivor: Particulars, duplicate: Particulars): Partial<Particulars> {
  const isEmpty = (value: unknown) => value === null || value === undefined;
  const isOfItsNumber = !isEmpty(duplicate.phone) && (isEmpty(survivor.phone) || survivor.phone === duplicate.phone);
  const takesConsent = isOfItsNumber && (isEmpty(survivor.phone) || isEmpty(survivor.smsConsentAt));
  const names = [...particulars.filter((name) => isEmpty(survivor[name]) && !isEmpty(duplicate[name])), ...(takesConsent ? consent : [])];
  return Object.fromEntries(names.map((name) => [name, duplicate[name]])) as Partial<Particulars>;
}
