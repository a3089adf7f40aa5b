/** Client of the API, typed by the contract. Stores its cookie and access token between calls. */
import { operationsById, type OperationId } from "@freehold/contract";
import type { ErrorBody } from "@freehold/contract/errors";
import type { Input, Output } from "@freehold/contract/operation";
import { setImmediate } from "node:timers/promises";

type Operations = typeof operationsById;
/** Input of an operation in wire form: path parameters, query and body, each only if the operation has it. */
export type Request<Id extends OperationId> = {
  params?: Input<Operations[Id]>["params"];
  query?: Record<string, string | number | boolean | undefined>;
  body?: Operations[Id] extends { body: infer B } ? (B extends { _zod: { input: infer T } } ? Loose<T> : never) : undefined;
  headers?: Record<string, string>;
};
/** Removes the contract's brand of amounts, so that tests can pass plain numbers. */
type Loose<T> = T extends number
  ? number
  : T extends string | File
    ? T
    : T extends readonly (infer E)[]
      ? Loose<E>[]
      : T extends object
        ? { [K in keyof T]: Loose<T[K]> }
        : T;

export interface Attempt<Id extends OperationId> {
  status: number;
  headers: Headers;
  text: string;
  body: Output<Operations[Id]> & ErrorBody;
}

const isFiles = (value: unknown): value is File[] => Array.isArray(value) && value.every((item) => item instanceof File);

/** Converts a body to multipart form data: files as files, other members as text. The files of a list share the member's name. */
export function formOf(body: object): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body))
    if (isFiles(value)) for (const file of value) form.append(name, file);
    else if (value !== undefined) form.append(name, value instanceof File ? value : String(value));
  return form;
}
const hasFile = (body: unknown): body is object =>
  typeof body === "object" && body !== null && Object.values(body).some((value) => value instanceof File || (isFiles(value) && value.length > 0));

/** Maximum number of retries. */
const MAX_RETRIES = 10;
const causeOf = (error: unknown) => (error as { cause?: { code?: string; message?: string } }).cause;
const isConnectTimeout = (error: unknown): boolean => causeOf(error)?.code === "UND_ERR_CONNECT_TIMEOUT";

export class Client {
  readonly baseUrl: string;
  token: string | undefined;
  cookie: string | undefined;

  constructor(baseUrl: string, token?: string) {
    this.baseUrl = baseUrl;
    this.token = token;
  }

  /** Calls an operation and returns the response, whatever its status. */
  async attempt<Id extends OperationId>(id: Id, request: Request<Id> = {}): Promise<Attempt<Id>> {
    const { method, path } = operationsById[id];
    const concretePath = path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent((request.params as Record<string, string> | undefined)?.[name] ?? `{${name}}`),
    );
    const query = new URLSearchParams(Object.entries(request.query ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])));
    const response = await this.raw(method, query.size > 0 ? `${concretePath}?${query.toString()}` : concretePath, request.body, request.headers);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: (text.startsWith("{") ? JSON.parse(text) : {}) as Attempt<Id>["body"] };
  }

  /** Calls an operation and returns its body. Throws unless the status is 200. */
  async call<Id extends OperationId>(id: Id, request: Request<Id> = {}): Promise<Output<Operations[Id]>> {
    const { status, text, body } = await this.attempt(id, request);
    if (status !== 200) throw new Error(`${id} returned ${status}: ${text}`);
    return body;
  }

  /**
   * Sends a request. Retries after a 408, with which Node rejects a request that it did not read in time, and when no connection was made
   * in time: nothing was executed.
   */
  async raw(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    for (let retries = 0; ; retries++) {
      const response = await this.#send(method, path, body, headers).catch((error: unknown) => {
        if (retries < MAX_RETRIES && isConnectTimeout(error)) return;
        throw new Error(`${method} ${path} failed: ${causeOf(error)?.code} ${causeOf(error)?.message}`, { cause: error });
      });
      if (response && (response.status !== 408 || retries === MAX_RETRIES)) return response;
    }
  }

  async #send(method: string, path: string, input: unknown, headers: Record<string, string>): Promise<Response> {
    const body = hasFile(input) ? formOf(input) : input;
    // After a test that computed for long without a pause, connections that the server has closed meanwhile are noticed first.
    await setImmediate();
    const response = await fetch(`${this.baseUrl}${path}`, {
      method,
      redirect: "manual",
      headers: {
        ...(this.token && { Authorization: `Bearer ${this.token}` }),
        ...(this.cookie && { Cookie: this.cookie }),
        ...(body !== undefined && !(body instanceof FormData) && { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" || body instanceof FormData ? body : JSON.stringify(body) }),
    });
    const cookie = response.headers.getSetCookie().find((header) => header.startsWith("service_refresh_token="));
    if (cookie) this.cookie = cookie.split(";")[0];
    return response;
  }
}
