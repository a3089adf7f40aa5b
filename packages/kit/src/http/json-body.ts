/** JSON bodies of requests (RFC 8259): in UTF-8, and with each name once in an object, since parsers differ in which of two values they take. */
import { isUtf8 } from "node:buffer";
import express, { type RequestHandler } from "express";
import { ApiError, invalid } from "../errors.ts";

/** Strings, and the characters that structure a JSON text. A string without an end reaches to the end of the text, so that no part of it is read again. */
const TOKENS = /"[^"\\]*(?:\\[^][^"\\]*)*(?:"|\\?$)|[{}[\]:,]/g;

/** Object or array that is open at a place in a JSON text. An object has the names before that place. */
interface Container {
  names?: Set<string>;
  /** Name or index of the current member. */
  member: string | number;
}

/** Returns the path of the first member that has the name of another member of its object, if any. The text may be malformed. */
export function findDuplicateName(text: string): string | undefined {
  const open: Container[] = [];
  let last = "";
  for (const [token] of text.matchAll(TOKENS)) {
    const container = open.at(-1);
    if (token === "{") open.push({ names: new Set(), member: "" });
    else if (token === "[") open.push({ member: 0 });
    else if (token === "}" || token === "]") open.pop();
    else if (token === "," && typeof container?.member === "number") container.member += 1;
    else if (token === ":" && container?.names && last.startsWith('"')) {
      container.member = unquoted(last);
      if (container.names.has(container.member)) return open.map(({ member }) => member).join(".");
      container.names.add(container.member);
    }
    last = token;
  }
  return undefined;
}

function unquoted(token: string): string {
  try {
    return JSON.parse(token) as string;
  } catch {
    return token;
  }
}

function requireUnambiguous(bytes: Buffer): void {
  if (!isUtf8(bytes)) throw new ApiError(400, "The body is not well-formed JSON in UTF-8.", { code: "malformed_json" });
  const path = findDuplicateName(bytes.toString());
  if (path !== undefined) throw invalid([{ path, code: "unique", message: `${path} occurs twice in the body. Send it once.` }]);
}

/** Creates the middleware that reads JSON bodies of at most `limit`. Malformed and ambiguous ones get a 400. */
export const jsonBody = (limit: string): RequestHandler =>
  express.json({ limit, strict: true, inflate: false, verify: (_req, _res, bytes) => requireUnambiguous(bytes) });
