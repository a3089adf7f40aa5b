/** Content of received files on the way into the store. */
import { newId } from "@freehold/kit/db/entity";
import { ReceivedFile } from "@freehold/kit/http/multipart";
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Writes a received file to the directory of uploads, durably, since its webhook event is completed afterwards. */
export async function writeReceivedContent(uploadDir: string, fileName: string, content: Uint8Array): Promise<ReceivedFile> {
  await mkdir(uploadDir, { recursive: true, mode: 0o700 });
  const path = join(uploadDir, newId());
  const file = new ReceivedFile(fileName, path, content.length, createHash("sha256").update(content).digest("hex"));
  await writeFile(path, content, { mode: 0o600, flush: true });
  return file;
}
