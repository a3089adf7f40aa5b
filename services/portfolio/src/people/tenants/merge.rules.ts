/** Rules for merging the fields of two tenants. */
import type { Tenant } from "./tenant.entity.ts";

const contactFields = [
  "firstName",
  "lastName",
  "companyName",
  "email",
  "phone",
  "alternatePhone",
  "dateOfBirth",
  "emergencyContact",
  "mailingAddress",
] as const;
const consentFields = ["smsConsentGranted", "smsConsentAt", "smsConsentSource"] as const;

type MergeableFields = Pick<Tenant, (typeof contactFields)[number] | (typeof consentFields)[number]>;

/**
 * Returns the fields that are empty in the survivor and set in the duplicate. Consent to text messages belongs to a phone
 * number, so it is copied only together with, or for the same, number; of two decisions the later one counts.
 */
export function fillMissingFields(survivor: MergeableFields, duplicate: MergeableFields): Partial<MergeableFields> {
  const isEmpty = (value: unknown) => value === null || value === undefined;
  const hasSamePhone = !isEmpty(duplicate.phone) && (isEmpty(survivor.phone) || survivor.phone === duplicate.phone);
  const isLater = isEmpty(survivor.smsConsentAt) || (!isEmpty(duplicate.smsConsentAt) && duplicate.smsConsentAt! > survivor.smsConsentAt!);
  const copiesConsent = hasSamePhone && (isEmpty(survivor.phone) || isLater);
  const fields = [...contactFields.filter((field) => isEmpty(survivor[field]) && !isEmpty(duplicate[field])), ...(copiesConsent ? consentFields : [])];
  return Object.fromEntries(fields.map((field) => [field, duplicate[field]])) as Partial<MergeableFields>;
}
