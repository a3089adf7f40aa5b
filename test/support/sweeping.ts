/** How the sweeps send an operation, and which operations there are of each kind. */
import { expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { operations, type NamedOperation } from "@freehold/contract";
import { ErrorBody } from "@freehold/contract/errors";
import { errorStatusesOf, paramsOf } from "@freehold/contract/operation";
import { Id } from "@freehold/contract/values";
import { Client, formOf } from "./client.ts";
import { running } from "./running.ts";
import { aFile, type IdOf } from "./samples.ts";

const { baseUrl } = running();

export const anyId: IdOf = () => randomUUID();
export const idParams = ({ operation }: NamedOperation) =>
  Object.entries(paramsOf(operation)?.shape ?? {}).flatMap(([name, schema]) => (schema === Id ? [name] : []));
const other: Record<string, string> = { provider: "generic", entityType: "units", token: "nobodys-token" };

/** The path of an operation with what each id in it should be; what is no id is what it may be. */
export const pathOf = ({ operation }: NamedOperation, idOf: IdOf) =>
  operation.path.replace(/\{(\w+)\}/g, (_, name: string) => other[name] ?? encodeURIComponent(idOf(name)));

export interface Sent {
  path?: string;
  query?: Record<string, string>;
  body?: unknown;
  headers?: Record<string, string>;
  token?: string | undefined;
}

/** What an operation with a file is sent: whatever can be written as a form, as a form. */
function asForm(body: unknown): unknown {
  const members = typeof body === "string" ? fromJson(body) : body;
  if (typeof members !== "object" || members === null || Array.isArray(members)) return body;
  return formOf(Object.fromEntries(Object.entries(members).map(([name, value]) => [name, typeof value === "object" ? aFile() : (value as unknown)])));
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Sends an operation, checks what every answer owes, and answers status and body. */
export async function send(named: NamedOperation, { path, query, body, headers = {}, token }: Sent) {
  const { method } = named.operation;
  const search = new URLSearchParams(query).toString();
  const requestId = randomUUID();
  const response = await new Client(baseUrl, token).raw(
    method,
    `${path ?? pathOf(named, anyId)}${search && `?${search}`}`,
    method === "GET" ? undefined : named.operation.uploads ? asForm(body) : body,
    {
      "X-Request-Id": requestId,
      ...headers,
    },
  );
  expect(response.headers.get("x-request-id")).toBe(requestId);
  expect(response.headers.get("cache-control")).toBe(response.ok && named.operation.contentType === "*/*" ? "private, no-cache" : "no-store");
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  const text = await response.text();
  if (response.status === 200) return { status: 200, text, error: undefined, headers: response.headers };
  expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
  const error = ErrorBody.parse(JSON.parse(text));
  expect(errorStatusesOf(named.operation)).toContain(response.status);
  return { status: response.status, text, error, headers: response.headers };
}

export const isGuarded = ({ operation }: NamedOperation) => operation.access !== "public";
export const isStream = ({ id }: NamedOperation) => id === "streamEvents";
export const every = operations;
export const guarded = every.filter((named) => isGuarded(named) && !isStream(named));
/** Those that read what they are sent. */
export const reading = every.filter((named) => !named.operation.alwaysFails && !isStream(named));
export const writing = reading.filter(({ operation }) => operation.method !== "GET");
export const withBody = reading.filter(({ operation }) => operation.body);
export const withId = reading.filter((named) => idParams(named).length > 0);

/** What `fetch` does not let one send. */
export function plain(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  text = "",
): Promise<{ status: number; allow: string | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${baseUrl}${path}`, { method, headers }, (response) => {
      let body = "";
      response.on("data", (chunk: Buffer) => (body += chunk.toString()));
      response.on("end", () => resolve({ status: response.statusCode!, allow: response.headers.allow, body }));
    });
    outgoing.once("error", reject);
    outgoing.end(text);
  });
}

interface SweepCase {
  id: string;
  role?: string;
  name?: string;
}

const CONCURRENCY = 8;

/** Defines one test of a promise over many cases, checked a few at a time. It fails with the list of all violations. */
export function sweep<C extends SweepCase>(title: string, cases: readonly C[] | (() => readonly C[]), check: (each: C) => Promise<void>): void {
  test(title, async () => {
    const left = [...(typeof cases === "function" ? cases() : cases)];
    expect(left.length).toBeGreaterThan(0);
    const violations: string[] = [];
    const next = async () => {
      for (let each = left.pop(); each; each = left.pop()) {
        const label = [each.id, each.role, each.name].filter(Boolean).join(" ");
        await check(each).catch((error: unknown) => violations.push(`${label}: ${(error as Error).message}`));
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, next));
    expect(violations).toEqual([]);
  });
}
