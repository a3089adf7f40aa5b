import { Email } from "@freehold/contract/values";
import { phoneNumber } from "@freehold/kit/phone";
import { problem, value, type Parsed } from "./parsed.ts";

/** The e-mail addresses of a cell: the first is the main one, the others are kept beside it. */
export function parseEmails(text: string): Parsed {
  const given = text
    .replaceAll(/\b(?:e-?mail|work|home|personal|other|primary)\s*:/gi, " ")
    .split(/[,;\s<>]+/)
    .filter(Boolean);
  const wrong = given.find((each) => !Email.safeParse(each).success);
  if (wrong !== undefined || given.length === 0) return problem(`"${wrong ?? text}" is no e-mail address.`);
  const [first, ...others] = given.map((each) => each.toLowerCase()) as [string, ...string[]];
  return value(first, others);
}

const NUMBER = /\+?[\d(][\d\s().-]{5,}\d/g;

function numbered(text: string): string | undefined {
  try {
    return phoneNumber("phone", text);
  } catch {
    return undefined;
  }
}

/** The phone numbers of a cell, labels left out: the first is the main one, in E.164; the others are kept as they were written. */
export function parsePhones(text: string): Parsed {
  const found = [...text.matchAll(NUMBER)].map((match) => match[0].trim());
  const [first, ...others] = found;
  const main = first === undefined ? undefined : numbered(first);
  if (main === undefined) return problem(`"${text}" is no phone number: ten digits in the United States, elsewhere a plus and the country code first.`);
  const extension = /(?:ext\.?|x)\s*(\d{1,6})/i.exec(text)?.[1];
  return value(main, extension ? [...others, `ext. ${extension}`] : others);
}
