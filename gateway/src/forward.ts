/**
 * Forwards requests to the owning service without reading the body. JSON operations use pooled keep-alive connections;
 * operations that stream use http-proxy-middleware.
 */
import { ApiError, unavailable } from "@freehold/kit/errors";
import { countTransferred } from "@freehold/kit/http/transferred-bytes";
import { TRACE_HEADER, traceParent } from "@freehold/kit/observability/tracing";
import type { Service } from "@freehold/contract/operation";
import type { Request, Response } from "express";
import { createProxyMiddleware, proxyEventsPlugin, type RequestHandler } from "http-proxy-middleware";
import { Agent } from "node:http";
import type { Dispatcher } from "undici";
import type { Replica, Upstream } from "./upstream.ts";

/** Values that the gateway sends to the service as headers, in place of the client's headers of the same names. */
export interface ForwardedCaller {
  assertion: string | undefined;
  requestId: string;
  clientAddress: string;
}

export type Forward = (req: Request, res: Response, caller: ForwardedCaller) => Promise<void>;

/** Hop-by-hop headers, and headers that the gateway consumes or replaces. Left out of forwarded requests and responses. */
const unforwardedHeaders = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "host",
  "expect",
  "authorization",
  "x-request-id",
  TRACE_HEADER,
]);
const isReservedHeader = (name: string) => name.startsWith("x-freehold-");

function headersWithCaller(req: Request, { assertion, requestId, clientAddress }: ForwardedCaller): string[] {
  const headers = ["x-request-id", requestId, "x-freehold-client-address", clientAddress];
  if (assertion) headers.push("x-freehold-scope", assertion);
  const trace = traceParent();
  if (trace) headers.push(TRACE_HEADER, trace);
  const raw = req.rawHeaders;
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase();
    if (!unforwardedHeaders.has(name) && !isReservedHeader(name)) headers.push(name, raw[i + 1]!);
  }
  return headers;
}

const hasBody = (req: Request) =>
  req.headers["transfer-encoding"] !== undefined || (req.headers["content-length"] !== undefined && req.headers["content-length"] !== "0");

function jsonForwarder(upstream: Upstream): Forward {
  const sendTo = ({ pool }: Replica, req: Request, res: Response, caller: ForwardedCaller) =>
    new Promise<void>((resolve, reject) => {
      let controller: Dispatcher.DispatchController | undefined;
      const abort = () => {
        if (!res.writableFinished) controller?.abort(new Error("the client disconnected"));
      };
      res.once("close", abort);
      pool.dispatch(
        { path: req.originalUrl, method: req.method as Dispatcher.HttpMethod, headers: headersWithCaller(req, caller), body: hasBody(req) ? req : null },
        {
          onRequestStart: (requestController) => {
            controller = requestController;
            // The client may have disconnected while the request waited for a connection.
            if (res.destroyed) abort();
          },
          onResponseStart(_controller, status, headers) {
            res.statusCode = status;
            for (const name in headers) if (!unforwardedHeaders.has(name)) res.setHeader(name, headers[name]!);
          },
          onResponseData(response, chunk) {
            if (res.write(chunk)) return;
            response.pause();
            res.once("drain", () => response.resume());
          },
          onResponseEnd() {
            res.off("close", abort);
            res.end();
            resolve();
          },
          onResponseError(_controller, error) {
            res.off("close", abort);
            reject(error);
          },
        },
      );
    });
  const sendToNextReplica = async (req: Request, res: Response, caller: ForwardedCaller) => {
    const replica = upstream.next();
    await sendTo(replica, req, res, caller).catch((error: unknown) => {
      if (!res.destroyed) upstream.markUnhealthy(replica);
      throw error;
    });
  };
  return async (req, res, caller) => {
    try {
      // A GET is retried once on the next replica, after its connection was closed or its replica has failed.
      await upstream.admit(() =>
        sendToNextReplica(req, res, caller).catch((error: unknown) => {
          if (req.method !== "GET" || res.headersSent || res.destroyed) throw error;
          return sendToNextReplica(req, res, caller);
        }),
      );
    } catch (error) {
      if (res.destroyed) return;
      if (res.headersSent) res.destroy();
      else throw error instanceof ApiError ? error : unavailable(error);
    }
  };
}

function streamForwarder(upstream: Upstream): Forward {
  const inProgress = new WeakMap<object, { caller: ForwardedCaller; fail: (error: unknown) => void }>();
  const proxy: RequestHandler<Request, Response> = createProxyMiddleware({
    router: () => upstream.next().origin,
    // The default error handler sends plain text.
    ejectPlugins: true,
    plugins: [proxyEventsPlugin],
    agent: new Agent({ keepAlive: true, maxSockets: 256 }),
    on: {
      error: (error, req) => inProgress.get(req)?.fail(error),
      proxyReq(outgoing, req) {
        req.on("data", countTransferred);
        const { assertion, requestId, clientAddress } = inProgress.get(req)!.caller;
        for (const name of outgoing.getHeaderNames()) if (isReservedHeader(name) || name === "authorization") outgoing.removeHeader(name);
        outgoing.setHeader("x-request-id", requestId);
        outgoing.setHeader("x-freehold-client-address", clientAddress);
        if (assertion) outgoing.setHeader("x-freehold-scope", assertion);
        const trace = traceParent();
        if (trace) outgoing.setHeader(TRACE_HEADER, trace);
      },
      // The client's connection is independent of the connection to the service, whose headers do not apply to it.
      proxyRes(incoming) {
        delete incoming.headers["connection"];
        delete incoming.headers["keep-alive"];
        incoming.on("data", countTransferred);
      },
    },
  });
  return (req, res, caller) =>
    new Promise((resolve, reject) => {
      const fail = (error: unknown) => (res.headersSent ? resolve() : reject(unavailable(error)));
      inProgress.set(req, { caller, fail });
      res.once("close", resolve);
      void proxy(req, res, fail);
    });
}

export type Upstreams = Record<Service, Upstream>;

/** Creates the forwarders of all services. The returned function selects the JSON forwarder or the streaming forwarder of a service. */
export function forwarder(upstreams: Upstreams): (service: Service, streams: boolean) => Forward {
  const forwarders = Object.fromEntries(
    Object.entries(upstreams).map(([service, upstream]) => [service, { json: jsonForwarder(upstream), stream: streamForwarder(upstream) }]),
  ) as Record<Service, { json: Forward; stream: Forward }>;
  return (service, streams) => (streams ? forwarders[service].stream : forwarders[service].json);
}
