import { invalid } from "@freehold/kit/errors";
import { parsePhoneNumberFromString } from "libphonenumber-js/min";

/** Returns a phone number in E.164, or undefined for a text that is none. Numbers of the United States need no country code. */
export function toE164(phone: string): string | undefined {
  const parsed = parsePhoneNumberFromString(phone, "US");
  return parsed?.isPossible() ? parsed.number : undefined;
}

/**
 * Returns a phone number in E.164, or throws 400 with an error at the path. Numbers of the United States need no country code. Null,
 * undefined and the empty text are returned unchanged.
 */
export function normalizePhone<P extends string | null | undefined>(path: string, phone: P): P | string {
  if (!phone) return phone;
  const number = toE164(phone);
  if (number !== undefined) return number;
  throw invalid([
    { path, code: "format", message: `${path} must be a phone number: ten digits in the United States, otherwise starting with + and the country code.` },
  ]);
}
