/** Reading of uploaded bank statements: their encoding and format are detected by their content. */
import { readFile } from "node:fs/promises";
import { readCsvStatement } from "./csv-statement.ts";
import { readOfxStatement } from "./ofx-statement.ts";
import { unreadable, type ReadStatement } from "./statement.ts";

/** Reads a bank statement of the account whose number ends with a mask. Throws a 400 for a file that cannot be read, and for one of another account or currency. */
export async function readStatement(path: string, accountMask: string): Promise<ReadStatement> {
  const text = decode(await readFile(path));
  if (text.trim() === "") throw unreadable("The file is empty.");
  return isOfx(text) ? readOfxStatement(text, accountMask) : readCsvStatement(text, accountMask);
}

/** Returns the text of a file in UTF-8, UTF-16 with a byte order mark, or Windows-1252. Throws for a file with binary data. */
function decode(bytes: Buffer): string {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const encodings = isUtf16 ? [bytes[0] === 0xff ? "utf-16le" : "utf-16be"] : ["utf-8", "windows-1252"];
  for (const encoding of encodings) {
    const text = decodeAs(bytes, encoding);
    if (text?.includes("\0")) break;
    if (text !== undefined) return text;
  }
  throw unreadable("The file is not a text file. Download the statement as CSV, OFX or QFX.");
}

function decodeAs(bytes: Buffer, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const isOfx = (text: string): boolean => /^\s*(OFXHEADER:|<\?xml\b|<\?OFX\b|<OFX>)/i.test(text.slice(0, 1_000));
