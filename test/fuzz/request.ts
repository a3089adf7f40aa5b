/** One request in its parts, so that it can be spoiled, shrunk, sent and written as a curl line. */
import { randomUUID } from "node:crypto";
import { Agent, request as open } from "node:http";
import type { Operation } from "./document/document.ts";

export interface Sent {
  operation: Operation;
  method: string;
  path: Record<string, string>;
  query: Record<string, string | string[]>;
  headers: Record<string, string>;
  /** The value that is sent as JSON. */
  body?: unknown;
  /** The bytes that are sent instead. */
  raw?: string | Buffer;
  token?: string | undefined;
  /** Whose token it is, for the curl line. */
  role?: string | undefined;
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  type: string;
  text: string;
  /** Undefined when it is no JSON. */
  json: unknown;
  requestId: string;
}

/** The path and query, with the token put where the document says. `tokenText` stands in for it in a curl line. */
export function targetOf({ operation, path, query, token }: Sent, tokenText = token): string {
  const filled = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? `{${name}}`));
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((each): [string, string] => [name, each])),
  );
  const inQuery = operation.credential?.in === "query" && tokenText !== undefined ? `${operation.credential.name}=${tokenText}` : "";
  const all = [search.toString(), inQuery].filter(Boolean).join("&");
  return all ? `${filled}?${all}` : filled;
}

/** JSON with every member that the value has of its own, `__proto__` too. */
export const bytesOf = ({ body, raw }: Sent): string | Buffer | undefined => raw ?? (body === undefined ? undefined : JSON.stringify(body));

export function headersOf(sent: Sent): Record<string, string> {
  const { operation, headers, token } = sent;
  return {
    ...(token !== undefined &&
      operation.credential?.in !== "query" && { [operation.credential?.name ?? "Authorization"]: `${operation.credential?.prefix ?? "Bearer "}${token}` }),
    ...(bytesOf(sent) !== undefined && { "Content-Type": "application/json" }),
    ...headers,
  };
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
/** An answer that takes longer is none. */
const PATIENCE_MS = 30_000;

/** Sends a request and reads the whole answer; of a stream, its beginning. A connection that was given up while it was idle is no answer. */
export async function exchange(baseUrl: string, sent: Sent): Promise<Answer> {
  const answer = await attempt(baseUrl, sent);
  if (answer !== "idle" && answer.status !== 408) return answer;
  const again = await attempt(baseUrl, sent);
  if (again === "idle") throw new Error("The connection was closed twice.");
  return again;
}

function attempt(baseUrl: string, sent: Sent): Promise<Answer | "idle"> {
  const requestId = randomUUID();
  const bytes = bytesOf(sent);
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const outgoing = open(
      {
        // As it is: a URL would mend `..` on its way.
        hostname,
        port,
        path: targetOf(sent),
        method: sent.method,
        agent,
        headers: { "X-Request-Id": requestId, ...headersOf(sent), ...(bytes !== undefined && { "Content-Length": Buffer.byteLength(bytes) }) },
        timeout: PATIENCE_MS,
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        const type = (incoming.headers["content-type"] ?? "").split(";")[0]!.trim();
        const done = () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: incoming.statusCode!, headers: incoming.headers, type, text, json: parsed(type, text), requestId });
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
    outgoing.once("timeout", () => outgoing.destroy(new Error(`No answer within ${PATIENCE_MS / 1000} s.`)));
    outgoing.once("error", (error: NodeJS.ErrnoException) => (outgoing.reusedSocket && error.code === "ECONNRESET" ? resolve("idle") : reject(error)));
    outgoing.end(bytes);
  });
}

function parsed(type: string, text: string): unknown {
  if (type !== "application/json") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
