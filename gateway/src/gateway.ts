/** The request pipeline: request id, route, authentication, rate limit, role, assertion, forwarding. It reads no body and has no domain logic. */
import type { NamedOperation } from "@freehold/contract";
import type { Operation, Service } from "@freehold/contract/operation";
import { roleRequirement } from "@freehold/contract/roles";
import { ApiError, CALLER_LEFT, fileTooLarge, filesTooLarge, forbidden, notFound } from "@freehold/kit/errors";
import type { Lifecycle } from "@freehold/kit/runtime/lifecycle";
import { elapsedMs, type Logger, type RequestLine } from "@freehold/kit/observability/log";
import type { Assertions } from "@freehold/kit/auth/assertion";
import { sendError } from "@freehold/kit/http/respond";
import { TRACE_HEADER, withSpan } from "@freehold/kit/observability/tracing";
import express, { type Express, type Request, type RequestHandler, type Response } from "express";
import { randomUUIDv7 } from "node:crypto";
import { bearerOf, type Authenticator, type Caller } from "./authenticate.ts";
import type { Forward } from "./forward.ts";
import { requireWithinRateLimit, type RateLimiter } from "./rate-limit.ts";
import { requireKeyScope } from "./key-scope.ts";
import { findRoute } from "./routing.ts";

export interface GatewayParts {
  log: Logger;
  logRequest: (line: RequestLine) => void;
  assertions: Assertions;
  authenticator: Authenticator;
  rateLimiter: RateLimiter | undefined;
  forwarderOf: (service: Service, streams: boolean) => Forward;
  /** Handlers of the gateway's own operations, by operation id. */
  localHandlers: Record<string, RequestHandler>;
  /** Pages for people, outside of the API. */
  pages: RequestHandler;
  life: Lifecycle;
  /** Number of proxies in front of the gateway that append to `X-Forwarded-For`. */
  trustedProxies: number;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const BODY_LIMIT_BYTES = 1_048_576;

export function gateway(parts: GatewayParts): Express {
  const { log, pages, life, trustedProxies } = parts;
  const app = express().disable("x-powered-by").disable("etag").set("query parser", "simple").set("trust proxy", trustedProxies);
  app.use(life.probes, life.closeWhileDraining);
  app.use((req, res, next) => {
    const requestId = setCommonHeaders(req, res);
    const route = findRoute(req.method, req.path);
    const { namedOperation } = route;
    if (!namedOperation) return route.allow.length === 0 ? next() : rejectMethod(req, res, route.allow);
    const parent = req.headers[TRACE_HEADER] as string | undefined;
    return withSpan({ name: namedOperation.id, kind: "server", parent, attributes: { requestId } }, () =>
      serveOperation(parts, namedOperation, { req, res, next, requestId }),
    );
  });
  app.use(pages);
  app.use((req, res) => sendError(res, notFound(`${req.method} ${req.path}`), log));
  app.use((error: unknown, _req: Request, res: Response, _next: express.NextFunction) => {
    const requestId = res.getHeader("X-Request-Id") as string;
    if (error instanceof ApiError && error.status === 503) log.warn({ err: error.cause, requestId }, "a service is unavailable");
    sendError(res, error, log, { requestId });
  });
  return app;
}

interface RequestContext {
  req: Request;
  res: Response;
  next: express.NextFunction;
  requestId: string;
}

/** Forwards a request to the service that owns the operation, once the caller is authenticated and authorized. Handles the gateway's own operations itself. */
async function serveOperation(parts: GatewayParts, namedOperation: NamedOperation, { req, res, next, requestId }: RequestContext): Promise<void> {
  const { id, service, operation } = namedOperation;
  const { logRequest, assertions, authenticator, rateLimiter: limiter, forwarderOf, localHandlers } = parts;
  const startedAt = performance.now();
  let caller: Caller | undefined;
  res.once("close", () =>
    logRequest({
      operation: id,
      // A stream has no end but that of its caller.
      status: res.writableFinished || service === "gateway" ? res.statusCode : CALLER_LEFT,
      ms: elapsedMs(startedAt),
      organizationId: caller?.principal.organizationId,
      userId: caller?.principal.userId,
      requestId,
    }),
  );
  if (service === "gateway") return localHandlers[id]!(req, res, next) as void;

  const { access, summary, streams, uploads } = operation;
  if (access !== "public") {
    caller = await authenticator.authenticate(bearerOf(req.headers.authorization));
    if (limiter) await requireWithinRateLimit(limiter, caller.principal.userId, res);
    if (!access.includes(caller.principal.role)) throw forbidden(roleRequirement(access, summary));
    requireKeyScope(caller, namedOperation);
  }
  requireBodyWithinLimit(req, uploads);
  const assertion = caller && (await assertions.sign(caller.principal));
  await forwarderOf(service, streams === true)(req, res, { assertion, requestId, clientAddress: req.ip ?? "" });
}

/** Sets the headers of every response, against caching and content sniffing, and returns the request id. */
function setCommonHeaders(req: Request, res: Response): string {
  const clientRequestId = req.headers["x-request-id"];
  const requestId = typeof clientRequestId === "string" && UUID.test(clientRequestId) ? clientRequestId : randomUUIDv7();
  res.setHeader("X-Request-Id", requestId);
  res.setHeader("Cache-Control", "no-store");
  res.setHeader("X-Content-Type-Options", "nosniff");
  res.setHeader("Referrer-Policy", "no-referrer");
  res.setHeader("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
  res.setHeader("Strict-Transport-Security", "max-age=31536000; includeSubDomains");
  return requestId;
}

function rejectMethod(req: Request, res: Response, allow: readonly string[]): never {
  res.setHeader("Allow", allow.join(", "));
  throw new ApiError(405, `${req.method} is not allowed on this path. Use one of: ${allow.join(", ")}.`);
}

function requireBodyWithinLimit(req: Request, uploads: Operation["uploads"]): void {
  const length = Number(req.headers["content-length"] ?? 0);
  const { maxBytes, maxFiles = 1 } = uploads ?? { maxBytes: 0 };
  if (length <= BODY_LIMIT_BYTES + maxBytes * maxFiles) return;
  if (uploads) throw maxFiles > 1 ? filesTooLarge(maxBytes, maxFiles) : fileTooLarge(maxBytes);
  throw new ApiError(400, "The body is larger than 1 MiB.", { code: "payload_too_large", headers: { Connection: "close" } });
}
