/**
 * Hands a request to the service that owns it, body untouched. JSON goes over pooled keep-alive connections (the fast
 * path); an operation that `streams` goes through http-proxy-middleware.
 */
import { unavailable } from "@freehold/kit/errors";
import { TRACE_HEADER, traceParent } from "@freehold/kit/observability/tracing";
import type { Service } from "@freehold/contract/operation";
import type { Request, Response } from "express";
import { createProxyMiddleware, proxyEventsPlugin, type RequestHandler } from "http-proxy-middleware";
import { Agent } from "node:http";
import type { Dispatcher } from "undici";
import type { Replica, Upstream } from "./upstream.ts";

/** What the gateway says about the caller; whatever a client sent under these names is dropped. */
export interface Sealed {
  scope: string | undefined;
  requestId: string;
  clientAddress: string;
}

export type Forward = (req: Request, res: Response, sealed: Sealed) => Promise<void>;

const dropped = new Set([
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
const isOurs = (name: string) => name.startsWith("x-freehold-");

function headersFor(req: Request, { scope, requestId, clientAddress }: Sealed): string[] {
  const headers = ["x-request-id", requestId, "x-freehold-client-address", clientAddress];
  if (scope) headers.push("x-freehold-scope", scope);
  const trace = traceParent();
  if (trace) headers.push(TRACE_HEADER, trace);
  const raw = req.rawHeaders;
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase();
    if (!dropped.has(name) && !isOurs(name)) headers.push(name, raw[i + 1]!);
  }
  return headers;
}

const hasBody = (req: Request) =>
  req.headers["transfer-encoding"] !== undefined || (req.headers["content-length"] !== undefined && req.headers["content-length"] !== "0");

function jsonForwarder(upstream: Upstream): Forward {
  const sendTo = ({ pool }: Replica, req: Request, res: Response, sealed: Sealed) =>
    new Promise<void>((resolve, reject) => {
      let controller: Dispatcher.DispatchController | undefined;
      const giveUp = () => {
        if (!res.writableFinished) controller?.abort(new Error("the caller went away"));
      };
      res.once("close", giveUp);
      pool.dispatch(
        { path: req.originalUrl, method: req.method as Dispatcher.HttpMethod, headers: headersFor(req, sealed), body: hasBody(req) ? req : null },
        {
          onRequestStart: (begun) => {
            controller = begun;
          },
          onResponseStart(_controller, status, headers) {
            res.statusCode = status;
            for (const name in headers) if (!dropped.has(name)) res.setHeader(name, headers[name]!);
          },
          onResponseData(begun, chunk) {
            if (res.write(chunk)) return;
            begun.pause();
            res.once("drain", () => begun.resume());
          },
          onResponseEnd() {
            res.off("close", giveUp);
            res.end();
            resolve();
          },
          onResponseError(_controller, error) {
            res.off("close", giveUp);
            reject(error);
          },
        },
      );
    });
  const send = async (req: Request, res: Response, sealed: Sealed) => {
    const replica = upstream.next();
    await sendTo(replica, req, res, sealed).catch((error: unknown) => {
      if (!res.destroyed) upstream.fail(replica);
      throw error;
    });
  };
  return async (req, res, sealed) => {
    try {
      // A read that met a connection just closing, or a replica that is gone, is safe to ask again.
      await send(req, res, sealed).catch((error: unknown) => {
        if (req.method !== "GET" || res.headersSent || res.destroyed) throw error;
        return send(req, res, sealed);
      });
    } catch (error) {
      if (res.destroyed) return;
      if (res.headersSent) res.destroy();
      else throw unavailable(error);
    }
  };
}

function streamForwarder(upstream: Upstream): Forward {
  const underWay = new WeakMap<object, { sealed: Sealed; fail: (error: unknown) => void }>();
  const proxy: RequestHandler<Request, Response> = createProxyMiddleware({
    router: () => upstream.next().origin,
    // Its own answer to an error is text; ours is made where every failure is.
    ejectPlugins: true,
    plugins: [proxyEventsPlugin],
    agent: new Agent({ keepAlive: true, maxSockets: 256 }),
    on: {
      error: (error, req) => underWay.get(req)?.fail(error),
      proxyReq(outgoing, req) {
        const { scope, requestId, clientAddress } = underWay.get(req)!.sealed;
        for (const name of outgoing.getHeaderNames()) if (isOurs(name) || name === "authorization") outgoing.removeHeader(name);
        outgoing.setHeader("x-request-id", requestId);
        outgoing.setHeader("x-freehold-client-address", clientAddress);
        if (scope) outgoing.setHeader("x-freehold-scope", scope);
        const trace = traceParent();
        if (trace) outgoing.setHeader(TRACE_HEADER, trace);
      },
      // Whether a service goes on with its connection says nothing of the caller's, who may still be sending.
      proxyRes(incoming) {
        delete incoming.headers["connection"];
        delete incoming.headers["keep-alive"];
      },
    },
  });
  return (req, res, sealed) =>
    new Promise((resolve, reject) => {
      const fail = (error: unknown) => (res.headersSent ? resolve() : reject(unavailable(error)));
      underWay.set(req, { sealed, fail });
      res.once("close", resolve);
      void proxy(req, res, fail);
    });
}

export type Upstreams = Record<Service, Upstream>;

/** The one place that says which way an operation goes. */
export function forwarder(upstreams: Upstreams): (service: Service, streams: boolean) => Forward {
  const both = Object.fromEntries(
    Object.entries(upstreams).map(([service, upstream]) => [service, { json: jsonForwarder(upstream), stream: streamForwarder(upstream) }]),
  ) as Record<Service, { json: Forward; stream: Forward }>;
  return (service, streams) => (streams ? both[service].stream : both[service].json);
}
