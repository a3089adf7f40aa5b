/** HTTP routes: binds each operation of the contract to its handler, with authentication, validation and error handling. */
import type { OperationGroup, HeadersOf, Input, Operation, Output } from "@freehold/contract/operation";
import { csvListMember, paramsOf } from "@freehold/contract/operation";
import { roleRequirement, type Role } from "@freehold/contract/roles";
import express, { type NextFunction, type Request, type Response, type Router } from "express";
import { z } from "zod";
import { ADDRESS_HEADER, ASSERTION_HEADER, REQUEST_HEADER, type AssertedCaller, type Assertions } from "../auth/assertion.ts";
import type { Principal } from "../auth/principal.ts";
import { fingerprint } from "../db/idempotency.ts";
import { OrgDb, type Database, type RequestContext, type Waiter } from "../db/org-db.ts";
import { readOnSnapshot } from "../db/exports/snapshot.ts";
import { ApiError, CALLER_LEFT, forbidden, notConfigured } from "../errors.ts";
import type { Turn } from "../fair-turns.ts";
import { elapsedMs, type Logger, type RequestLine } from "../observability/log.ts";
import { TRACE_HEADER, withSpan } from "../observability/tracing.ts";
import { asksForFile } from "./accept.ts";
import { csvColumns, sendCsv, sendListAsCsv, type CsvList } from "./csv.ts";
import { jsonBody } from "./json-body.ts";
import { receiveMultipart, type Received, type UploadCapacity } from "./multipart.ts";
import { sendError, sendResult, setDeprecation } from "./respond.ts";
import { sendInTurn, transferHolderOf } from "./transfers.ts";
import { parse, parseQuery } from "./validation.ts";
import { webhookBody, type ReadBytes } from "./webhook-body.ts";

/** Arguments of a handler: the validated request, and the database in the scope of the caller's organization. */
export type HandlerContext<O extends Operation> = (O extends { uploads: object }
  ? Omit<Input<O>, "body"> & { body: Received<Input<O>["body"]> }
  : O extends { webhook: string }
    ? Omit<Input<O>, "body"> & { body: ReadBytes }
    : Input<O>) &
  (O["access"] extends "public" ? { db: undefined } : { db: OrgDb }) & {
    headers: HeadersOf<O>;
    requestId: string | null;
    /** The Express request and response, for cookies and for responses other than JSON. */
    req: Request;
    res: Response;
  };

export type Handlers<A extends OperationGroup> = {
  [K in keyof A["operations"]]: (context: HandlerContext<A["operations"][K]>) => Promise<Output<A["operations"][K]> | void>;
};

/** The operations of an area with their handlers. */
export interface Routes {
  area: OperationGroup;
  handlers: Record<string, (context: never) => Promise<unknown>>;
}

/** Pairs an area with its handlers. A missing or misspelt one, or a wrong result type, does not compile. */
export const routes = <A extends OperationGroup>(area: A, handlers: Handlers<A>): Routes => ({ area, handlers: handlers as unknown as Routes["handlers"] });

/** Handler of an operation that requires a token. Operations without one have no database. */
export type ScopedHandler = (context: { db: OrgDb }) => Promise<unknown>;

/** Returns routes whose handlers are wrapped, for the checks and preparations that all operations of an area need. */
export const wrapHandlers = ({ area, handlers }: Routes, wrap: (handler: ScopedHandler, operation: Operation) => ScopedHandler): Routes => ({
  area,
  handlers: Object.fromEntries(Object.entries(area.operations).map(([id, operation]) => [id, wrap(handlers[id] as ScopedHandler, operation)])),
});

export interface RouterOptions {
  database: Database;
  assertions: Assertions;
  log: Logger;
  logRequest: (line: RequestLine) => void;
  validateResponses: boolean;
  /** Directory of uploads until their operation stores them. Uploads are refused without it. */
  uploadDir?: string | undefined;
  /** Returns the bytes that the organization may upload; undefined for no limit. */
  uploadCapacity?: ((db: OrgDb) => Promise<UploadCapacity | undefined>) | undefined;
}

/** Processes that send requests to the HTTP port of a service. */
const HTTP_CALLERS = ["gateway"];
const BODY_LIMIT = "1mb";
const FORM = "application/x-www-form-urlencoded";

/** Creates the Express router of a service's routes. */
export function createRouter(allRoutes: readonly Routes[], options: RouterOptions): Router {
  const router = express.Router({ caseSensitive: true });
  const readBody = jsonBody(BODY_LIMIT);
  const readForm = express.text({ type: FORM, limit: BODY_LIMIT, inflate: false });
  for (const { area, handlers } of allRoutes) {
    for (const [id, operation] of Object.entries(area.operations)) {
      const handle = requestHandler(id, operation, handlers[id]!, options);
      const method = operation.method.toLowerCase() as "get";
      const path = operation.path.replace(/\{(\w+)\}/g, ":$1");
      if (operation.method === "GET" || operation.alwaysFails || operation.uploads || operation.webhook) router[method](path, handle);
      else router[method](path, requireBodyType(operation), readBody, readForm, handle);
    }
  }
  return router;
}

const requireBodyType =
  ({ form }: Operation) =>
  (req: Request, _res: Response, next: NextFunction): void => {
    const hasBody = req.headers["content-length"] !== undefined ? req.headers["content-length"] !== "0" : req.headers["transfer-encoding"] !== undefined;
    if (hasBody && !req.is("application/json") && !(form && req.is(FORM)))
      throw new ApiError(400, "Send the body as application/json.", { code: "malformed_json" });
    const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(req.headers["content-type"] ?? "")?.[1];
    if (hasBody && charset !== undefined && !/^utf-8$/i.test(charset)) throw new ApiError(415, "Send the body in UTF-8.", { code: "malformed_json" });
    next();
  };

/** Returns the validated body of a request, or the text of a form, which the handler validates because its errors have a format of their own. */
const bodyOf = ({ body, form }: Operation, received: unknown): unknown =>
  form && typeof received === "string" ? received : parse(body ?? noMembers, received ?? {});

const readWebhook = webhookBody(BODY_LIMIT);

/** Returns the list that an operation also sends as CSV, if it has one. */
function csvListOf(operation: Operation): CsvList | undefined {
  const member = csvListMember(operation);
  return member && { ...member, columns: csvColumns(operation.response[member.key] as z.ZodType) };
}

function requestHandler(id: string, operation: Operation, handler: (context: never) => Promise<unknown>, options: RouterOptions) {
  const params = paramsOf(operation);
  const responseSchema = z.strictObject(operation.response);
  const csvList = csvListOf(operation);

  return async (req: Request, res: Response): Promise<void> => {
    const started = performance.now();
    const requestId = (req.headers[REQUEST_HEADER] as string | undefined) ?? null;
    let principal: Principal | undefined;
    let upload: Awaited<ReturnType<typeof receiveMultipart>> | undefined;
    const caller = callerOf(res);
    try {
      const asserted = await verifyCaller(req, operation, options.assertions);
      principal = asserted.principal;
      if (operation.alwaysFails) {
        await handler({ db: principal && new OrgDb(options.database, principal) } as never);
        return;
      }
      const query = operation.webhook ? {} : parseQuery(operation.query ?? noMembers, req.query);
      const target = { params: params ? parse(params, req.params) : {}, query };
      if (operation.uploads)
        upload = await receiveMultipart(req, {
          dir: requireUploadDir(options),
          ...operation.uploads,
          capacity: await findUploadCapacity(req, operation, principal, options),
        });
      const headers = parse(operation.headers ?? noMembers, headersOf(req, operation));
      const body = operation.webhook ? readWebhook(req, res) : bodyOf(operation, upload?.members ?? req.body);
      const input = { ...target, headers, body };
      const db =
        principal &&
        new OrgDb(options.database, principal, {
          ...requestContext(req, { id, operation, body: input.body, principal, requestId }),
          waiter: caller.waiter,
        });
      const call = (query: unknown, on = db) => handler({ ...input, query, db: on, req, res, requestId } as never);
      const span = { name: id, kind: "server", parent: req.headers[TRACE_HEADER] as string | undefined } as const;
      const asksForCsv = csvList && db && asksForFile(req, "text/csv");
      if (asksForCsv) setDeprecation(res, operation);
      if (asksForCsv && csvList.isPaged) {
        const readPage = (snapshot: OrgDb) => async (page: number, pageSize: number) =>
          (await call({ ...(input.query as object), page, pageSize }, snapshot)) as Record<string, unknown>;
        // Once without the snapshot, which is read-only: a list may first save a record of another service that it has not received yet.
        await call({ ...(input.query as object), page: 1, pageSize: 1 });
        const send = (snapshot: OrgDb, turn: Turn) => sendInTurn(res, turn, () => sendListAsCsv(res, csvList, readPage(snapshot)));
        await withSpan(span, () => readOnSnapshot(db, transferHolderOf(db.principal), send));
        return;
      }
      const result = await withSpan(span, () => call(input.query));
      if (res.headersSent || res.writableEnded) return;
      if (options.validateResponses) requireValidResponse(id, responseSchema, result);
      if (asksForCsv) await sendCsv(res, `${csvList.key}.csv`, csvList.columns, [(result as Record<string, Record<string, unknown>[]>)[csvList.key]!]);
      else sendResult(res, operation, result);
    } catch (error) {
      if (!caller.hasLeft()) sendError(res, error, options.log, { operation: id, requestId });
    } finally {
      await upload?.discard();
      const { organizationId, userId } = principal ?? {};
      options.logRequest({ operation: id, status: caller.hasLeft() ? CALLER_LEFT : res.statusCode, ms: elapsedMs(started), organizationId, userId, requestId });
    }
  };
}

/** Tracks whether the caller of a request has left. Its waiter stays after the first commit, so that committed work is completed. */
function callerOf(res: Response): { hasLeft(): boolean; waiter: Waiter } {
  let [hasLeft, hasCommitted] = [false, false];
  res.once("close", () => {
    hasLeft = !res.writableFinished;
  });
  const onCommit = () => {
    hasCommitted = true;
  };
  return { hasLeft: () => hasLeft, waiter: { hasLeft: () => hasLeft && !hasCommitted, onCommit } };
}

/**
 * Returns the asserted caller. Throws 403 unless the operation permits the role. On a public operation the assertion is optional, for
 * requests that did not come through the gateway.
 */
async function verifyCaller(req: Request, { access, summary }: Operation, assertions: Assertions): Promise<AssertedCaller> {
  const assertion = req.headers[ASSERTION_HEADER] as string | undefined;
  if (access === "public") {
    const { clientAddress } = assertion === undefined ? {} : await assertions.verify(assertion, HTTP_CALLERS);
    req.headers[ADDRESS_HEADER] = clientAddress;
    return { clientAddress };
  }
  const { principal, clientAddress } = await assertions.verify(assertion, HTTP_CALLERS);
  if (!principal) throw new Error("The assertion of the caller has no principal.");
  requireRole(principal, access, summary);
  req.headers[ADDRESS_HEADER] = clientAddress;
  return { principal, clientAddress };
}

/** Throws 403 unless the operation is open to the principal's role. The gateway has checked this before; the service does not rely on it. */
function requireRole({ role }: Principal, access: readonly Role[], summary: string): void {
  if (!access.some((allowed) => allowed === role)) throw forbidden(roleRequirement(access, summary));
}

/** Returns the bytes that the caller may upload. A repeated upload is stored already, so one with an idempotency key is checked in its transaction only. */
const findUploadCapacity = async (req: Request, { idempotent }: Operation, principal: Principal | undefined, { database, uploadCapacity }: RouterOptions) =>
  principal && !(idempotent && req.headers["idempotency-key"]) ? uploadCapacity?.(new OrgDb(database, principal)) : undefined;

function requireUploadDir({ uploadDir }: RouterOptions): string {
  if (uploadDir === undefined) throw notConfigured("File storage is not configured. Ask the operator to set DATA_DIR or the S3 settings.");
  return uploadDir;
}

const noMembers = z.strictObject({});

/** Returns the headers of a request that the operation reads, by their names in the contract. */
const headersOf = (req: Request, { headers }: Operation): Record<string, unknown> =>
  Object.fromEntries(Object.keys(headers?.shape ?? {}).map((name) => [name, req.headers[name.toLowerCase()]]));

function requireValidResponse(id: string, schema: z.ZodType, result: unknown): void {
  const { error } = schema.safeParse(JSON.parse(JSON.stringify(result)));
  if (error) throw new Error(`The response of ${id} does not match the contract: ${z.prettifyError(error)}`);
}

const IdempotencyKey = z.object({ "Idempotency-Key": z.string().regex(/^[\x20-\x7e]{1,255}$/) });

interface ValidatedRequest {
  id: string;
  operation: Operation;
  body: unknown;
  principal: Principal;
  requestId: string | null;
}

/** Returns the versions in the entity tags of `If-Match`; undefined without one, or with `*`, which any version matches. */
const versionsOf = (ifMatch: string | undefined): number[] | undefined =>
  !ifMatch || ifMatch.trim() === "*" ? undefined : ifMatch.split(",").flatMap((tag) => /^(?:W\/)?"?(\d+)"?$/.exec(tag.trim())?.slice(1).map(Number) ?? []);

function requestContext(req: Request, { id, operation, body, principal, requestId }: ValidatedRequest): RequestContext {
  const ifMatch = operation.method === "GET" ? undefined : versionsOf(req.headers["if-match"]);
  const key = operation.idempotent ? (req.headers["idempotency-key"] as string | undefined) : undefined;
  const clientAddress = req.headers[ADDRESS_HEADER] as string | undefined;
  if (key === undefined || !principal.userId) return { requestId, clientAddress, ifMatch };
  parse(IdempotencyKey, { "Idempotency-Key": key });
  return {
    requestId,
    clientAddress,
    ifMatch,
    idempotency: { key, userId: principal.userId, operation: `${id} ${req.path}`, fingerprint: fingerprint(body) },
  };
}
