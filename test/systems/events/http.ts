/** HTTP as cheap as it gets: the callers of this test share two cores with everything they call. */
import { Agent, request, type IncomingMessage } from "node:http";

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const TIMEOUT_MS = 5_000;

/** Sends JSON and answers what came back; undefined when nobody knows. */
export function sendJson(method: string, url: string, token: string, body: object, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; text: string } | undefined>((resolve) => {
    const nothing = () => resolve(undefined);
    const sent = request(
      url,
      { method, agent, timeout: TIMEOUT_MS, headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", ...headers } },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve({ status: response.statusCode!, text }));
        response.on("error", nothing);
        response.on("close", nothing);
      },
    );
    sent.on("timeout", () => sent.destroy());
    sent.on("error", nothing);
    sent.end(JSON.stringify(body));
  });
}

/** Opens an event stream on a connection of its own; undefined when it is refused. */
export function openStream(url: string, lastEventId: string | undefined): Promise<IncomingMessage | undefined> {
  return new Promise((resolve) => {
    const headers = { Accept: "text/event-stream", ...(lastEventId !== undefined && { "Last-Event-ID": lastEventId }) };
    let isOpen = false;
    const sent = request(url, { agent: false, headers }, (response) => {
      isOpen = true;
      if (response.statusCode === 200) return resolve(response);
      response.destroy();
      resolve(undefined);
    });
    sent.on("error", () => resolve(undefined));
    sent.setTimeout(TIMEOUT_MS, () => {
      if (!isOpen) sent.destroy();
    });
    sent.end();
  });
}
