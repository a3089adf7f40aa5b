/** Starts additional processes of a service, with other settings or to be killed. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { freePorts } from "../../deploy/system/ports.ts";
import { readSecrets } from "../../deploy/system/secrets.ts";
import { preloadEnvironment } from "../../deploy/system/supervise.ts";
import { running } from "./running.ts";

/** Address on which no process listens. */
export const UNREACHABLE_ADDRESS = "127.0.0.1:9";

interface ServiceProcess {
  baseUrl: string;
  metricsUrl: string;
  /** Sends the signal and returns after the process has exited. */
  end(signal: "SIGTERM" | "SIGKILL"): Promise<void>;
}

/**
 * Starts a process of a service on the database of the system under test and waits until it is ready; it runs due jobs and
 * publishes events like any replica.
 */
export async function startServiceProcess(
  service: "identity" | "portfolio" | "communications" | "imports",
  settings: Record<string, string>,
): Promise<ServiceProcess> {
  const { dataDir, ledgerEnvironment, databaseUrls, nats } = running();
  const [httpPort, metricsPort] = (await freePorts(2)) as [number, number];
  const child = fork(fileURLToPath(new URL(`../../services/${service}/src/main.ts`, import.meta.url)), {
    execArgv: ["-C", "source"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: {
      ...preloadEnvironment,
      ...ledgerEnvironment,
      ASSERTION_KEY: readSecrets(dataDir).assertionKeys[service].privateKey,
      NATS_USER: service,
      NATS_PASSWORD: nats.passwords[service],
      [`${service.toUpperCase()}_DATABASE_URL`]: databaseUrls[service].service,
      HTTP_PORT: String(httpPort),
      GRPC_PORT: "0",
      METRICS_PORT: String(metricsPort),
      LOG_LEVEL: "silent",
      ...settings,
    },
  });
  const exited = once(child, "exit");
  await Promise.race([
    once(child, "message"),
    exited.then(([code]) => Promise.reject(new Error(`The process of ${service} exited with code ${String(code)} before it was ready.`))),
  ]);
  return {
    baseUrl: `http://127.0.0.1:${httpPort}`,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    async end(signal) {
      child.kill(signal);
      await exited;
    },
  };
}
