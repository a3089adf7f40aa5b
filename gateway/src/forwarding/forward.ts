/** Forwards requests to the owning service over pooled keep-alive connections: JSON bodies whole, uploads and downloads as streams. */
import type { Operation, Service } from "@freehold/contract/operation";
import { abandoned, ApiError, unavailable } from "@freehold/kit/errors";
import { OVERSIZED_HEADER } from "@freehold/kit/http/webhook-body";
import { requestedFile } from "@freehold/kit/http/accept";
import { sendInTurn } from "@freehold/kit/http/transfers";
import { countTransferred } from "@freehold/kit/http/transferred-bytes";
import type { Request, Response } from "express";
import { PassThrough, type Readable } from "node:stream";
import type { Dispatcher, Pool } from "undici";
import type { Holder, Turn } from "@freehold/kit/fair-turns";
import { bodyReceiver, hasBody, isBodyTooLarge, MAX_BODY_BYTES, maxBodyBytes } from "./request-body.ts";
import { forwardedHeaders } from "./request-headers.ts";
import type { Upstream } from "./upstream.ts";

export interface ForwardedRequest {
  operation: Operation;
  /** Holder of the turn at a connection for JSON. */
  holder: Holder;
  /** Holder of the turn at a connection for files. */
  transferHolder: Holder;
  /** Signed assertion of the caller. */
  assertion: string;
  requestId: string;
}

export type Forward = (service: Service, req: Request, res: Response, forwarded: ForwardedRequest) => Promise<void>;
export type Upstreams = Record<Service, Upstream>;

const BODY_LIMITS = { perMember: 16 * MAX_BODY_BYTES, perGroup: 32 * MAX_BODY_BYTES, total: 96 * MAX_BODY_BYTES };
const UPLOAD_BUFFER_BYTES = 16_384;
/** Headers of a service's response that apply to its connection only, or that the gateway sets itself. */
const unforwardedHeaders = new Set(["connection", "keep-alive", "transfer-encoding", "trailer", "upgrade", "te", "proxy-authenticate", "x-request-id"]);

/** Creates the function that forwards requests to the services. */
export function forwarder(upstreams: Upstreams): Forward {
  const withBody = bodyReceiver(BODY_LIMITS);
  return async (service, req, res, forwarded) => {
    const upstream = upstreams[service];
    const kind = isFile(req, forwarded.operation) ? "files" : "json";
    const headers = forwardedHeaders(req.headers, forwarded.operation, { service, ...forwarded });
    const sendToNextReplica = async (body: Buffer | Readable | undefined, turn: Turn) => {
      // The client may have left while the request waited for its turn.
      if (res.destroyed) return;
      const replica = upstream.next();
      const send = () => exchange(replica[kind], { req, res, headers, body, countsBytes: kind === "files" });
      await (kind === "files" ? sendInTurn(res, turn, send) : send()).catch((error: unknown) => {
        // A response that ends early may be a download whose client read too slowly.
        if (!res.destroyed && !res.headersSent) upstream.markUnhealthy(replica);
        throw error;
      });
    };
    /** Sends a request. A GET is sent once more to the next replica after its connection was closed or its replica has failed. */
    const send = (body: Buffer | undefined) =>
      upstream.turns[kind].run(kind === "files" ? forwarded.transferHolder : forwarded.holder, (turn) =>
        sendToNextReplica(forwarded.operation.streams ? uploadOf(req, headers) : body, turn).catch((error: unknown) => {
          if (req.method !== "GET" || res.headersSent || res.destroyed) throw error;
          return sendToNextReplica(undefined, turn);
        }),
      );
    /** Lets the service refuse a webhook with a body that is too large: one of a receiver that is not configured is sent again later. */
    const sendOversized = (error: unknown) => {
      if (!forwarded.operation.webhook || !isBodyTooLarge(error)) throw error;
      headers[OVERSIZED_HEADER] = "true";
      res.setHeader("Connection", "close");
      return send(undefined);
    };
    const sendWhole = () => withBody(req, { holder: forwarded.holder, maxBytes: maxBodyBytes(forwarded.operation) }, send).catch(sendOversized);
    try {
      await (forwarded.operation.streams ? send(undefined) : sendWhole());
    } catch (error) {
      if (res.destroyed) return;
      if (res.headersSent) res.destroy();
      else throw error instanceof ApiError ? error : unavailable(error);
    }
  };
}

/**
 * Returns the body of an upload as a stream of its own: when the connection to the service ends early, the rest of the client's
 * request is read, so that the client receives the response and can use its connection again.
 */
function uploadOf(req: Request, headers: Record<string, string>): Readable | undefined {
  if (!hasBody(req)) return undefined;
  const length = req.headers["content-length"];
  if (length !== undefined) headers["content-length"] = length;
  const upload = new PassThrough({ highWaterMark: UPLOAD_BUFFER_BYTES });
  // Nobody listens any more once the connection to the service has failed.
  upload.on("error", () => undefined);
  req.once("close", () => {
    if (!req.complete) upload.destroy(abandoned());
  });
  upload.once("close", () => {
    req.unpipe(upload);
    req.resume();
  });
  return req.on("data", countTransferred).pipe(upload);
}

/** Returns whether the response, or the body, can take as long as its client needs: an upload, a download, a list as CSV or a document as PDF. */
function isFile(req: Request, { streams }: Operation): boolean {
  const { format } = req.query;
  const isKnown = format === "csv" || format === "pdf" || format === "json";
  return streams === true || (req.method === "GET" && requestedFile(req, ["text/csv", "application/pdf"], isKnown ? format : undefined) !== undefined);
}

interface Exchange {
  req: Request;
  res: Response;
  headers: Record<string, string>;
  body: Buffer | Readable | undefined;
  /** Set for files, whose transferred bytes are counted so that their buffers are collected. */
  countsBytes: boolean;
}

/** Sends one request to a replica and its response to the client. Rejects when the connection fails, also after the response has begun. */
function exchange(pool: Pool, { req, res, headers, body, countsBytes }: Exchange): Promise<void> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    const abort = () => {
      if (!res.writableFinished) controller?.abort(new Error("the client disconnected"));
    };
    res.once("close", abort);
    res.on("drain", () => controller?.resume());
    pool.dispatch(
      { path: req.originalUrl, method: req.method as Dispatcher.HttpMethod, headers, body: body ?? null },
      {
        onRequestStart(requestController) {
          controller = requestController;
          // The client may have disconnected while the request waited for a connection.
          if (res.destroyed) abort();
        },
        onResponseStart(_controller, status, responseHeaders) {
          res.statusCode = status;
          for (const name in responseHeaders) {
            if (name === "vary") res.vary(responseHeaders[name] as string);
            else if (!unforwardedHeaders.has(name)) res.setHeader(name, responseHeaders[name]!);
          }
        },
        onResponseData(response, chunk) {
          if (countsBytes) countTransferred(chunk);
          if (!res.write(chunk)) response.pause();
        },
        onResponseEnd() {
          res.off("close", abort);
          res.end();
          resolve();
        },
        onResponseError(_controller, error) {
          res.off("close", abort);
          if (body instanceof PassThrough) body.destroy();
          reject(error);
        },
      },
    );
  });
}
