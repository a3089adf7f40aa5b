/** Minimal files to upload, and the directories of stored files. */
import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import yazl from "yazl";
import { running } from "../../../test/support/running.ts";

/** Returns a unique PDF of somewhat more than twice `randomByteCount` bytes: its random bytes are written as hexadecimal digits. */
export const aPdf = (name = "a.pdf", randomByteCount = 400): File => new File(["%PDF-1.7\n", randomBytes(randomByteCount).toString("hex")], name);
const PNG_BASE64 = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/** Returns a unique image. */
export const aPng = (name: string): File => new File([Buffer.from(PNG_BASE64, "base64"), randomBytes(32)], name);
export const aGif = (name: string): File => new File(["GIF89a", Buffer.alloc(32)], name);

export async function aZip(name: string, entries: Record<string, string>): Promise<File> {
  const zip = new yazl.ZipFile();
  for (const [path, text] of Object.entries(entries)) zip.addBuffer(Buffer.from(text), path);
  zip.end();
  return new File([new Uint8Array(await buffer(zip.outputStream))], name);
}

const WORD_CONTENT_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";

export const aWordFile = (name: string): Promise<File> =>
  aZip(name, {
    "[Content_Types].xml": `<?xml version="1.0"?><Types><Override PartName="/word/document.xml" ContentType="${WORD_CONTENT_TYPE}"/></Types>`,
    "word/document.xml": "<w:document/>",
  });

const documentsDir = () => join(running().dataDir, "documents");

export const storageFolder = (organizationId: string): string => join(documentsDir(), "files", organizationId);
export const uploadFolder = (): string => join(documentsDir(), "incoming");

/** Returns the names of an organization's stored files. */
export const findStoredFiles = (organizationId: string): Promise<string[]> => readdir(storageFolder(organizationId)).catch(() => []);
/** Returns the names of the uploads that contain the given bytes and have not been stored. Other tests upload other files meanwhile. */
export async function findIncomingFiles(content: Buffer | string): Promise<string[]> {
  const names = await readdir(uploadFolder()).catch(() => []);
  const files = await Promise.all(names.map(async (name) => ({ name, bytes: await readFile(join(uploadFolder(), name)).catch(() => undefined) })));
  return files.flatMap(({ name, bytes }) => (bytes?.includes(content) ? [name] : []));
}
