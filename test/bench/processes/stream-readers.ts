/** Process with thousands of event stream readers on plain sockets, so that their own cost is the same for every server. */
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export type Command =
  | { open: { group: string; port: number; path: string; count: number } }
  | { expect: { group: string; marker: string } }
  | { close: { group: string } };
export type Reply = { opened: number } | { armed: true } | { lastAt: number } | { closed: true };

const groups = new Map<string, Socket[]>();
const CONNECT_BATCH_SIZE = 200;
const reply = (message: Reply) => process.send!(message);
/** Returns the monotonic clock shared by all processes of the machine, in milliseconds. */
const now = () => Number(process.hrtime.bigint()) / 1e6;

function connectReader(port: number, path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n`));
    socket.once("error", reject);
    let received = "";
    const onFirstData = (chunk: Buffer) => {
      received += chunk.toString();
      if (!received.startsWith("HTTP/1.1 200")) return reject(new Error(received.slice(0, 300)));
      if (!received.includes("\n\n")) return;
      socket.off("data", onFirstData);
      socket.resume();
      resolve(socket);
    };
    socket.on("data", onFirstData);
  });
}

async function open({ group, port, path, count }: Extract<Command, { open: unknown }>["open"]): Promise<void> {
  const sockets: Socket[] = [];
  while (sockets.length < count)
    sockets.push(...(await Promise.all(Array.from({ length: Math.min(CONNECT_BATCH_SIZE, count - sockets.length) }, () => connectReader(port, path)))));
  groups.set(group, sockets);
  reply({ opened: sockets.length });
}

/** Reports the time at which the last socket of the group has received the marker. */
function expect({ group, marker }: Extract<Command, { expect: unknown }>["expect"]): void {
  const sockets = groups.get(group)!;
  let remaining = sockets.length;
  for (const socket of sockets) {
    const onData = (chunk: Buffer) => {
      if (!chunk.includes(marker)) return;
      socket.off("data", onData);
      remaining--;
      if (remaining === 0) reply({ lastAt: now() });
    };
    socket.on("data", onData);
  }
  reply({ armed: true });
}

async function close(group: string): Promise<void> {
  for (const socket of groups.get(group) ?? []) socket.destroy();
  groups.delete(group);
  await sleep(500);
  reply({ closed: true });
}

process.on("message", (command: Command) => {
  if ("open" in command) void open(command.open);
  else if ("expect" in command) expect(command.expect);
  else void close(command.close.group);
});
process.on("disconnect", () => process.exit(0));
