/** Type of a message template, and the sanitization of its fields. */

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

/** Returns the text on a single line and at most 500 characters long, so that it cannot inject a header or a paragraph. */
export const toSingleLine = (text: string): string => text.replace(UNPRINTABLE, " ").replace(/ {2,}/g, " ").trim().slice(0, MAX_FIELD_LENGTH);

/** Returns the normalized URL, or undefined unless the text is an HTTP or HTTPS URL of at most 2,000 characters. */
export function parseWebUrl(text: string): string | undefined {
  const url = URL.parse(text);
  return url && (url.protocol === "https:" || url.protocol === "http:") && url.href.length <= MAX_LINK_LENGTH ? url.href : undefined;
}

/** Returns the HTTP and HTTPS URLs in a text, in order. */
export const extractLinks = (text: string): string[] => text.match(/https?:\/\/[^\s<>"]*[^\s<>".,;:!?)]/g) ?? [];
