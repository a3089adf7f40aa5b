/** The contract of one operation. Routing, authorization, validation, documentation and contract tests are derived from it. */
import { z } from "zod";
import type { Role } from "./roles.ts";
import { Id } from "./values.ts";

export type Service = "identity" | "portfolio" | "ledger" | "communications" | "imports";
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface Operation {
  method: Method;
  path: string;
  /** Imperative phrase in lower case, also used as "Only admins can …". */
  summary: string;
  /** Behaviour that the schema does not show. */
  description?: string;
  /** Roles that may call the operation; `public` operations need no token. */
  access: readonly Role[] | "public";
  /** Other services whose records the response contains. A service key with scopes needs theirs, too. */
  alsoReads?: readonly Service[];
  /** A service key with scopes may call the operation whatever its scopes are. */
  needsNoScope?: true;
  /** Schema of the path parameters, required where one of them is not a UUID. */
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodObject;
  /** Schema of a form (`application/x-www-form-urlencoded`) that the operation accepts instead of the JSON body. Requires `body`. */
  form?: z.ZodObject;
  /**
   * Usual content type of the body of a webhook receiver. The body reaches the service as the bytes that the provider signed, of any content
   * type and up to 1 MiB, and any query is accepted. Requires `access: "public"`.
   */
  webhook?: "application/json" | "application/x-www-form-urlencoded";
  /** Also responds with 202 and the members of `response`, to an event that matches nothing. */
  acceptsUnmatched?: true;
  /** Request headers that the operation reads, by name. All are optional. */
  headers?: z.ZodObject;
  /**
   * The body is multipart/form-data with files of at most `maxBytes` each. With `maxFiles` the file member may be repeated and is
   * an array. Requires `streams`.
   */
  uploads?: { maxBytes: number; maxFiles?: number };
  /** Members of the JSON response. */
  response: z.ZodRawShape;
  /** Content type of a response that is not JSON. A file of any type also supports range requests. */
  contentType?: "application/zip" | "application/pdf" | "text/csv" | "text/html" | "*/*";
  /** Content types of files that a query parameter or the header `Accept` requests instead of the JSON response. */
  fileContentTypes?: readonly ("application/pdf" | "text/csv")[];
  /** The response is the first of these files unless the request asks for another content type. */
  isFileByDefault?: true;
  /** Responds with 302 and a `Location` header instead of a body. */
  redirects?: true;
  /** Additional error statuses. 400, 429, 500 and 503 are implied, 401 and 403 by a token, 404 by a path parameter, 408 and 415 by a body. */
  errors?: readonly (401 | 403 | 404 | 405 | 409 | 412 | 502 | 503)[];
  /** Responds with 503 and the members of `response` when the system is down. */
  reportsUnavailability?: true;
  /** A POST that only reads, and therefore accepts no `If-Match`. */
  changesNothing?: true;
  /** Status of an operation that is always refused, before the request is validated or looked up. */
  alwaysFails?: 405 | 409;
  /** Accepts the header `Idempotency-Key`: the same request with the same key takes effect once within 24 hours. */
  idempotent?: true;
  /** Dates of deprecation and removal (ISO), and the path of the successor. */
  deprecated?: { since: string; sunset: string; successor: string };
  /** Request and response are streamed through the gateway instead of buffered. */
  streams?: true;
}

/** List that an operation also sends as CSV: the member of the response with its items, and whether the response is a page of it. */
export interface CsvListMember {
  key: string;
  isPaged: boolean;
}

const isListOfObjects = (schema: unknown): boolean =>
  schema instanceof z.ZodArray && (schema.element instanceof z.ZodObject || schema.element instanceof z.ZodUnion);

/** Returns the list that an operation also sends as CSV, if its response is a list. */
export function csvListMember({ method, access, query, response, fileContentTypes }: Operation): CsvListMember | undefined {
  const [key, ...others] = Object.keys(response);
  if (key === undefined || method !== "GET" || access === "public") return undefined;
  if (query && "total" in response) return { key, isPaged: true };
  return others.length === 0 && !fileContentTypes && isListOfObjects(response[key]) ? { key, isPaged: false } : undefined;
}

export interface OperationGroup<O extends Record<string, Operation> = Record<string, Operation>> {
  tag: string;
  service: Service;
  operations: O;
}

/** Named group of operations implemented by one service. */
export const operationGroup = <const O extends Record<string, Operation>>(tag: string, service: Service, operations: O): OperationGroup<O> => ({
  tag,
  service,
  operations,
});

/** Request body. Unknown members are refused, because a change with a misspelled member would otherwise be lost silently. */
export const body = z.strictObject;

/** Returns the parameter names of a path template: `id` for `/api/leases/{id}/renew`. */
export const pathParameterNames = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);

/** Returns the schema of an operation's path parameters: UUIDs unless the operation defines `params`. */
export function paramsOf(operation: Operation): z.ZodObject | undefined {
  const names = pathParameterNames(operation.path);
  if (names.length === 0) return undefined;
  return operation.params ?? z.object(Object.fromEntries(names.map((name) => [name, Id])));
}

/** Returns the error statuses of an operation. */
export function errorStatusesOf(operation: Operation): number[] {
  const always = [400, 429, 500, 503];
  if (operation.access !== "public") always.push(401, 403);
  if (pathParameterNames(operation.path).length > 0) always.push(404);
  if (operation.body || operation.webhook) always.push(408);
  if (operation.webhook) always.push(401);
  if (operation.body && !operation.uploads) always.push(415);
  if (operation.idempotent) always.push(409);
  if (operation.method !== "GET" && !operation.changesNothing && pathParameterNames(operation.path).includes("id")) always.push(412);
  if (operation.contentType === "*/*") always.push(416);
  return [...new Set([...always, ...(operation.errors ?? [])])].sort((a, b) => a - b);
}

type ParamNames<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | ParamNames<Rest> : never;

/** Validated input of an operation's handler, derived from the contract. */
export type Input<O extends Operation> = {
  params: Record<ParamNames<O["path"]>, string>;
  query: O["query"] extends z.ZodType ? z.output<O["query"]> : Record<string, never>;
  body: O["body"] extends z.ZodType ? z.output<O["body"]> : Record<string, never>;
};
export type Output<O extends Operation> = z.output<z.ZodObject<O["response"], z.core.$strict>>;
/** Validated headers of an operation, by their names in the contract. */
export type HeadersOf<O extends Operation> = O["headers"] extends z.ZodType ? z.output<O["headers"]> : Record<string, never>;
export type BodyOf<O extends Operation> = Input<O>["body"];
export type QueryOf<O extends Operation> = Input<O>["query"];
