import { invalid } from "@freehold/kit/errors";
import { parsePhoneNumberFromString } from "libphonenumber-js/min";

/** Returns a phone number in E.164, or throws a 400 that names the field. Numbers of the United States need no country code. */
export function normalizePhone<P extends string | null | undefined>(path: string, phone: P): P | string {
  if (!phone) return phone;
  const parsed = parsePhoneNumberFromString(phone, "US");
  if (parsed?.isPossible()) return parsed.number;
  throw invalid([
    { path, code: "format", message: `${path} must be a phone number: ten digits in the United States, elsewhere a plus and the country code first.` },
  ]);
}
