/** A caller of the API, typed by the contract. It keeps its cookie and its access token as a program would. */
import { operationsById, type OperationId } from "@freehold/contract";
import type { ErrorBody } from "@freehold/contract/errors";
import type { Input, Output } from "@freehold/contract/operation";

type Operations = typeof operationsById;
/** The wire form of what an operation takes: path parameters, query and body, each only where it has one. */
export type Request<Id extends OperationId> = {
  params?: Input<Operations[Id]>["params"];
  query?: Record<string, string | number | boolean | undefined>;
  body?: Operations[Id] extends { body: infer B } ? (B extends { _zod: { input: infer T } } ? Loose<T> : never) : undefined;
  headers?: Record<string, string>;
};
/** Money is branded in the contract; a test writes plain numbers. */
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

const isFiles = (value: unknown): value is File[] => Array.isArray(value) && value.every((each) => each instanceof File);

/** A body as a form: its members as text, and its file, or its files under one name. */
export function formOf(body: object): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body))
    if (isFiles(value)) for (const each of value) form.append(name, each);
    else if (value !== undefined) form.append(name, value instanceof File ? value : String(value));
  return form;
}
const hasFile = (body: unknown): body is object =>
  typeof body === "object" && body !== null && Object.values(body).some((value) => value instanceof File || (isFiles(value) && value.length > 0));

export class Client {
  readonly baseUrl: string;
  token: string | undefined;
  cookie: string | undefined;

  constructor(baseUrl: string, token?: string) {
    this.baseUrl = baseUrl;
    this.token = token;
  }

  /** Calls an operation and answers whatever comes back. */
  async attempt<Id extends OperationId>(id: Id, request: Request<Id> = {}): Promise<Attempt<Id>> {
    const { method, path } = operationsById[id];
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent((request.params as Record<string, string> | undefined)?.[name] ?? `{${name}}`),
    );
    const query = new URLSearchParams(Object.entries(request.query ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])));
    const response = await this.raw(method, query.size > 0 ? `${filled}?${query.toString()}` : filled, request.body, request.headers);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: (text.startsWith("{") ? JSON.parse(text) : {}) as Attempt<Id>["body"] };
  }

  /** Calls an operation that must succeed. */
  async call<Id extends OperationId>(id: Id, request: Request<Id> = {}): Promise<Output<Operations[Id]>> {
    const { status, text, body } = await this.attempt(id, request);
    if (status !== 200) throw new Error(`${id} answered ${status}: ${text}`);
    return body;
  }

  /** Sends a request. A 408 is Node's own, to a connection whose bytes it had no time to read: nothing was done, so it is sent once more. */
  async raw(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    const response = await this.#send(method, path, body, headers);
    return response.status === 408 ? this.#send(method, path, body, headers) : response;
  }

  async #send(method: string, path: string, given: unknown, headers: Record<string, string>): Promise<Response> {
    const body = hasFile(given) ? formOf(given) : given;
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
    const cookie = response.headers.getSetCookie().find((each) => each.startsWith("service_refresh_token="));
    if (cookie) this.cookie = cookie.split(";")[0];
    return response;
  }
}
