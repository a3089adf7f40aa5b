/** Files that messages bring: attachments of e-mails and pictures of text messages. */
import { uuidFromBytes, uuidToBytes } from "@freehold/kit/uuid";
import { createHash } from "node:crypto";
import { toSingleLine } from "../../templates/template.ts";

/** Reasons for which a file is dropped, besides those of the store of documents. */
export type DropReason = "too_many" | "no_content" | "file_too_large" | "not_available";

/** File of a received message: with its content, with the address where the provider keeps it, or with the reason why it is dropped. */
export type InboundFile = { name: string } & ({ content: Buffer } | { url: string } | { dropped: DropReason });

/** Files of a message that are kept. The names of further ones are listed. */
export const MAX_FILES = 10;
const MAX_LISTED = 30;
/** Maximum size of a file: less than what a gRPC message holds. */
export const MAX_FILE_BYTES = 3_145_728;
const MAX_NAME_LENGTH = 100;

/** Returns the files of a message within the limits, of which the first ten are kept. */
export function boundFiles(files: readonly InboundFile[]): InboundFile[] {
  const listed = files.slice(0, MAX_LISTED).map((file, index): InboundFile => {
    const name = toSingleLine(file.name).slice(0, MAX_NAME_LENGTH).toWellFormed() || `file-${index + 1}`;
    if (index >= MAX_FILES) return { name, dropped: "too_many" };
    if ("content" in file && file.content.length > MAX_FILE_BYTES) return { name, dropped: "file_too_large" };
    return { ...file, name };
  });
  const rest = files.length - listed.length;
  return rest > 0 ? [...listed, { name: `${rest} more files`, dropped: "too_many" }] : listed;
}

/** Returns the id of the document of a file, the same for each attempt to store it. It begins with the time of the message's id, as UUIDv7. */
export function fileIdOf(messageId: string, index: number): string {
  const bytes = Buffer.concat([uuidToBytes(messageId).subarray(0, 6), createHash("sha256").update(`${messageId} file ${index}`).digest().subarray(0, 10)]);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return uuidFromBytes(bytes);
}
