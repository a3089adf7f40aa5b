/** Negotiation of a response's content type (RFC 9110, section 12.5.1). */
import type { Request } from "express";

/** Content types of files by their value of the parameter `format`. */
const formats = { csv: "text/csv", pdf: "application/pdf" } as const;
type FileType = (typeof formats)[keyof typeof formats];

type Format = keyof typeof formats | "json";

/**
 * Returns the content type of the file that a request asks for instead of JSON, if any: by its parameter `format`, or else by
 * preferring a file in the header `Accept`. A request that accepts JSON and the files alike gets JSON or, if `isFileByDefault`, the first file.
 */
export function requestedFile<T extends FileType>(req: Request, contentTypes: readonly T[], format?: Format, { isFileByDefault = false } = {}): T | undefined {
  const offered = isFileByDefault ? [...contentTypes, "application/json"] : ["application/json", ...contentTypes];
  const wanted = format === undefined ? req.accepts(offered) : format === "json" ? undefined : formats[format];
  return contentTypes.find((contentType) => contentType === wanted);
}

/** Returns true if a request asks for a file of one content type instead of JSON. */
export const asksForFile = (req: Request, contentType: FileType, format?: Format): boolean => requestedFile(req, [contentType], format) !== undefined;
