/** Requests of the fuzzer, represented in parts that can be corrupted, shrunk, sent and formatted. */
import { randomUUID } from "node:crypto";
import { Agent, request as httpRequest } from "node:http";
import type { Operation } from "./document/document.ts";

export interface FuzzRequest {
  operation: Operation;
  method: string;
  path: Record<string, string>;
  query: Record<string, string | string[]>;
  headers: Record<string, string>;
  /** Value that is sent as JSON. */
  body?: unknown;
  /** Bytes that are sent instead of `body`. */
  raw?: string | Buffer;
  token?: string | undefined;
  /** Role of the token, for the curl command. */
  role?: string | undefined;
}

export interface FuzzResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  type: string;
  text: string;
  /** Undefined if the body is not JSON. */
  json: unknown;
  requestId: string;
}

/** Returns the path and query, with the token if the operation expects it in the query. */
export function targetOf({ operation, path, query, token }: FuzzRequest): string {
  const concretePath = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? `{${name}}`));
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((each): [string, string] => [name, each])),
  );
  const tokenParameter = operation.credential?.in === "query" && token !== undefined ? `${operation.credential.name}=${token}` : "";
  const queryText = [search.toString(), tokenParameter].filter(Boolean).join("&");
  return queryText ? `${concretePath}?${queryText}` : concretePath;
}

/** Returns the text or bytes of the body; undefined without a body. */
export const bytesOf = ({ body, raw }: FuzzRequest): string | Buffer | undefined => raw ?? (body === undefined ? undefined : JSON.stringify(body));

export function headersOf(request: FuzzRequest): Record<string, string> {
  const { operation, headers, token } = request;
  return {
    ...(token !== undefined &&
      operation.credential?.in !== "query" && { [operation.credential?.name ?? "Authorization"]: `${operation.credential?.prefix ?? "Bearer "}${token}` }),
    ...(bytesOf(request) !== undefined && { "Content-Type": "application/json" }),
    ...headers,
  };
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
/** Inactivity of the connection after which the request counts as unanswered. */
const TIMEOUT_MS = 30_000;

/**
 * Sends a request and reads the response; of an event stream, only the first chunk. Retries once after a 408 and when the
 * server had closed the reused connection.
 */
export async function sendRequest(baseUrl: string, request: FuzzRequest): Promise<FuzzResponse> {
  const response = await sendOnce(baseUrl, request);
  if (response !== "connection closed" && response.status !== 408) return response;
  const retried = await sendOnce(baseUrl, request);
  if (retried === "connection closed") throw new Error("The server closed the connection twice.");
  return retried;
}

function sendOnce(baseUrl: string, request: FuzzRequest): Promise<FuzzResponse | "connection closed"> {
  const requestId = randomUUID();
  const bytes = bytesOf(request);
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      {
        // Unparsed: a URL object would normalize `..`.
        hostname,
        port,
        path: targetOf(request),
        method: request.method,
        agent,
        headers: { "X-Request-Id": requestId, ...headersOf(request), ...(bytes !== undefined && { "Content-Length": Buffer.byteLength(bytes) }) },
        timeout: TIMEOUT_MS,
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        const type = (incoming.headers["content-type"] ?? "").split(";")[0]!.trim();
        const finish = () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: incoming.statusCode!, headers: incoming.headers, type, text, json: parseJson(type, text), requestId });
        };
        incoming.on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          if (type !== "text/event-stream") return;
          finish();
          outgoing.destroy();
        });
        incoming.once("end", finish);
        incoming.once("error", reject);
      },
    );
    outgoing.once("timeout", () => outgoing.destroy(new Error(`No response within ${TIMEOUT_MS / 1000} s.`)));
    outgoing.once("error", (error: NodeJS.ErrnoException) =>
      outgoing.reusedSocket && error.code === "ECONNRESET" ? resolve("connection closed") : reject(error),
    );
    outgoing.end(bytes);
  });
}

function parseJson(type: string, text: string): unknown {
  if (type !== "application/json") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
