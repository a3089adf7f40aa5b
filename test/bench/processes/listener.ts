/** Notes when each event arrives: at a client of the event stream, or at a bare subscriber of NATS. Runs as a process of its own. */
import { request } from "node:http";
import { connectBus } from "@freehold/kit/events/nats";

export type Order = { stream: string } | { natsUrl: string; subject: string } | "collect";
export type Report = { ready: true } | { arrivals: Map<string, number> };

let arrivals = new Map<string, number>();
/** The wall clock, finer than `Date.now` tells it. */
const now = () => performance.timeOrigin + performance.now();
const note = (text: string) => {
  const at = now();
  for (const [, id] of text.matchAll(/"entityId":"([0-9a-f-]{36})"/g)) arrivals.set(id!, at);
};

function follow(url: string): void {
  request(url, { headers: { accept: "text/event-stream" } }, (res) => {
    if (res.statusCode !== 200) throw new Error(`The stream answered ${res.statusCode}.`);
    res.setEncoding("utf8");
    let rest = "";
    res.on("data", (chunk: string) => {
      const end = (rest + chunk).lastIndexOf("\n\n") + 2;
      if (end > 1) note((rest + chunk).slice(0, end));
      rest = (rest + chunk).slice(end > 1 ? end : 0);
    });
    res.once("data", () => process.send!({ ready: true }));
  }).end();
}

async function subscribe(natsUrl: string, subject: string): Promise<void> {
  const { connection } = await connectBus(natsUrl, "freehold-bench-listener");
  connection.subscribe(subject, { callback: (_error, message) => note(message.string()) });
  await connection.flush();
  process.send!({ ready: true });
}

process.on("message", (order: Order) => {
  if (order === "collect") {
    process.send!({ arrivals });
    arrivals = new Map();
  } else if ("stream" in order) follow(order.stream);
  else void subscribe(order.natsUrl, order.subject);
});
process.on("disconnect", () => process.exit(0));
