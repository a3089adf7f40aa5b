/** Detection of the character encoding of a file, and conversion to UTF-8. */
import { UnreadableFileError } from "./unreadable-file.ts";

/** Content of a file, read from the beginning. */
export type Bytes = AsyncIterable<Buffer>;

export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

const HEAD_BYTES = 4_096;
/** Tells whether a byte is a control character other than white space and the end-of-file mark of DOS. */
const isControl = (byte: number): boolean => byte < 9 || (byte > 13 && byte < 32 && byte !== 26) || byte === 127;

/** Throws for the signatures of workbooks, ZIP archives and PDF files. */
function requireNoBinarySignature(head: Buffer): void {
  const startsWith = (text: string) => head.subarray(0, text.length).equals(Buffer.from(text, "latin1"));
  if (startsWith("PK\x03\x04")) throw new UnreadableFileError("This is a ZIP or an Excel workbook. Save the sheet as CSV and send that.");
  if (startsWith("\xd0\xcf\x11\xe0"))
    throw new UnreadableFileError(
      "This is an Excel workbook of an old format, or one with a password. Save it as .xlsx without a password, or the sheet as CSV.",
    );
  if (startsWith("%PDF-")) throw new UnreadableFileError("This is a PDF. Export the report as CSV and send that.");
}

/** Detects UTF-16 by its byte order mark, or by the zero in every other byte of plain text. */
function detectUtf16(head: Buffer): Encoding | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  if (head[0] === 0xfe && head[1] === 0xff) return "utf-16be";
  const pairs = Math.floor(head.length / 2);
  const countZeros = (offset: number) => Array.from({ length: pairs }, (_, index) => head[2 * index + offset]).filter((byte) => byte === 0).length;
  const [even, odd] = [countZeros(0), countZeros(1)];
  if (pairs < 4) return undefined;
  if (odd > 0.7 * pairs && even < 0.05 * pairs) return "utf-16le";
  return even > 0.7 * pairs && odd < 0.05 * pairs ? "utf-16be" : undefined;
}

const binaryFileError = () => new UnreadableFileError("This is not a text file: it contains binary data.");

/** Detects the encoding of a file by reading it once, in constant memory. Throws for files that are not text. */
export async function detectEncoding(bytes: Bytes): Promise<Encoding> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let isUtf8 = true;
  let utf16: Encoding | undefined;
  let length = 0;
  for await (const chunk of bytes) {
    if (length === 0) {
      const head = chunk.subarray(0, HEAD_BYTES);
      requireNoBinarySignature(head);
      utf16 = detectUtf16(head);
    }
    length += chunk.length;
    if (utf16) return utf16;
    if (chunk.includes(0)) throw binaryFileError();
    isUtf8 &&= canDecode(decoder, chunk);
    if (!isUtf8 && chunk.some(isControl)) throw binaryFileError();
  }
  if (length === 0) throw new UnreadableFileError("The file is empty.");
  return isUtf8 && canDecode(decoder) ? "utf-8" : "windows-1252";
}

function canDecode(decoder: TextDecoder, chunk?: Buffer): boolean {
  try {
    decoder.decode(chunk, { stream: chunk !== undefined });
    return true;
  } catch {
    return false;
  }
}

/** Converts the content of a file to UTF-8. */
export async function* toUtf8(bytes: Bytes, encoding: Encoding): AsyncGenerator<Buffer> {
  if (encoding === "utf-8") {
    yield* bytes;
    return;
  }
  const decoder = new TextDecoder(encoding);
  for await (const chunk of bytes) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}
