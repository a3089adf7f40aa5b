/** Detection of a file's content type from its bytes. */
import { ApiError } from "@freehold/kit/errors";
import { fileTypeFromFile } from "file-type";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { extensionOf, isMarkup, acceptedTypes } from "./file-type.rules.ts";

const HEAD_BYTES = 4_096;

const unsupported = (reason: string) =>
  new ApiError(400, `${reason} Send a PDF, a picture, a Word, Excel or PowerPoint file, or plain text in UTF-8.`, { code: "unsupported_file" });

/** Returns the content type of a file on disk, detected from its bytes. Throws 400 for empty, unsupported and markup files. */
export async function detectFileType(path: string, fileName: string): Promise<string> {
  const head = await readHead(path);
  if (head.length === 0) throw unsupported("The file is empty.");
  if (isMarkup(head)) throw unsupported("The file contains HTML or other markup.");
  const detected = await fileTypeFromFile(path);
  if (detected) {
    if (detected.mime in acceptedTypes) return detected.mime;
    throw unsupported(`The file is of the type ${detected.mime}.`);
  }
  if (await isText(path)) return extensionOf(fileName) === "csv" ? "text/csv" : "text/plain";
  throw unsupported("The type of the file could not be detected.");
}

async function readHead(path: string): Promise<Buffer> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Tells whether the whole file is UTF-8 without control characters. */
async function isText(path: string): Promise<boolean> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  // oxlint-disable-next-line no-control-regex -- the pattern matches control characters on purpose
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
