/** Sweeps: tests of one guarantee over many operations of the contract, with the operations grouped by kind. */
import { expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { operations, type NamedOperation } from "@freehold/contract";
import { ErrorBody } from "@freehold/contract/errors";
import { errorStatusesOf, paramsOf } from "@freehold/contract/operation";
import { Id } from "@freehold/contract/values";
import { Client, formOf } from "../support/client.ts";
import { running } from "../support/running.ts";
import { aFile, type IdOf } from "../support/samples.ts";

const { baseUrl } = running();

export const anyId: IdOf = () => randomUUID();
export const idParams = ({ operation }: NamedOperation) =>
  Object.entries(paramsOf(operation)?.shape ?? {}).flatMap(([name, schema]) => (schema === Id ? [name] : []));
const otherPathValues: Record<string, string> = { provider: "generic", entityType: "units", token: "unknown-token" };

/** Fills the parameters of an operation's path: ids from `idOf`, others with a valid sample. */
export const fillPath = ({ operation }: NamedOperation, idOf: IdOf) =>
  operation.path.replace(/\{(\w+)\}/g, (_, name: string) => otherPathValues[name] ?? encodeURIComponent(idOf(name)));

export interface RequestInput {
  path?: string;
  query?: Record<string, string>;
  body?: unknown;
  headers?: Record<string, string>;
  token?: string | undefined;
}

/** Converts a body to a multipart form for an operation with a file, if the body can be written as a form. */
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

/** Sends a request, checks the headers and the error format that every response must have, and returns the response. */
export async function send(named: NamedOperation, { path, query, body, headers = {}, token }: RequestInput) {
  const { method } = named.operation;
  const search = new URLSearchParams(query).toString();
  const requestId = randomUUID();
  const response = await new Client(baseUrl, token).raw(
    method,
    `${path ?? fillPath(named, anyId)}${search && `?${search}`}`,
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

export const requiresToken = ({ operation }: NamedOperation) => operation.access !== "public";
export const isStream = ({ id }: NamedOperation) => id === "streamEvents";
export const allOperations = operations;
export const authenticatedOperations = allOperations.filter((named) => requiresToken(named) && !isStream(named));
/** Operations that validate their input, unlike those that always fail and webhook receivers, which verify its sender. */
export const validatedOperations = allOperations.filter(({ operation, id }) => !operation.alwaysFails && !operation.webhook && id !== "streamEvents");
export const writeOperations = validatedOperations.filter(({ operation }) => operation.method !== "GET");
export const operationsWithBody = validatedOperations.filter(({ operation }) => operation.body);
export const operationsWithId = validatedOperations.filter((named) => idParams(named).length > 0);

/** Sends a request that `fetch` does not allow. */
export function sendRaw(
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

/** Defines one test over many cases, checked concurrently. Fails with the list of all violations. */
export function sweep<C extends SweepCase>(title: string, cases: readonly C[] | (() => readonly C[]), check: (testCase: C) => Promise<void>): void {
  test(title, async () => {
    const remaining = [...(typeof cases === "function" ? cases() : cases)];
    expect(remaining.length).toBeGreaterThan(0);
    const violations: string[] = [];
    const worker = async () => {
      for (let testCase = remaining.pop(); testCase; testCase = remaining.pop()) {
        const label = [testCase.id, testCase.role, testCase.name].filter(Boolean).join(" ");
        await check(testCase).catch((error: unknown) => violations.push(`${label}: ${(error as Error).message}`));
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    expect(violations).toEqual([]);
  });
}
