/** NATS client that sends given protocol lines, including those that a client library would not send. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import type { NatsAccess } from "../../../deploy/system/layout.ts";

const TIMEOUT_MS = 10_000;

/** Opens a connection, sends the lines and a PING, and returns all that the server sends until its PONG or the end of the connection. */
export async function converse({ url, ca }: NatsAccess, lines: readonly string[], { hasTls }: { hasTls: boolean }): Promise<string> {
  const { hostname, port } = new URL(url);
  const plain = connect(Number(port), hostname);
  await once(plain, "data");
  const socket: Socket = hasTls ? connectTls({ socket: plain, servername: "localhost", ca: readFileSync(ca!) }) : plain;
  let received = "";
  const ended = new Promise<void>((resolve) => {
    socket.on("data", (chunk: Buffer) => {
      received += chunk.toString();
      if (received.includes("PONG")) resolve();
    });
    socket.once("close", () => resolve());
    socket.on("error", (error) => (received += String(error)));
  });
  socket.write([...lines, "PING", ""].join("\r\n"));
  const isTimely = await Promise.race([ended.then(() => true), sleep(TIMEOUT_MS, false, { ref: false })]);
  socket.destroy();
  if (!isTimely) throw new Error(`The server neither responded nor closed the connection; it sent ${received}`);
  return received;
}
