/** Connections to NATS servers in tests. */
import { join } from "node:path";
import type { BusOptions } from "@freehold/kit/events/connection";
import { connectBus, type EventBus } from "@freehold/kit/events/nats";
import type { NatsAccess } from "../../../deploy/system/layout.ts";
import { findNats } from "../../../deploy/system/nats.ts";
import { freePorts } from "../../../deploy/system/ports.ts";
import type { ProcessName } from "../../../deploy/system/secrets.ts";
import { supervise, type SupervisedProcess } from "../../../deploy/system/supervise.ts";

/** Returns the options of a connection with the credentials of a process. Those of the gateway allow it to read the whole event stream. */
export const optionsOf = (name: ProcessName, { url, ca, passwords }: NatsAccess): BusOptions => ({ url, ca, user: name, password: passwords[name] });

/** Connects to the NATS servers of a system with the credentials of a process. */
export const connectAs = (name: ProcessName, nats: NatsAccess): Promise<EventBus> => connectBus(optionsOf(name, nats));

/** Starts a NATS server without TLS and users, which lets every client do everything. Clients wait until it is ready. */
export async function startOpenNats(dir: string, ...args: string[]): Promise<{ options: BusOptions; server: SupervisedProcess }> {
  const [port] = await freePorts(1);
  const file = findNats(() => undefined);
  const addressArgs = ["--addr", "127.0.0.1", "--port", String(port)];
  const child = { name: "nats", file, args: [...addressArgs, ...args], env: {}, cwd: dir, stopSignal: "SIGTERM" as const };
  const server = supervise(child, join(dir, "nats.log"), () => undefined);
  return { options: { url: `nats://127.0.0.1:${port}`, user: "test", password: "unused" }, server };
}

/** Restarts NATS, with other stored data if the action changes them, and waits for the connections to it. */
export async function restartNats(server: SupervisedProcess, buses: readonly EventBus[], whileStopped: () => void): Promise<void> {
  const reconnected = buses.map(async ({ connection }) => {
    for await (const { type } of connection.status()) if (type === "reconnect") return;
  });
  await server.stop();
  whileStopped();
  await server.restart();
  await Promise.all(reconnected);
}
