/** JSON responses: results with their ETag, and the one place that turns a failure into a response. */
import type { Operation } from "@freehold/contract/operation";
import type { Response } from "express";
import type { ServerResponse } from "node:http";
import { IdempotentReplay } from "../db/idempotency.ts";
import { ApiError, bodyTooLarge, errorBody, toApiError } from "../errors.ts";
import type { Logger } from "../observability/log.ts";
import { versionOf } from "./etag.ts";

const MAX_UPLOAD_WAIT_MS = 10_000;

/**
 * Sends JSON even while the client is still uploading a rejected body: many clients read a response only after their
 * request is sent, so the rest of the body is drained before the connection can close, for at most ten seconds.
 */
export function sendJson(res: ServerResponse, body: string): void {
  const { req } = res;
  res.setHeader("Content-Type", "application/json; charset=utf-8");
  res.setHeader("Content-Length", Buffer.byteLength(body));
  if (req.complete || req.destroyed) {
    res.end(body);
    return;
  }
  res.write(body);
  const end = () => {
    clearTimeout(timeout);
    res.end();
  };
  const timeout = setTimeout(() => res.end(() => req.socket.destroy()), MAX_UPLOAD_WAIT_MS);
  req.once("end", end).once("close", end).resume();
}

/** Results that are sent with 202. */
const unmatchedResults = new WeakSet<object>();

/** Marks the result of an operation that has accepted what matches nothing, so that it is sent with 202. */
export function unmatched<T extends object>(result: T): T {
  unmatchedResults.add(result);
  return result;
}

/** Sets the headers that announce the end of a deprecated operation. */
export function setDeprecation(res: Response, { deprecated }: Operation): void {
  if (!deprecated) return;
  res.setHeader("Deprecation", `@${Date.parse(deprecated.since) / 1000}`);
  res.setHeader("Sunset", new Date(deprecated.sunset).toUTCString());
  res.setHeader("Link", `<${deprecated.successor}>; rel="successor-version"`);
}

/** Sends the result of an operation with its ETag, and the deprecation headers of a deprecated operation. */
export function sendResult(res: Response, operation: Operation, result: unknown): void {
  const version = versionOf(result);
  if (version !== undefined) res.setHeader("ETag", `"${version}"`);
  setDeprecation(res, operation);
  if (typeof result === "object" && result !== null && unmatchedResults.has(result)) res.statusCode = 202;
  sendJson(res, result instanceof IdempotentReplay ? result.body : JSON.stringify(result));
}

/** Sends the response of a failure and logs 500 and 503 with their cause. A response that has begun is cut off. */
export function sendError(res: ServerResponse, thrown: unknown, log: Logger, request: { operation?: string; requestId?: string | null } = {}): void {
  if (thrown instanceof IdempotentReplay) {
    res.setHeader("Idempotent-Replayed", "true");
    sendJson(res, thrown.body);
    return;
  }
  const error = toApiError(translateExpressError(thrown));
  if (error.status === 500) log.error({ err: error.cause ?? error, ...request }, error.message);
  if (error.status === 503) log.warn({ err: error.cause ?? error, ...request }, error.message);
  if (res.headersSent) {
    res.destroy();
    return;
  }
  res.statusCode = error.status;
  for (const [name, value] of Object.entries(error.headers)) res.setHeader(name, value);
  sendJson(res, JSON.stringify(errorBody(error)));
}

/** Translates the errors of Express's JSON parser and of its decoding of the path. */
function translateExpressError(thrown: unknown): unknown {
  if (thrown instanceof URIError && (thrown as { status?: number }).status === 400)
    return new ApiError(400, "The path is not percent-encoded UTF-8.", { code: "validation_failed" });
  switch ((thrown as { type?: string }).type) {
    case "entity.too.large":
      return bodyTooLarge("1 MiB");
    case "entity.parse.failed":
    case "encoding.unsupported":
    case "request.size.invalid":
      return new ApiError(400, "The body is not well-formed JSON in UTF-8.", { code: "malformed_json" });
    default:
      return thrown;
  }
}
