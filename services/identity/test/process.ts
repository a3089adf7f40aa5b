/** Starts additional identity processes with other settings. */
import { fork } from "node:child_process";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { Client } from "../../../test/support/client.ts";
import { running } from "../../../test/support/running.ts";

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}

interface IdentityReplica {
  client: Client;
  /** Returns the processor time that the replica has used so far. */
  cpuSeconds(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts a replica to be called directly. The replica signs with the ledger's key, so other services reject its calls. */
export async function startIdentity(settings: Record<string, string>): Promise<IdentityReplica> {
  const { ledgerEnvironment, databaseUrls } = running();
  const [port, metricsPort] = [await freePort(), await freePort()];
  const child = fork(fileURLToPath(new URL("../src/main.ts", import.meta.url)), [], {
    execArgv: ["-C", "source"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: {
      ...ledgerEnvironment,
      IDENTITY_DATABASE_URL: databaseUrls.identity.service,
      HTTP_PORT: String(port),
      GRPC_PORT: "0",
      METRICS_PORT: String(metricsPort),
      LOG_LEVEL: "silent",
      ...settings,
    },
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await Promise.race([
    new Promise((resolve) => child.once("message", resolve)),
    exited.then(() => {
      throw new Error("The replica exited before it was ready.");
    }),
  ]);
  return {
    client: new Client(`http://127.0.0.1:${port}`),
    cpuSeconds: async () => {
      const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      return Number(/^process_cpu_seconds_total\S* ([\d.e-]+)/m.exec(metrics)![1]);
    },
    stop: async () => {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
