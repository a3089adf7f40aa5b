/** Requests of the fuzzer in parts, so that they can be corrupted, shrunk, sent and formatted. */
import { randomUUID } from "node:crypto";
import { Agent, request as open } from "node:http";
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

/** Returns the path and query, with the token if it belongs in the query. `tokenText` replaces the token in a curl command. */
export function targetOf({ operation, path, query, token }: FuzzRequest, tokenText = token): string {
  const filled = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? `{${name}}`));
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((each): [string, string] => [name, each])),
  );
  const inQuery = operation.credential?.in === "query" && tokenText !== undefined ? `${operation.credential.name}=${tokenText}` : "";
  const all = [search.toString(), inQuery].filter(Boolean).join("&");
  return all ? `${filled}?${all}` : filled;
}

/** Returns the body's bytes. JSON includes all own members, also `__proto__`. */
export const bytesOf = ({ body, raw }: FuzzRequest): string | Buffer | undefined => raw ?? (body === undefined ? undefined : JSON.stringify(body));

export function headersOf(sent: FuzzRequest): Record<string, string> {
  const { operation, headers, token } = sent;
  return {
    ...(token !== undefined &&
      operation.credential?.in !== "query" && { [operation.credential?.name ?? "Authorization"]: `${operation.credential?.prefix ?? "Bearer "}${token}` }),
    ...(bytesOf(sent) !== undefined && { "Content-Type": "application/json" }),
    ...headers,
  };
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
/** Longer responses count as none. */
const TIMEOUT_MS = 30_000;

/** Sends a request and reads the response, of a stream only its beginning. Retries once when an idle connection was closed or after a 408. */
export async function sendRequest(baseUrl: string, sent: FuzzRequest): Promise<FuzzResponse> {
  const response = await sendOnce(baseUrl, sent);
  if (response !== "idle" && response.status !== 408) return response;
  const retried = await sendOnce(baseUrl, sent);
  if (retried === "idle") throw new Error("The connection was closed twice.");
  return retried;
}

function sendOnce(baseUrl: string, sent: FuzzRequest): Promise<FuzzResponse | "idle"> {
  const requestId = randomUUID();
  const bytes = bytesOf(sent);
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const outgoing = open(
      {
        // Unparsed: a URL object would normalize `..`.
        hostname,
        port,
        path: targetOf(sent),
        method: sent.method,
        agent,
        headers: { "X-Request-Id": requestId, ...headersOf(sent), ...(bytes !== undefined && { "Content-Length": Buffer.byteLength(bytes) }) },
        timeout: TIMEOUT_MS,
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        const type = (incoming.headers["content-type"] ?? "").split(";")[0]!.trim();
        const done = () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: incoming.statusCode!, headers: incoming.headers, type, text, json: parseJson(type, text), requestId });
        };
        incoming.on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          if (type !== "text/event-stream") return;
          done();
          outgoing.destroy();
        });
        incoming.once("end", done);
        incoming.once("error", reject);
      },
    );
    outgoing.once("timeout", () => outgoing.destroy(new Error(`No response within ${TIMEOUT_MS / 1000} s.`)));
    outgoing.once("error", (error: NodeJS.ErrnoException) => (outgoing.reusedSocket && error.code === "ECONNRESET" ? resolve("idle") : reject(error)));
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
