/** Cross-origin resource sharing: pages of the origins in `CORS_ORIGINS` may call the API, with the refresh cookie too. */
import { headers } from "@freehold/contract/openapi/headers";
import cors from "cors";
import type { RequestHandler } from "express";
import { z } from "zod";

/** Time for which browsers keep the response to a preflight request: the longest that Chromium accepts. */
const PREFLIGHT_SECONDS = 7_200;

/** Returns what is wrong with an origin; undefined if nothing is. */
function describeWrongOrigin(text: string): string | undefined {
  if (text === "*") return "* cannot be combined with credentials such as the refresh cookie; list the origins";
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return `${text} is not an origin such as https://app.example.com`;
  return url.origin === text ? undefined : `write ${url.origin} instead of ${text}`;
}

const splitOrigins = (text: string): string[] =>
  text
    .split(",")
    .map((origin) => origin.trim())
    .filter((origin) => origin !== "");

/** Text of the setting `CORS_ORIGINS`: origins separated by commas. */
export const originList = z
  .string()
  .superRefine((text, context) => {
    for (const problem of splitOrigins(text).map(describeWrongOrigin)) if (problem) context.addIssue({ code: "custom", message: problem });
  })
  .optional()
  .describe(
    "origins of web applications whose pages may call the API, such as https://app.example.com, separated by commas; those of the same site as the API can use the refresh cookie; unset for none",
  );

/** Creates the middleware that sets the headers of cross-origin responses and responds to preflight requests. Does nothing without origins. */
export function crossOrigin(list: string | undefined): RequestHandler {
  const origins = splitOrigins(list ?? "");
  if (origins.length === 0) return (_req, _res, next) => next();
  const handle = cors({ origin: origins, credentials: true, exposedHeaders: Object.keys(headers), maxAge: PREFLIGHT_SECONDS });
  // Other OPTIONS requests are refused like any method that a path does not have.
  return (req, res, next) => (req.method === "OPTIONS" && req.headers["access-control-request-method"] === undefined ? next() : handle(req, res, next));
}
