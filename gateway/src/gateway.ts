/** The request pipeline: request id, route, authentication, rate limit, role, assertion, forwarding with the body in a fair turn. It has no domain logic. */
import type { NamedOperation } from "@freehold/contract";
import type { Operation } from "@freehold/contract/operation";
import { roleRequirement } from "@freehold/contract/roles";
import { ApiError, bodyTooLarge, CALLER_LEFT, fileTooLarge, filesTooLarge, forbidden, notFound, systemManaged } from "@freehold/kit/errors";
import { formatBytes } from "@freehold/kit/files/storage-quota";
import type { Lifecycle } from "@freehold/kit/runtime/lifecycle";
import { elapsedMs, type Logger, type RequestLine } from "@freehold/kit/observability/log";
import type { Assertions } from "@freehold/kit/auth/assertion";
import { sendError } from "@freehold/kit/http/respond";
import { TRACE_HEADER, withSpan } from "@freehold/kit/observability/tracing";
import express, { type Express, type Request, type RequestHandler, type Response } from "express";
import { randomUUIDv7 } from "node:crypto";
import { bearerOf, type Authenticator, type Caller } from "./auth/authenticate.ts";
import { requireKeyScope } from "./auth/key-scope.ts";
import type { Forward } from "./forwarding/forward.ts";
import { maxBodyBytes } from "./forwarding/request-body.ts";
import { clientNetwork } from "@freehold/kit/http/client-network";
import type { Holder } from "@freehold/kit/fair-turns";
import { transferHolderOf } from "@freehold/kit/http/transfers";
import { requireWithinRateLimit, type RateLimiters } from "./limits/rate-limit.ts";
import type { TrustedProxies } from "./limits/trusted-proxies.ts";
import { compressResponses } from "./compression.ts";
import { findRoute } from "./routing.ts";

export interface GatewayParts {
  log: Logger;
  logRequest: (line: RequestLine) => void;
  assertions: Assertions;
  authenticator: Authenticator;
  rateLimiters: RateLimiters | undefined;
  forward: Forward;
  /** Handlers of the gateway's own operations, by operation id. */
  localHandlers: Record<string, RequestHandler>;
  /** Pages for people, outside of the API. */
  pages: RequestHandler;
  /** Sets the headers of cross-origin responses and responds to preflight requests. */
  crossOrigin: RequestHandler;
  life: Lifecycle;
  /** Proxies in front of the gateway that append to `X-Forwarded-For`. */
  trustedProxies: TrustedProxies;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Group of the callers without an access token, who take turns among themselves. */
const ANONYMOUS = "anonymous";

export function gateway(parts: GatewayParts): Express {
  const { log, pages, life, trustedProxies, rateLimiters, crossOrigin } = parts;
  const app = express().disable("x-powered-by").disable("etag").set("query parser", "simple").set("trust proxy", trustedProxies);
  app.use(life.probes, life.closeWhileDraining);
  app.use(setCommonHeaders, crossOrigin, compressResponses());
  app.use((req, res, next) => {
    const requestId = res.getHeader("X-Request-Id") as string;
    requireDecodablePath(req);
    const route = findRoute(req.method, req.path);
    const { namedOperation } = route;
    if (!namedOperation) return route.allow.length === 0 ? next() : rejectMethod(req, route);
    const parent = req.headers[TRACE_HEADER] as string | undefined;
    return withSpan({ name: namedOperation.id, kind: "server", parent, attributes: { requestId } }, () =>
      serveOperation(parts, namedOperation, { req, res, next, requestId }),
    );
  });
  app.use((req, res, next) => {
    requireAddressWithinLimit(rateLimiters, req, res).then(() => next(), next);
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
  const { logRequest, assertions, authenticator, rateLimiters, forward, localHandlers } = parts;
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
  const { access, summary } = operation;
  if (operation.webhook) await requireReceiverWithinLimit(rateLimiters, id, req, res);
  else if (access === "public") await requireAddressWithinLimit(rateLimiters, req, res);
  const countRefusal = refusalCounter(rateLimiters, req, res);
  if (service === "gateway") {
    await Promise.resolve(localHandlers[id]!(req, res, next)).catch(countRefusal);
    return;
  }

  if (access !== "public") {
    caller = await authenticator.authenticate(bearerOf(req.headers.authorization)).catch(countRefusal);
    if (rateLimiters) await requireWithinRateLimit(rateLimiters.user, caller.principal.userId, res);
    if (!access.includes(caller.principal.role)) throw forbidden(roleRequirement(access, summary));
    requireKeyScope(caller, namedOperation);
  }
  requireBodyWithinLimit(req, operation);
  const assertion = await assertions.sign({ principal: caller?.principal, clientAddress: req.ip });
  const holder = holderOf(caller, req);
  const transferHolder = caller ? transferHolderOf(caller.principal) : holder;
  await forward(service, req, res, { operation, holder, transferHolder, assertion, requestId });
}

const holderOf = (caller: Caller | undefined, req: Request): Holder =>
  caller ? { group: caller.principal.organizationId, member: caller.principal.userId } : { group: ANONYMOUS, member: clientNetwork(req.ip ?? "") };

/** Counts a request of a caller without a user, by network address. */
async function requireAddressWithinLimit(limiters: RateLimiters | undefined, req: Request, res: Response): Promise<void> {
  if (limiters) await requireWithinRateLimit(limiters.address, clientNetwork(req.ip ?? ""), res);
}

/** Counts an event of a webhook receiver by network address, so that a caller without the secret takes nothing from the provider. */
async function requireReceiverWithinLimit(limiters: RateLimiters | undefined, operationId: string, req: Request, res: Response): Promise<void> {
  if (limiters) await requireWithinRateLimit(limiters.receiver, `${operationId} ${clientNetwork(req.ip ?? "")}`, res);
}

/**
 * Creates the error handler of an authentication. It counts a 401 by network address, since the caller has no user, and rethrows it, or
 * throws 429 above the limit.
 */
const refusalCounter =
  (limiters: RateLimiters | undefined, req: Request, res: Response) =>
  async (refusal: unknown): Promise<never> => {
    if (refusal instanceof ApiError && refusal.status === 401) await requireAddressWithinLimit(limiters, req, res);
    throw refusal;
  };

/** Throws 400 for a path that is not percent-encoded UTF-8, on every route alike. */
function requireDecodablePath({ path }: Request): void {
  try {
    decodeURIComponent(path);
  } catch {
    throw new ApiError(400, "The path is not percent-encoded UTF-8.", { code: "validation_failed" });
  }
}

/** Sets the headers of every response: the request id, and those against caching and content sniffing. */
function setCommonHeaders(req: Request, res: Response, next: express.NextFunction): void {
  const clientRequestId = req.headers["x-request-id"];
  const requestId = typeof clientRequestId === "string" && UUID.test(clientRequestId) ? clientRequestId : randomUUIDv7();
  res.setHeader("X-Request-Id", requestId);
  res.setHeader("Cache-Control", "no-store");
  res.setHeader("X-Content-Type-Options", "nosniff");
  res.setHeader("Referrer-Policy", "no-referrer");
  res.setHeader("Content-Security-Policy", "default-src 'none'; base-uri 'none'; frame-ancestors 'none'");
  res.setHeader("Strict-Transport-Security", "max-age=31536000; includeSubDomains");
  next();
}

function rejectMethod(req: Request, { allow, isSystemManaged }: { allow: readonly string[]; isSystemManaged: boolean }): never {
  const allowed = allow.join(", ");
  const message = `${req.method} is not allowed on this path. Use one of: ${allowed}.`;
  throw isSystemManaged ? systemManaged(message, allowed) : new ApiError(405, message, { headers: { Allow: allowed } });
}

function requireBodyWithinLimit(req: Request, operation: Operation): void {
  const length = Number(req.headers["content-length"] ?? 0);
  const { uploads } = operation;
  const { maxBytes, maxFiles = 1 } = uploads ?? { maxBytes: 0 };
  // The service refuses a webhook that is too large, once it knows that the receiver is configured.
  if (operation.webhook || length <= maxBodyBytes(operation) + maxBytes * maxFiles) return;
  if (uploads) throw maxFiles > 1 ? filesTooLarge(maxBytes, maxFiles) : fileTooLarge(maxBytes);
  throw bodyTooLarge(formatBytes(maxBodyBytes(operation)));
}
