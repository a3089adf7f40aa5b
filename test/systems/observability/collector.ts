/** A collector of traces: takes what processes send it and keeps it for the test to read. */
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

export interface Span {
  service: string;
  name: string;
  /** As OTLP numbers them: 2 server, 3 client, 5 consumer. */
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
}

interface Sent {
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

export async function startCollector(): Promise<Collector> {
  const spans: Span[] = [];
  const server = createServer((req, res) => {
    let text = "";
    req.on("data", (chunk: Buffer) => (text += chunk.toString()));
    req.on("end", () => {
      if (req.url === "/v1/traces") spans.push(...spansIn(JSON.parse(text) as Sent));
      res.writeHead(req.url === "/v1/traces" ? 200 : 404, { "Content-Type": "application/json" }).end("{}");
    });
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

const spansIn = ({ resourceSpans }: Sent): Span[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = resource.attributes.find(({ key }) => key === "service.name")?.value.stringValue ?? "";
    return scopeSpans.flatMap((scope) => scope.spans.map((span) => ({ ...span, service })));
  });
