/** What a template is made of, and how its fields are made harmless before it sees them. */

export interface RenderedMessage {
  /** One line. */
  subject: string;
  text: string;
  html: string;
}

export interface Template {
  /** The fields without which it cannot be written; the rest may be missing or empty. */
  requiredFields: readonly string[];
  render(fields: Readonly<Record<string, string>>): RenderedMessage;
}

const LONGEST_FIELD = 500;
const LONGEST_LINK = 2_000;
/** Line ends and other control characters, and those that turn the direction of writing. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu;

/** A text on one line: it cannot start another header, another paragraph or another direction. */
export const toSingleLine = (text: string): string => text.replace(UNPRINTABLE, " ").replace(/ {2,}/g, " ").trim().slice(0, LONGEST_FIELD);

/** A web address as the URL standard writes it; nothing for any other scheme. */
export function parseWebUrl(text: string): string | undefined {
  const url = URL.parse(text);
  return url && (url.protocol === "https:" || url.protocol === "http:") && url.href.length <= LONGEST_LINK ? url.href : undefined;
}

/** Every web address in a text, in its order. */
export const extractLinks = (text: string): string[] => text.match(/https?:\/\/[^\s<>"]*[^\s<>".,;:!?)]/g) ?? [];
