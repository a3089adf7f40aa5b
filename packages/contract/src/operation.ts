/** What one operation promises. Everything else (routing, roles, validation, documents, sweeps) is read from this. */
import { z } from "zod";
import type { Role } from "./roles.ts";
import { Id } from "./values.ts";

export type Service = "identity" | "portfolio" | "ledger" | "communications" | "imports";
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface Operation {
  method: Method;
  path: string;
  /** What the caller can do, as it stands in "Only admins can …". */
  summary: string;
  /** The choices a caller must know and cannot guess from the schema. */
  description?: string;
  /** The roles that may call it; `public` needs no token. */
  access: readonly Role[] | "public";
  /** Only where a path parameter is no uuid. */
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodObject;
  /** The body comes as multipart/form-data, and a file in it has at most so many bytes. With `maxFiles` its member may be repeated, and is an array. Such an operation `streams`. */
  uploads?: { maxBytes: number; maxFiles?: number };
  /** The members of the answer; an operation that answers no JSON says what it answers instead: of a file, whatever type it has, also a range. */
  returns: z.ZodRawShape;
  answers?: "application/zip" | "text/csv" | "text/html" | "*/*";
  /** Answers 302 with the address in `Location`, and nothing to read. */
  redirects?: true;
  /** Statuses beyond 400, 429, 500, 503 and, with a token, 401 and 403. 404 is implied by a path parameter. */
  fails?: readonly (401 | 404 | 405 | 409 | 412 | 502 | 503)[];
  /** Refused whatever is sent: nothing of the request is read or looked up. */
  always?: 405 | 409;
  /** Accepts the header `Idempotency-Key`: the same request with the same key takes effect once within 24 hours. */
  idempotent?: true;
  /** ISO date after which the operation may go, and what takes its place. */
  deprecated?: { since: string; sunset: string; successor: string };
  /** Passed through as it streams, instead of over the fast path for JSON. */
  streams?: true;
}

export interface Area<O extends Record<string, Operation> = Record<string, Operation>> {
  tag: string;
  service: Service;
  operations: O;
}

/** A named group of operations, owned by one service. */
export const area = <const O extends Record<string, Operation>>(tag: string, service: Service, operations: O): Area<O> => ({ tag, service, operations });

/** A request body: members it does not know are refused, since a silently ignored typo is a lost edit. */
export const body = z.strictObject;

/** The names in a path template: `/api/leases/{id}/renew` has `id`. */
export const pathParams = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);

/** The schema of an operation's path parameters: uuids unless it says otherwise. */
export function paramsOf(operation: Operation): z.ZodObject | undefined {
  const names = pathParams(operation.path);
  if (names.length === 0) return undefined;
  return operation.params ?? z.object(Object.fromEntries(names.map((name) => [name, Id])));
}

/** The statuses that an operation may answer besides 200. */
export function failuresOf(operation: Operation): number[] {
  const always = [400, 429, 500, 503];
  if (operation.access !== "public") always.push(401, 403);
  if (pathParams(operation.path).length > 0) always.push(404);
  if (operation.idempotent) always.push(409);
  if (operation.method !== "GET" && pathParams(operation.path).includes("id")) always.push(412);
  if (operation.answers === "*/*") always.push(416);
  return [...new Set([...always, ...(operation.fails ?? [])])].sort((a, b) => a - b);
}

type ParamNames<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | ParamNames<Rest> : never;

/** What the handler of an operation is given and must give back, derived from its promise. */
export type Input<O extends Operation> = {
  params: Record<ParamNames<O["path"]>, string>;
  query: O["query"] extends z.ZodType ? z.output<O["query"]> : Record<string, never>;
  body: O["body"] extends z.ZodType ? z.output<O["body"]> : Record<string, never>;
};
export type Output<O extends Operation> = z.output<z.ZodObject<O["returns"], z.core.$strict>>;
export type BodyOf<O extends Operation> = Input<O>["body"];
export type QueryOf<O extends Operation> = Input<O>["query"];
