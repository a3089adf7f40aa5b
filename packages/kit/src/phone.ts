import { invalid } from "./errors.ts";
import { parsePhoneNumberFromString } from "libphonenumber-js/min";

/** A phone number in E.164. A number of the United States needs no country code, any other a leading plus. */
export function phoneNumber<P extends string | null | undefined>(path: string, phone: P): P | string {
  if (!phone) return phone;
  const parsed = parsePhoneNumberFromString(phone, "US");
  if (parsed?.isPossible()) return parsed.number;
  throw invalid([
    { path, code: "format", message: `${path} must be a phone number: ten digits in the United States, elsewhere a plus and the country code first.` },
  ]);
}
