/** Process that records the arrival time of each event, as a client of the event stream or as a bare NATS subscriber. */
import { request } from "node:http";
import type { BusOptions } from "@freehold/kit/events/connection";
import { connectBus } from "@freehold/kit/events/nats";

export type Command = { stream: string } | { natsOptions: BusOptions; subject: string } | "collect";
export type Reply = { ready: true } | { arrivals: Map<string, number> };

let arrivals = new Map<string, number>();
/** Returns the wall clock in milliseconds, with a finer resolution than `Date.now`. */
const now = () => performance.timeOrigin + performance.now();
const recordArrivals = (text: string) => {
  const at = now();
  for (const [, id] of text.matchAll(/"entityId":"([0-9a-f-]{36})"/g)) arrivals.set(id!, at);
};

function readStream(url: string): void {
  request(url, { headers: { accept: "text/event-stream" } }, (res) => {
    if (res.statusCode !== 200) throw new Error(`The stream returned status ${res.statusCode}.`);
    res.setEncoding("utf8");
    let buffered = "";
    res.on("data", (chunk: string) => {
      const end = (buffered + chunk).lastIndexOf("\n\n") + 2;
      if (end > 1) recordArrivals((buffered + chunk).slice(0, end));
      buffered = (buffered + chunk).slice(end > 1 ? end : 0);
    });
    res.once("data", () => process.send!({ ready: true }));
  }).end();
}

async function subscribe(natsOptions: BusOptions, subject: string): Promise<void> {
  const { connection } = await connectBus(natsOptions);
  connection.subscribe(subject, { callback: (_error, message) => recordArrivals(message.string()) });
  await connection.flush();
  process.send!({ ready: true });
}

process.on("message", (command: Command) => {
  if (command === "collect") {
    process.send!({ arrivals });
    arrivals = new Map();
  } else if ("stream" in command) readStream(command.stream);
  else void subscribe(command.natsOptions, command.subject);
});
process.on("disconnect", () => process.exit(0));
