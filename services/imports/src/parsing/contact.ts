import { Email } from "@freehold/contract/values";
import { normalizePhone } from "@freehold/domain/phone";
import { type Parsed, problem, value } from "./parsed.ts";

/** Returns the e-mail addresses among names and labels, or the entry itself so that the error can quote it. */
function addressesIn(entry: string): string[] {
  const addresses = entry.split(/[\s<>()]+/).filter((word) => word.includes("@"));
  return addresses.length > 0 ? addresses : [entry];
}

/** Parses the e-mail addresses of a cell in lower case. The first is the value, the others are additional. */
export function parseEmails(text: string): Parsed {
  const addresses = text
    .replaceAll(/\b(?:mailto|e-?mail|work|home|personal|other|primary)\s*:/gi, " ")
    .split(/[,;\n\r|/]/)
    .map((entry) => entry.trim())
    .filter(Boolean)
    .flatMap(addressesIn);
  const invalid = addresses.find((address) => !Email.safeParse(address).success);
  if (invalid !== undefined || addresses.length === 0) return problem(`"${invalid ?? text}" is not an e-mail address.`);
  const [first, ...others] = addresses.map((address) => address.toLowerCase()) as [string, ...string[]];
  return value(first, others);
}

/** Phone number within a text: ten digits grouped as in the United States, or an international number on one line. */
const MAX_CHARACTERS = 500;
const NUMBER = /(?<![\d+])(?:\+?1[ .-]{0,2})?(?:\(\d{3}\)|\d{3})[ .-]{0,2}\d{3}[ .-]{0,2}\d{4}(?!\d)|\+?[\d(][\d ().-]{5,}\d/g;
/** Placeholder number: the same digit ten times. */
const PLACEHOLDER = /^\D*1?\D*(\d)(?:\D*\1){9}\D*$/;

function toE164(text: string): string | undefined {
  try {
    return normalizePhone("phone", text);
  } catch {
    return undefined;
  }
}

/** Parses the phone numbers of a cell without their labels. The first is the value, in E.164; the others are additional, as written. */
export function parsePhones(text: string): Parsed {
  if (text.length > MAX_CHARACTERS) return problem(`The phone numbers have more than ${MAX_CHARACTERS} characters.`);
  const plain = text.replaceAll(/[‐‑–—−]/g, "-").replace(/\.0$/, "");
  const numbers = [...plain.matchAll(NUMBER)].map((match) => match[0].trim());
  if (numbers.length > 0 && numbers.every((number) => PLACEHOLDER.test(number))) return value("");
  const [first, ...others] = numbers;
  const main = first === undefined ? undefined : toE164(first);
  if (main === undefined) return problem(`"${text}" is not a phone number. Use ten digits for the United States, or a plus and the country code.`);
  const extension = /(?:ext\.?|x)\s*(\d{1,6})/i.exec(text)?.[1];
  return value(main, extension ? [...others, `ext. ${extension}`] : others);
}
