/** HTTP client with little overhead, since the clients of this test share the CPU with the system. */
import { Agent, request, type IncomingMessage } from "node:http";

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const TIMEOUT_MS = 5_000;

/** Sends JSON and returns the response; undefined when the outcome is unknown. */
export function sendJson(method: string, url: string, token: string, body: object, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; text: string } | undefined>((resolve) => {
    const resolveUnknown = () => resolve(undefined);
    const outgoing = request(
      url,
      { method, agent, timeout: TIMEOUT_MS, headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", ...headers } },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve({ status: response.statusCode!, text }));
        response.on("error", resolveUnknown);
        response.on("close", resolveUnknown);
      },
    );
    outgoing.on("timeout", () => outgoing.destroy());
    outgoing.on("error", resolveUnknown);
    outgoing.end(JSON.stringify(body));
  });
}

/** Opens an event stream on its own connection; undefined unless the status is 200. */
export function openStream(url: string, lastEventId: string | undefined): Promise<IncomingMessage | undefined> {
  return new Promise((resolve) => {
    const headers = { Accept: "text/event-stream", ...(lastEventId !== undefined && { "Last-Event-ID": lastEventId }) };
    let isOpen = false;
    const outgoing = request(url, { agent: false, headers }, (response) => {
      isOpen = true;
      if (response.statusCode === 200) return resolve(response);
      response.destroy();
      resolve(undefined);
    });
    outgoing.on("error", () => resolve(undefined));
    outgoing.setTimeout(TIMEOUT_MS, () => {
      if (!isOpen) outgoing.destroy();
    });
    outgoing.end();
  });
}
