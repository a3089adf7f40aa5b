import { Email } from "@freehold/contract/values";
import { normalizePhone } from "@freehold/domain/phone";
import { problem, value, type Parsed } from "./parsed.ts";

/** The addresses among names and labels; where there is none, what somebody took for one. */
function addressesIn(entry: string): string[] {
  const addresses = entry.split(/[\s<>()]+/).filter((word) => word.includes("@"));
  return addresses.length > 0 ? addresses : [entry];
}

/** The e-mail addresses of a cell: the first is the main one, the others are kept beside it. */
export function parseEmails(text: string): Parsed {
  const given = text
    .replaceAll(/\b(?:mailto|e-?mail|work|home|personal|other|primary)\s*:/gi, " ")
    .split(/[,;\n\r|/]/)
    .map((entry) => entry.trim())
    .filter(Boolean)
    .flatMap(addressesIn);
  const wrong = given.find((each) => !Email.safeParse(each).success);
  if (wrong !== undefined || given.length === 0) return problem(`"${wrong ?? text}" is no e-mail address.`);
  const [first, ...others] = given.map((each) => each.toLowerCase()) as [string, ...string[]];
  return value(first, others);
}

/** Ten digits as they are grouped in the United States, or as many as may be a number elsewhere; one ends where its line does. */
const NUMBER = /(?<![\d+])(?:\+?1[ .-]{0,2})?(?:\(\d{3}\)|\d{3})[ .-]{0,2}\d{3}[ .-]{0,2}\d{4}(?!\d)|\+?[\d(][\d ().-]{5,}\d/g;
/** One digit ten times is what people write where a number has to be. */
const PLACEHOLDER = /^\D*1?\D*(\d)(?:\D*\1){9}\D*$/;

function numbered(text: string): string | undefined {
  try {
    return normalizePhone("phone", text);
  } catch {
    return undefined;
  }
}

/** The phone numbers of a cell, labels left out: the first is the main one, in E.164; the others are kept as they were written. */
export function parsePhones(text: string): Parsed {
  const plain = text.replaceAll(/[‐‑–—−]/g, "-").replace(/\.0$/, "");
  const found = [...plain.matchAll(NUMBER)].map((match) => match[0].trim());
  if (found.length > 0 && found.every((number) => PLACEHOLDER.test(number))) return value("");
  const [first, ...others] = found;
  const main = first === undefined ? undefined : numbered(first);
  if (main === undefined) return problem(`"${text}" is no phone number: ten digits in the United States, elsewhere a plus and the country code first.`);
  const extension = /(?:ext\.?|x)\s*(\d{1,6})/i.exec(text)?.[1];
  return value(main, extension ? [...others, `ext. ${extension}`] : others);
}
