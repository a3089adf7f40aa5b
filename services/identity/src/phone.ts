import { invalid } from "@freehold/kit/errors";
import { parsePhoneNumberFromString } from "libphonenumber-js/min";

/** The number in E.164. US numbers may come without a country code, others need a leading `+`; anything else is a 400 that names the field. */
export function e164(phone: string, path = "phone"): string {
  const number = parsePhoneNumberFromString(phone, "US");
  if (number?.isValid()) return number.number;
  throw invalid([{ path, code: "format", message: `${path} must be a phone number, such as (212) 555-0123 or +44 20 7946 0123.` }]);
}
