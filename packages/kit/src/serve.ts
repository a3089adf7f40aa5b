/** Doors: each operation of the contract meets the function that keeps its promise. No rule lives here. */
import type { Area, Input, Operation, Output } from "@freehold/contract/operation";
import { paramsOf } from "@freehold/contract/operation";
import express, { type NextFunction, type Request, type Response, type Router } from "express";
import { z } from "zod";
import { answerBytes } from "./answer.ts";
import { answerCsv } from "./csv.ts";
import { OrgDb, type Database, type RequestContext } from "./db.ts";
import { ApiError, errorBody, toApiError } from "./errors.ts";
import { fingerprint, Replay } from "./idempotency.ts";
import { millisecondsSince, type Logger, type RequestLine } from "./log.ts";
import { receive, type Received } from "./multipart.ts";
import { ADDRESS_HEADER, REQUEST_HEADER, SCOPE_HEADER, type Scope, type Seals } from "./scope.ts";
import { TRACE_HEADER, traced } from "./tracing.ts";
import { parse } from "./validation.ts";
import { versionOf } from "./version.ts";

/** What a handler is given: the validated request and data inside the asker's organization. */
export type Context<O extends Operation> = (O extends { uploads: object } ? Omit<Input<O>, "body"> & { body: Received<Input<O>["body"]> } : Input<O>) &
  (O["access"] extends "public" ? { db: undefined } : { db: OrgDb }) & {
    requestId: string | null;
    /** The raw request and response, for cookies and what is not JSON. */
    req: Request;
    res: Response;
  };

export type Handlers<A extends Area> = { [K in keyof A["operations"]]: (context: Context<A["operations"][K]>) => Promise<Output<A["operations"][K]> | void> };

export interface Door {
  area: Area;
  handlers: Record<string, (context: never) => Promise<unknown>>;
}

/** Leave out an operation, misspell one, or answer other than promised: it does not compile. */
export const handlers = <A extends Area>(area: A, functions: Handlers<A>): Door => ({ area, handlers: functions as unknown as Door["handlers"] });

export interface ServeOptions {
  doors: readonly Door[];
  database: Database;
  seals: Seals;
  log: Logger;
  logRequest: (line: RequestLine) => void;
  validateResponses: boolean;
  /** Where files that are uploaded wait until their operation has kept them; without it nothing can be uploaded. */
  inbox?: string | undefined;
}

const BODY_LIMIT = "1mb";

export function serve({ doors, ...core }: ServeOptions): Router {
  const router = express.Router({ caseSensitive: true });
  const readBody = express.json({ limit: BODY_LIMIT, strict: true, inflate: false });
  for (const { area, handlers } of doors) {
    for (const [id, operation] of Object.entries(area.operations)) {
      const answer = answering(id, operation, handlers[id]!, core);
      const method = operation.method.toLowerCase() as "get";
      const path = operation.path.replace(/\{(\w+)\}/g, ":$1");
      if (operation.method === "GET" || operation.always || operation.uploads) router[method](path, answer);
      else router[method](path, requireJson, readBody, answer);
    }
  }
  return router;
}

function requireJson(req: Request, _res: Response, next: NextFunction): void {
  const hasBody = req.headers["content-length"] !== undefined ? req.headers["content-length"] !== "0" : req.headers["transfer-encoding"] !== undefined;
  if (hasBody && !req.is("application/json")) throw new ApiError(400, "Send the body as application/json.", { code: "malformed_json" });
  next();
}

type Core = Omit<ServeOptions, "doors">;

function answering(id: string, operation: Operation, handler: (context: never) => Promise<unknown>, core: Core) {
  const params = paramsOf(operation);
  const answerSchema = z.strictObject(operation.returns);
  const listKey = operation.query && "total" in operation.returns ? Object.keys(operation.returns)[0]! : undefined;

  return async (req: Request, res: Response): Promise<void> => {
    const started = performance.now();
    const requestId = (req.headers[REQUEST_HEADER] as string | undefined) ?? null;
    let scope: Scope | undefined;
    let received: Awaited<ReturnType<typeof receive>> | undefined;
    try {
      if (operation.access !== "public") scope = await core.seals.open(req.headers[SCOPE_HEADER] as string | undefined);
      if (operation.always) {
        await handler({ db: scope && new OrgDb(core.database, scope) } as never);
        return;
      }
      const asked = { params: params ? parse(params, req.params) : {}, query: parse(operation.query ?? noQuery, req.query) };
      if (operation.uploads) received = await receive(req, { dir: inboxOf(core), ...operation.uploads });
      const input = { ...asked, body: parse(operation.body ?? noBody, received?.members ?? req.body ?? {}) };
      const request = requestContext(req, operation, id, input.body, scope, requestId);
      const db = scope && new OrgDb(core.database, scope, request);
      const call = (query: unknown) => handler({ ...input, query, db, req, res, requestId } as never);
      if (listKey && req.headers.accept?.startsWith("text/csv")) {
        await answerCsv(res, listKey, async (page, pageSize) => (await call({ ...(input.query as object), page, pageSize })) as Record<string, unknown>);
        return;
      }
      const step = { name: id, kind: "server", parent: req.headers[TRACE_HEADER] as string | undefined } as const;
      const result = await traced(step, () => call(input.query));
      if (res.headersSent || res.writableEnded) return;
      if (validationFails(core.validateResponses, answerSchema, result))
        throw new Error(`${id} answered other than promised: ${z.prettifyError(answerSchema.safeParse(result).error!)}`);
      answerJson(res, operation, result);
    } catch (error) {
      fail(res, error, core.log, { operation: id, requestId });
    } finally {
      await received?.discard();
      core.logRequest({
        operation: id,
        status: res.statusCode,
        ms: millisecondsSince(started),
        organizationId: scope?.organizationId,
        userId: scope?.userId,
        requestId,
      });
    }
  };
}

function inboxOf({ inbox }: Core): string {
  if (inbox === undefined) throw new ApiError(503, "Files are not kept here yet. Have the setting for where to keep them set.", { code: "not_configured" });
  return inbox;
}

const noQuery = z.strictObject({});
const noBody = z.strictObject({});
const validationFails = (on: boolean, schema: z.ZodType, result: unknown) => on && !schema.safeParse(JSON.parse(JSON.stringify(result))).success;

function requestContext(req: Request, operation: Operation, id: string, body: unknown, scope: Scope | undefined, requestId: string | null): RequestContext {
  const ifMatch = operation.method !== "GET" && req.headers["if-match"] ? Number(/^(?:W\/)?"?(\d+)"?$/.exec(req.headers["if-match"])?.[1] ?? -1) : undefined;
  const key = operation.idempotent ? (req.headers["idempotency-key"] as string | undefined) : undefined;
  const clientAddress = req.headers[ADDRESS_HEADER] as string | undefined;
  if (key === undefined || !scope?.userId) return { requestId, clientAddress, ifMatch };
  parse(IdempotencyKey, { "Idempotency-Key": key });
  return { requestId, clientAddress, ifMatch, idempotency: { key, userId: scope.userId, operation: `${id} ${req.path}`, fingerprint: fingerprint(body) } };
}
const IdempotencyKey = z.object({ "Idempotency-Key": z.string().regex(/^[\x20-\x7e]{1,255}$/) });

function answerJson(res: Response, { deprecated }: Operation, result: unknown): void {
  const version = versionOf(result);
  if (version !== undefined) res.setHeader("ETag", `"${version}"`);
  if (deprecated) {
    res.setHeader("Deprecation", `@${Date.parse(deprecated.since) / 1000}`);
    res.setHeader("Sunset", new Date(deprecated.sunset).toUTCString());
    res.setHeader("Link", `<${deprecated.successor}>; rel="successor-version"`);
  }
  answerBytes(res, result instanceof Replay ? result.body : JSON.stringify(result));
}

/** The one place where a failure becomes an answer. */
export function fail(res: Response, thrown: unknown, log: Logger, about: { operation?: string; requestId?: string | null } = {}): void {
  if (thrown instanceof Replay) {
    res.setHeader("Idempotent-Replayed", "true");
    answerBytes(res, thrown.body);
    return;
  }
  const error = toApiError(bodyFailure(thrown));
  if (error.status === 500) log.error({ err: error.cause ?? error, ...about }, error.message);
  if (error.status === 503) log.warn({ err: error.cause ?? error, ...about }, error.message);
  if (res.headersSent) {
    res.destroy();
    return;
  }
  res.statusCode = error.status;
  for (const [name, value] of Object.entries(error.headers)) res.setHeader(name, value);
  answerBytes(res, JSON.stringify(errorBody(error)));
}

/** What the JSON reader refuses, in our words. */
function bodyFailure(thrown: unknown): unknown {
  switch ((thrown as { type?: string }).type) {
    case "entity.too.large":
      return new ApiError(400, "The body is larger than 1 MiB.", { code: "payload_too_large", headers: { Connection: "close" } });
    case "entity.parse.failed":
    case "encoding.unsupported":
    case "charset.unsupported":
    case "request.size.invalid":
      return new ApiError(400, "The body is not well-formed JSON in UTF-8.", { code: "malformed_json" });
    default:
      return thrown;
  }
}
