/** OTLP collector for tests: stores the received spans in memory. */
import { createServer, type IncomingMessage } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

export interface Span {
  service: string;
  name: string;
  /** Span kind of OTLP: 2 server, 3 client, 5 consumer. */
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
}

interface ExportRequest {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] };
    scopeSpans: { spans: Omit<Span, "service">[] }[];
  }[];
}

export interface Collector {
  endpoint: string;
  spans: Span[];
  close(): Promise<void>;
}

/** Starts the collector on a free port. */
export async function startCollector(): Promise<Collector> {
  const spans: Span[] = [];
  const server = createServer((req, res) => {
    void storeSpans(spans, req)
      .catch(() => 400)
      .then((status) => res.writeHead(status, { "Content-Type": "application/json" }).end("{}"));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Stores the spans of an export request and returns the status of the response. */
async function storeSpans(spans: Span[], req: IncomingMessage): Promise<200 | 404> {
  if (req.url !== "/v1/traces") return 404;
  spans.push(...extractSpans((await json(req)) as ExportRequest));
  return 200;
}

const extractSpans = ({ resourceSpans }: ExportRequest): Span[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = resource.attributes.find(({ key }) => key === "service.name")?.value.stringValue ?? "";
    return scopeSpans.flatMap((scope) => scope.spans.map((span) => ({ ...span, service })));
  });
