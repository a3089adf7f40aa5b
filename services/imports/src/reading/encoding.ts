/** How the bytes of a file are to be read as text, found from the bytes alone. */
import { Unreadable } from "./unreadable-file.ts";

/** The bytes of a file, from the beginning. */
export type Bytes = AsyncIterable<Buffer>;

export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

const HEAD_BYTES = 4_096;
/** What no text has: control characters besides tab, line ends and form feed. */
const isControl = (byte: number): boolean => byte < 9 || (byte > 13 && byte < 32 && byte !== 26) || byte === 127;

function known(head: Buffer): void {
  const begins = (text: string) => head.subarray(0, text.length).equals(Buffer.from(text, "latin1"));
  if (begins("PK\x03\x04")) throw new Unreadable("This is a ZIP or an Excel workbook under another name. Save the sheet as CSV and send that.");
  if (begins("\xd0\xcf\x11\xe0")) throw new Unreadable("This is an Excel workbook. Save the sheet as CSV and send that.");
  if (begins("%PDF-")) throw new Unreadable("This is a PDF. Export the report as CSV and send that.");
}

/** UTF-16 has a mark at its beginning, or every other byte of plain text empty. */
function wide(head: Buffer): Encoding | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  if (head[0] === 0xfe && head[1] === 0xff) return "utf-16be";
  const pairs = Math.floor(head.length / 2);
  const zerosAt = (offset: number) => Array.from({ length: pairs }, (_, at) => head[2 * at + offset]).filter((byte) => byte === 0).length;
  const [even, odd] = [zerosAt(0), zerosAt(1)];
  if (pairs < 4) return undefined;
  if (odd > 0.7 * pairs && even < 0.05 * pairs) return "utf-16le";
  return even > 0.7 * pairs && odd < 0.05 * pairs ? "utf-16be" : undefined;
}

/** The encoding of a file; what is no text is refused. Reads it once, and keeps nothing of it. */
export async function findEncoding(bytes: Bytes): Promise<Encoding> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let isUtf8 = true;
  let found: Encoding | undefined;
  let length = 0;
  for await (const chunk of bytes) {
    if (length === 0) {
      const head = chunk.subarray(0, HEAD_BYTES);
      known(head);
      found = wide(head);
    }
    length += chunk.length;
    if (found) return found;
    if (chunk.includes(0)) throw new Unreadable("This is no text: it holds bytes that no CSV has.");
    isUtf8 &&= decodes(decoder, chunk);
    if (!isUtf8 && chunk.some(isControl)) throw new Unreadable("This is no text: it holds bytes that no CSV has.");
  }
  if (length === 0) throw new Unreadable("The file is empty.");
  return isUtf8 && decodes(decoder) ? "utf-8" : "windows-1252";
}

function decodes(decoder: TextDecoder, chunk?: Buffer): boolean {
  try {
    decoder.decode(chunk, { stream: chunk !== undefined });
    return true;
  } catch {
    return false;
  }
}

/** The bytes of a file as UTF-8, whatever they were. */
export async function* utf8Of(bytes: Bytes, encoding: Encoding): AsyncGenerator<Buffer> {
  if (encoding === "utf-8") {
    yield* bytes;
    return;
  }
  const decoder = new TextDecoder(encoding);
  for await (const chunk of bytes) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}
