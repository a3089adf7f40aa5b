/** Baseline process of the event stream: node:http with open responses and a loop of `res.write`. */
import { createServer, type ServerResponse } from "node:http";

const open = new Set<ServerResponse>();
const server = createServer((_req, res) => {
  res.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-store, no-transform" });
  res.write("retry: 3000\n\n");
  open.add(res);
  res.once("close", () => open.delete(res));
});
server.listen(0, "127.0.0.1", () => process.send!({ port: (server.address() as { port: number }).port }));

process.on("message", ({ frame }: { frame: string }) => {
  const startedAt = Number(process.hrtime.bigint()) / 1e6;
  for (const res of open) res.write(frame);
  process.send!({ startedAt });
});
process.on("disconnect", () => process.exit(0));
