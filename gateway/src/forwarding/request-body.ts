/**
 * Bodies of JSON requests. A body is received whole before a connection to a service is taken, so that a client that sends it
 * slowly occupies nothing but its own connection.
 */
import type { Operation } from "@freehold/contract/operation";
import { ApiError, abandoned, bodyTooLarge, unavailable } from "@freehold/kit/errors";
import { formatBytes } from "@freehold/kit/files/storage-quota";
import type { Holder } from "@freehold/kit/fair-turns";
import type { IncomingMessage } from "node:http";
import { bodyMemory, type BodyLimits, type Reservation } from "./body-memory.ts";

export const MAX_BODY_BYTES = 1_048_576;
const MAX_PUBLIC_BODY_BYTES = 65_536;
const INITIAL_BYTES = 16_384;

/** Sender and maximum size of a body. */
export interface BodyOptions {
  holder: Holder;
  maxBytes: number;
}

/** Runs an action with the body of a request; undefined when the request has none. */
export type WithBody = <T>(req: IncomingMessage, options: BodyOptions, action: (body: Buffer | undefined) => Promise<T>) => Promise<T>;

/** Returns the maximum size of an operation's body; smaller for public operations other than webhooks, since anybody can send it. */
export const maxBodyBytes = ({ access, webhook }: Pick<Operation, "access" | "webhook">): number =>
  access === "public" && !webhook ? MAX_PUBLIC_BODY_BYTES : MAX_BODY_BYTES;

export const isBodyTooLarge = (error: unknown): boolean => error instanceof ApiError && error.code === "payload_too_large";

/** Creates the function that receives bodies. It throws 503 when the memory for bodies is full. */
export function bodyReceiver(limits: BodyLimits): WithBody {
  const memory = bodyMemory(limits);
  return async (req, { holder, maxBytes }, action) => {
    if (!hasBody(req)) return action(undefined);
    if (Number(req.headers["content-length"] ?? 0) > maxBytes) throw bodyTooLarge(formatBytes(maxBytes));
    const { promise: refusal, reject: refuse } = Promise.withResolvers<never>();
    const reservation = memory.open(holder, () => refuse(memoryFull()));
    try {
      const body = await Promise.race([receive(req, reservation, maxBytes), refusal]);
      reservation.isWhole = true;
      return await action(body);
    } finally {
      reservation.release();
    }
  };
}

const memoryFull = () => unavailable(new Error("The bodies in progress have their maximum size."));

export const hasBody = ({ method, headers }: IncomingMessage): boolean =>
  method !== "GET" && method !== "HEAD" && (headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0");

/** Receives a body into one buffer, since a body of tiny chunks would take five hundred times its size as a list of them. */
function receive(req: IncomingMessage, reservation: Reservation, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let buffer = Buffer.alloc(0);
    let size = 0;
    // A sender of a short body does not reserve more than its length, so that it is not refused in favour of longer ones.
    const initialBytes = Math.min(INITIAL_BYTES, Number(req.headers["content-length"] ?? INITIAL_BYTES));

    function growTo(bytes: number): void {
      if (bytes <= buffer.length) return;
      if (bytes > maxBytes) throw bodyTooLarge(formatBytes(maxBytes));
      const capacity = Math.min(maxBytes, Math.max(initialBytes, 2 * buffer.length, bytes));
      if (!reservation.grow(capacity - buffer.length)) throw memoryFull();
      const larger = Buffer.allocUnsafeSlow(capacity);
      buffer.copy(larger, 0, 0, size);
      buffer = larger;
    }
    const onData = (chunk: Buffer) => {
      try {
        growTo(size + chunk.length);
        size += chunk.copy(buffer, size);
      } catch (error) {
        req.off("data", onData);
        reject(error as Error);
      }
    };
    req.on("data", onData);
    req.once("end", () => resolve(buffer.subarray(0, size)));
    req.once("close", () => reject(abandoned()));
    req.once("error", () => reject(abandoned()));
  });
}
