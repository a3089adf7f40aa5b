/** SMS provider for tests: an HTTP server that records text messages, and responds as requested. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Received request for a text message. */
export interface ReceivedSms {
  path: string;
  authorization: string | undefined;
  form: Record<string, string>;
}

export interface SmsServer {
  url: string;
  /** Received requests, whatever the response. */
  received: ReceivedSms[];
  /** Sets the response to the following requests; undefined accepts them again. */
  respondWith(respond: ((response: ServerResponse) => void) | undefined): void;
  close(): Promise<void>;
}

const accept = (response: ServerResponse, number: number) =>
  response.writeHead(201, { "Content-Type": "application/json" }).end(JSON.stringify({ sid: `SM${number}`, status: "queued" }));

export async function startSmsServer(): Promise<SmsServer> {
  const received: ReceivedSms[] = [];
  let respond: ((response: ServerResponse) => void) | undefined;
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
      received.push({ path: request.url!, authorization: request.headers.authorization, form });
      if (respond) respond(response);
      else accept(response, received.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    respondWith: (next) => (respond = next),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
