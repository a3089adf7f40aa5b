/** `Message-ID`s in headers of e-mails. */
import { storableText } from "./webhook-content.ts";

const MAX_HEADER_LENGTH = 196_608;
const MAX_ID_LENGTH = 255;

/** Returns the message ids in a header. */
export const idsOf = (header: string): string[] =>
  storableText(header)
    .slice(0, MAX_HEADER_LENGTH)
    .split(/[\s,]+/)
    .filter((id) => id.length <= MAX_ID_LENGTH + 2)
    .flatMap((id) => /^<?([^<>\s@]+@[^<>\s@]+)>?$/.exec(id)?.[1] ?? [])
    .map((id) => `<${id}>`);
