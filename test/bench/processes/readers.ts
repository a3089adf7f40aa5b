/** Thousands of readers of event streams, as plain sockets: what they cost themselves is the same whoever serves them. Runs as a process of its own. */
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export type Order =
  | { open: { group: string; port: number; path: string; count: number } }
  | { expect: { group: string; marker: string } }
  | { close: { group: string } };
export type Report = { opened: number } | { armed: true } | { lastAt: number } | { closed: true };

const groups = new Map<string, Socket[]>();
const AT_ONCE = 200;
const report = (report: Report) => process.send!(report);
/** The clock that all processes of a machine share, in milliseconds. */
const now = () => Number(process.hrtime.bigint()) / 1e6;

function reader(port: number, path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n`));
    socket.once("error", reject);
    let head = "";
    const begin = (chunk: Buffer) => {
      head += chunk.toString();
      if (!head.startsWith("HTTP/1.1 200")) return reject(new Error(head.slice(0, 300)));
      if (!head.includes("\n\n")) return;
      socket.off("data", begin);
      socket.resume();
      resolve(socket);
    };
    socket.on("data", begin);
  });
}

async function open({ group, port, path, count }: Extract<Order, { open: unknown }>["open"]): Promise<void> {
  const sockets: Socket[] = [];
  while (sockets.length < count)
    sockets.push(...(await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - sockets.length) }, () => reader(port, path)))));
  groups.set(group, sockets);
  report({ opened: sockets.length });
}

/** Says when the last of the group has been sent the marker. */
function expect({ group, marker }: Extract<Order, { expect: unknown }>["expect"]): void {
  const sockets = groups.get(group)!;
  let left = sockets.length;
  for (const socket of sockets) {
    const look = (chunk: Buffer) => {
      if (!chunk.includes(marker)) return;
      socket.off("data", look);
      left--;
      if (left === 0) report({ lastAt: now() });
    };
    socket.on("data", look);
  }
  report({ armed: true });
}

async function close(group: string): Promise<void> {
  for (const socket of groups.get(group) ?? []) socket.destroy();
  groups.delete(group);
  await sleep(500);
  report({ closed: true });
}

process.on("message", (order: Order) => {
  if ("open" in order) void open(order.open);
  else if ("expect" in order) expect(order.expect);
  else void close(order.close.group);
});
process.on("disconnect", () => process.exit(0));
