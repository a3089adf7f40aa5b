/**
 * Bodies of JSON requests. A body is received whole before a connection to a service is taken, so that a client that sends it
 * slowly occupies nothing but its own connection.
 */
import { ApiError, abandoned, unavailable } from "@freehold/kit/errors";
import type { IncomingMessage } from "node:http";

export const MAX_BODY_BYTES = 1_048_576;

export interface BodyLimits {
  /** Maximum number of bytes in the bodies of one sender. */
  perSender: number;
  /** Maximum number of bytes in all bodies. */
  total: number;
}

/** Runs an action with the body of a request; undefined when the request has none. */
export type WithBody = <T>(req: IncomingMessage, sender: string, action: (body: Buffer | undefined) => Promise<T>) => Promise<T>;

export const bodyTooLarge = () => new ApiError(400, "The body is larger than 1 MiB.", { code: "payload_too_large", headers: { Connection: "close" } });

/** Creates the function that receives bodies. It throws 503 while the bodies of the sender, or of all, have their maximum size. */
export function bodyReceiver({ perSender, total }: BodyLimits): WithBody {
  const bytesBySender = new Map<string, number>();
  let allBytes = 0;

  function reserve(sender: string, bytes: number): void {
    const ofSender = (bytesBySender.get(sender) ?? 0) + bytes;
    if (ofSender > perSender || allBytes + bytes > total) throw unavailable(new Error("The bodies in progress have their maximum size."));
    allBytes += bytes;
    bytesBySender.set(sender, ofSender);
  }

  function release(sender: string, bytes: number): void {
    const ofSender = (bytesBySender.get(sender) ?? 0) - bytes;
    allBytes -= bytes;
    if (ofSender > 0) bytesBySender.set(sender, ofSender);
    else bytesBySender.delete(sender);
  }

  return async (req, sender, action) => {
    if (!hasBody(req)) return action(undefined);
    let reserved = 0;
    try {
      const body = await receive(req, (bytes) => {
        reserve(sender, bytes);
        reserved += bytes;
      });
      return await action(body);
    } finally {
      release(sender, reserved);
    }
  };
}

export const hasBody = ({ method, headers }: IncomingMessage): boolean =>
  method !== "GET" && method !== "HEAD" && (headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0");

function receive(req: IncomingMessage, reserve: (bytes: number) => void): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      try {
        if (size > MAX_BODY_BYTES) throw bodyTooLarge();
        reserve(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        req.off("data", onData);
        reject(error as Error);
      }
    };
    req.on("data", onData);
    req.once("end", () => resolve(Buffer.concat(chunks, size)));
    req.once("close", () => reject(abandoned()));
    req.once("error", () => reject(abandoned()));
  });
}
