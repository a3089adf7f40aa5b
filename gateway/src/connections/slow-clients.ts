/**
 * Clients that occupy a connection without using it: those that send a body or read a response too slowly. Their connections
 * are closed. Time in which the gateway or a service is the slower side does not count.
 */
import { ApiError } from "@freehold/kit/errors";
import type { IncomingMessage, ServerResponse } from "node:http";

export interface SlownessLimits {
  /** Window in which the body of a request must bring `minBodyBytes`. */
  bodyWindowMs: number;
  minBodyBytes: number;
  /** Window in which the client must read `minReadBytes` of a response that waits for it. */
  readWindowMs: number;
  minReadBytes: number;
}

const DEFAULT_LIMITS: SlownessLimits = { bodyWindowMs: 10_000, minBodyBytes: 10_240, readWindowMs: 30_000, minReadBytes: 245_760 };
const CHECKS_PER_WINDOW = 10;
/** Time in which a client whose body is too slow can still read the response. */
const RESPONSE_MS = 1_000;

interface Exchange {
  req: IncomingMessage;
  res: ServerResponse;
  /** Bytes that the connection had received at the start of the current window. */
  bytesAtWindowStart: number;
  /** Start of the current window; undefined while the gateway does not wait for the client. */
  windowStartedAt: number | undefined;
  /** Bytes that the client had read at the start of the current window; undefined while the response does not wait for it. */
  reading: { since: number; bytes: number } | undefined;
}

export const bodyTooSlow = () =>
  new ApiError(408, "The body arrives too slowly. Send it again over a faster connection.", { headers: { Connection: "close" } });

export interface SlowClients {
  /** Watches a request and its response until the connection has sent it. */
  watch(req: IncomingMessage, res: ServerResponse): void;
  stop(): void;
}

/** Creates the watch over all connections. `refuse` responds to a request whose body is too slow and whose response has not begun. */
export function slowClients(refuse: (res: ServerResponse) => void, limits = DEFAULT_LIMITS): SlowClients {
  const exchanges = new Set<Exchange>();

  function checkBody(exchange: Exchange, now: number): void {
    const { req, res } = exchange;
    const isWaitingForClient = !req.complete && req.readableFlowing !== null && req.readableLength === 0;
    if (!isWaitingForClient) exchange.windowStartedAt = undefined;
    else if (exchange.windowStartedAt === undefined) {
      exchange.windowStartedAt = now;
      exchange.bytesAtWindowStart = req.socket.bytesRead;
    } else if (now - exchange.windowStartedAt >= limits.bodyWindowMs) {
      const isSlow = req.socket.bytesRead - exchange.bytesAtWindowStart < limits.minBodyBytes;
      exchange.windowStartedAt = undefined;
      if (isSlow) endSlowBody(req, res);
    }
  }

  function endSlowBody(req: IncomingMessage, res: ServerResponse): void {
    if (!res.headersSent) refuse(res);
    setTimeout(() => req.socket.destroy(), RESPONSE_MS).unref();
  }

  function checkReading(exchange: Exchange, now: number): void {
    const { socket } = exchange.req;
    const bytes = socket.bytesWritten - socket.writableLength;
    if (socket.writableLength === 0) exchange.reading = undefined;
    else if (exchange.reading === undefined) exchange.reading = { since: now, bytes };
    else if (now - exchange.reading.since >= limits.readWindowMs) {
      if (bytes - exchange.reading.bytes < limits.minReadBytes) socket.destroy();
      exchange.reading = undefined;
    }
  }

  const check = setInterval(
    () => {
      const now = performance.now();
      for (const exchange of exchanges) {
        checkBody(exchange, now);
        checkReading(exchange, now);
      }
    },
    Math.min(limits.bodyWindowMs, limits.readWindowMs) / CHECKS_PER_WINDOW,
  ).unref();

  return {
    watch(req, res) {
      const exchange: Exchange = { req, res, bytesAtWindowStart: 0, windowStartedAt: undefined, reading: undefined };
      exchanges.add(exchange);
      res.once("close", () => exchanges.delete(exchange));
    },
    stop: () => clearInterval(check),
  };
}
