/** Baseline process of the event stream: a node:http server that writes each frame to every open response. */
import { createServer, type ServerResponse } from "node:http";

const openResponses = new Set<ServerResponse>();
const server = createServer((_req, res) => {
  res.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-store, no-transform" });
  res.write("retry: 3000\n\n");
  openResponses.add(res);
  res.once("close", () => openResponses.delete(res));
});
server.listen(0, "127.0.0.1", () => process.send!({ port: (server.address() as { port: number }).port }));

process.on("message", ({ frame }: { frame: string }) => {
  const startedAt = Number(process.hrtime.bigint()) / 1e6;
  for (const res of openResponses) res.write(frame);
  process.send!({ startedAt });
});
process.on("disconnect", () => process.exit(0));
