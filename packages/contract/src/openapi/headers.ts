/** Response headers of the OpenAPI document. */
import { z } from "zod";
import type { NamedOperation } from "../index.ts";

const text = { type: "string" } as const;
const seconds = { type: "integer", minimum: 1 } as const;

export const headers = {
  "X-Request-Id": {
    description: "ID of the request: the UUID that was sent in `X-Request-Id`, or else a generated one. Quote it when you report a problem.",
    schema: { type: "string", format: "uuid" },
  },
  RateLimit: {
    description:
      "Remaining rate limit of the user, or of the network address on operations without a token: `r` requests, and `t` seconds until all are available again. Absent when the limit is turned off.",
    schema: { ...text, example: '"user";r=399;t=1' },
  },
  "RateLimit-Policy": {
    description:
      "Rate limit of the user, or of the network address on operations without a token: at most `q` requests at once, which are restored within `w` seconds. Absent when the limit is turned off.",
    schema: { ...text, example: '"user";q=400;w=4' },
  },
  "Retry-After": {
    description: "Number of seconds to wait before the request is repeated: an hour when the operator has to configure the feature first.",
    schema: seconds,
  },
  ETag: {
    description: "Version of the resource. Sent as `If-Match`, it keeps a change from overwriting another one. A new ETag of a file means new content.",
    schema: { ...text, example: '"3"' },
  },
  "Idempotent-Replayed": {
    description: "`true` when the response is that of an earlier request with the same `Idempotency-Key`. Absent otherwise.",
    schema: { ...text, example: "true" },
  },
  "WWW-Authenticate": { description: "Authentication scheme that the operation requires.", schema: { ...text, example: "Bearer" } },
  Allow: { description: "Methods that are allowed on the resource.", schema: { ...text, example: "GET" } },
  Location: { description: "URL to continue at.", schema: { type: "string", format: "uri" } },
  "Content-Disposition": {
    description: "File name under which the response is to be saved.",
    schema: { ...text, example: 'attachment; filename="lease.pdf"' },
  },
  "Accept-Ranges": { description: "Unit of the ranges that can be requested with `Range`.", schema: { ...text, example: "bytes" } },
  "Content-Range": {
    description: "Range of the file that the response contains and the length of the file; with an error, the length alone.",
    schema: { ...text, example: "bytes 0-1023/4096" },
  },
  Deprecation: {
    description: "Time since which the operation is deprecated, as seconds since 1970 after an `@`.",
    schema: { ...text, example: "@1767225600" },
  },
  Sunset: { description: "Time at which the operation is removed, as an HTTP date.", schema: { ...text, example: "Fri, 01 Jan 2027 00:00:00 GMT" } },
  Link: { description: "Path of the operation that replaces a deprecated one, as `successor-version`.", schema: text },
} as const;
export type HeaderName = keyof typeof headers;

/** Returns references to headers, as a response contains them. */
export const headerRefs = (names: readonly HeaderName[]) => Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Reports whether the response contains a single resource with a version first, which is its ETag. */
const hasVersion = ({ response }: NamedOperation["operation"]): boolean => {
  const [first] = Object.values(response);
  return first instanceof z.ZodObject && "id" in first.shape;
};

/** Returns the headers of an operation's successful responses. */
export function successHeaders({ operation }: NamedOperation): HeaderName[] {
  const isFile = operation.contentType === "*/*";
  return [
    "X-Request-Id",
    "RateLimit",
    "RateLimit-Policy",
    ...(operation.redirects ? (["Location"] as const) : []),
    ...(isFile || hasVersion(operation) ? (["ETag"] as const) : []),
    ...(operation.contentType && operation.contentType !== "text/html" ? (["Content-Disposition"] as const) : []),
    ...(isFile ? (["Accept-Ranges"] as const) : []),
    ...(operation.idempotent ? (["Idempotent-Replayed"] as const) : []),
    ...(operation.deprecated ? (["Deprecation", "Sunset", "Link"] as const) : []),
  ];
}
