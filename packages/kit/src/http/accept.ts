/** Negotiation of a response's content type (RFC 9110, section 12.5.1). */
import type { Request } from "express";

/** Content types of files by their value of the parameter `format`. */
const formats = { csv: "text/csv", pdf: "application/pdf" } as const;
type FileType = (typeof formats)[keyof typeof formats];

/**
 * Returns the content type of the file that a request asks for instead of JSON, if any: by its parameter `format`, or else by
 * preferring a file in the header `Accept`.
 */
export function requestedFile<T extends FileType>(req: Request, contentTypes: readonly T[], format?: keyof typeof formats | "json"): T | undefined {
  const wanted = format === undefined ? req.accepts(["application/json", ...contentTypes]) : format === "json" ? undefined : formats[format];
  return contentTypes.find((contentType) => contentType === wanted);
}

/** Returns true if a request asks for a file of one content type instead of JSON. */
export const asksForFile = (req: Request, contentType: FileType, format?: keyof typeof formats | "json"): boolean =>
  requestedFile(req, [contentType], format) !== undefined;
