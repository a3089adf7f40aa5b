/** Negotiation of a response's content type (RFC 9110, section 12.5.1). */
import type { Request } from "express";

/** Returns true if a request asks for a file instead of JSON: by its parameter `format`, or else by preferring the file in the header `Accept`. */
export const asksForFile = (req: Request, contentType: "application/pdf" | "text/csv", format?: string): boolean =>
  format === undefined ? req.accepts(["application/json", contentType]) === contentType : format !== "json";
