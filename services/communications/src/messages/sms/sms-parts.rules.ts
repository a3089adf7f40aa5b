/** Parts in which long text messages are sent. */

/** Maximum length of a text message that the provider takes. */
const MAX_LENGTH = 1_600;
/** Room for the number of a part, such as `(2/3) `. */
const NUMBER_LENGTH = 10;

/** Returns the parts in which a text is sent: divided after white space where possible, and numbered if there are several. */
export function splitSms(text: string): string[] {
  if (text.length <= MAX_LENGTH) return [text];
  const parts: string[] = [];
  for (let rest = text.trim(); rest !== "";) {
    const length = lengthOfPart(rest);
    parts.push(rest.slice(0, length).trimEnd());
    rest = rest.slice(length).trimStart();
  }
  return parts.map((part, index) => `(${index + 1}/${parts.length}) ${part}`);
}

/** Returns the length of the first part: up to the last white space in its second half, else as long as it may be without dividing a character. */
function lengthOfPart(text: string): number {
  const limit = MAX_LENGTH - NUMBER_LENGTH;
  if (text.length <= limit) return text.length;
  const space = Math.max(text.lastIndexOf(" ", limit), text.lastIndexOf("\n", limit));
  if (space >= limit / 2) return space;
  return text.slice(0, limit).isWellFormed() ? limit : limit - 1;
}
