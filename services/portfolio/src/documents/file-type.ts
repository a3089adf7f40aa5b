/** What a file is, from its bytes: one of the types that are taken, or none. */
import { ApiError } from "@freehold/kit/errors";
import { fileTypeFromFile } from "file-type";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { extensionOf, isMarkup, acceptedTypes } from "./file-type.rules.ts";

const HEAD_BYTES = 4_096;

const unsupported = (is: string) =>
  new ApiError(400, `${is} Send a PDF, a picture, a Word, Excel or PowerPoint file, or plain text in UTF-8.`, { code: "unsupported_file" });

/** The type of a file on the disk, by its bytes alone; a 400 for what is not taken. */
export async function detectFileType(path: string, fileName: string): Promise<string> {
  const head = await headOf(path);
  if (head.length === 0) throw unsupported("The file is empty.");
  if (isMarkup(head)) throw unsupported("The file holds what a browser takes for a page.");
  const found = await fileTypeFromFile(path);
  if (found) {
    if (found.mime in acceptedTypes) return found.mime;
    throw unsupported(`The file is of the type ${found.mime}.`);
  }
  if (await isText(path)) return extensionOf(fileName) === "csv" ? "text/csv" : "text/plain";
  throw unsupported("The file is of no type that is known here.");
}

async function headOf(path: string): Promise<Buffer> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Whether all of it is UTF-8 without characters that no text has. */
async function isText(path: string): Promise<boolean> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  const control = /[\0-\x08\x0e-\x1f]/;
  try {
    for await (const chunk of createReadStream(path)) if (control.test(decoder.decode(chunk as Buffer, { stream: true }))) return false;
    decoder.decode();
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
