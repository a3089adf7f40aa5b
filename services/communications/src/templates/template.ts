/** Type of a message template, and the sanitization of its fields. */
import { truncate } from "@freehold/kit/truncate";

/** Subject and body of a message in text and HTML. */
export interface RenderedMessage {
  /** Single line. */
  subject: string;
  text: string;
  html: string;
}

/** Message template. */
export interface Template {
  /** Fields that must not be empty. All others are optional. */
  requiredFields: readonly string[];
  render(fields: Readonly<Record<string, string>>): RenderedMessage;
}

const MAX_FIELD_LENGTH = 500;
const MAX_LINK_LENGTH = 2_000;
/** Control characters, line separators and characters that change the direction of writing. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu;
/** Characters without a width that could hide or split parts of a text. Joiners of scripts and emoji remain. */
const INVISIBLE = /[\u061C\u180E\u200B\u200E\u200F\u2060-\u2064\uFEFF]+/gu;
/** Characters in the middle of a web or e-mail address: the dot, also in its other forms, the at sign, and the colon before slashes. */
const ADDRESS_PUNCTUATION = /[.\u3002\uFF0E\uFF61@\uFF20](?=\S)|:(?=\/\/)/gu;
const WORD_JOINER = "\u2060";

/** Returns the text on a single line and at most 500 characters long, so that it cannot inject a header or a paragraph. */
export const toSingleLine = (text: string): string =>
  truncate(text.replace(UNPRINTABLE, " ").replace(INVISIBLE, "").replace(/ {2,}/g, " ").trim(), MAX_FIELD_LENGTH);

/** Returns a text of a user so that no mail client shows a part of it as a link: an invisible word joiner follows each dot, at sign and colon of an address. */
export const unlinked = (text: string): string => text.replace(ADDRESS_PUNCTUATION, (punctuation) => punctuation + WORD_JOINER);

/** Returns a message as a text message: its subject, and its link if it has one. */
export function smsText({ subject }: Pick<RenderedMessage, "subject">, link = ""): string {
  const url = parseWebUrl(link);
  return url === undefined ? subject : `${subject}: ${url}`;
}

/** Returns the normalized URL, or undefined unless the text is an HTTP or HTTPS URL of at most 2,000 characters. */
export function parseWebUrl(text: string): string | undefined {
  const url = URL.parse(text);
  return url && (url.protocol === "https:" || url.protocol === "http:") && url.href.length <= MAX_LINK_LENGTH ? url.href : undefined;
}

/** Returns the HTTP and HTTPS URLs in a text, in order. */
export const extractLinks = (text: string): string[] => text.match(/https?:\/\/[^\s<>"]*[^\s<>".,;:!?)]/g) ?? [];
