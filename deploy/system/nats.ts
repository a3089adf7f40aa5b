/** Embedded NATS servers. They run the nats-server on the PATH, or else the one of Debian's package. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { certificateFiles, ensureCertificates } from "../nats/certificates.ts";
import { natsConfiguration } from "../nats/configuration.ts";
import { commandLineOf } from "./command-line.ts";
import { endWithLauncher } from "./end-with-launcher.ts";
import type { NatsAccess } from "./layout.ts";
import { ensurePrivateDirectory, writePrivateFile } from "./private-files.ts";
import { findProgram } from "./programs.ts";
import type { ChildOptions } from "./supervise.ts";

/** Returns the path of nats-server. */
export const findNats = (say: (progress: string) => void): string =>
  findProgram("nats-server", { alternative: "set NATS_URL to a server with JetStream", say });

/** Kills the server that a killed launcher left running. */
function killOrphan(pidFile: string): void {
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, "utf8"));
  try {
    if (commandLineOf(pid).includes(pidFile)) process.kill(pid, "SIGKILL");
  } catch {
    // The process has exited already.
  }
  rmSync(pidFile, { force: true });
}

export interface NatsOptions {
  dir: string;
  /** Two ports for each server: first the client ports of all servers, then their cluster ports. */
  ports: readonly number[];
  passwords: NatsAccess["passwords"];
  say: (progress: string) => void;
}

export interface EmbeddedNats {
  access: NatsAccess;
  children: ChildOptions[];
  ready: () => Promise<void>;
}

/** Prepares one server or a cluster of servers, with their certificates, configuration files and stores under the data directory. */
export async function prepareNats({ dir, ports, passwords, say }: NatsOptions): Promise<EmbeddedNats> {
  const executable = findNats(say);
  await ensureCertificates(dir, ["localhost", "127.0.0.1"]);
  const count = ports.length / 2;
  const clientPorts = ports.slice(0, count);
  const clusterAddresses = ports.slice(count).map((port) => `127.0.0.1:${port}`);
  const children = clientPorts.map((port, index): ChildOptions => {
    const name = index === 0 ? "nats" : `nats.${index + 1}`;
    const serverDir = count === 1 ? dir : join(dir, name);
    ensurePrivateDirectory(serverDir);
    const pidFile = join(serverDir, "nats.pid");
    killOrphan(pidFile);
    const configurationFile = join(serverDir, "nats.conf");
    const configuration = natsConfiguration({
      server: `server_name: ${name}\nlisten: 127.0.0.1:${port}\njetstream {\n  store_dir: ${JSON.stringify(serverDir)}\n}`,
      certificateDir: dir,
      passwordOf: (process) => JSON.stringify(passwords[process]),
      cluster: count === 1 ? undefined : { listen: clusterAddresses[index]!, routes: clusterAddresses.map((address) => `nats://${address}`) },
    });
    writePrivateFile(configurationFile, configuration);
    return { name, ...endWithLauncher("SIGTERM", [executable, "-c", configurationFile, "-P", pidFile]), env: {}, cwd: "/", stopSignal: "SIGTERM" };
  });
  return {
    access: { url: clientPorts.map((port) => `tls://127.0.0.1:${port}`).join(","), ca: certificateFiles(dir).ca, passwords },
    children,
    ready: async () => {
      await Promise.all(clientPorts.map(waitForPort));
    },
  };
}

async function waitForPort(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = createConnection({ host: "127.0.0.1", port }, () => {
        socket.destroy();
        resolve(true);
      });
      socket.once("error", () => resolve(false));
    });
    if (isOpen) return;
    await sleep(50);
  }
  throw new Error("The NATS server did not respond within 10 seconds.");
}
