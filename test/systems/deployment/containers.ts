/**
 * Runs the containers of deploy/docker-compose.yaml without a container engine: the same programs with the same settings, each
 * in its own folder. Only the addresses and ports differ, since all run on one machine.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { deploymentHosts, postgresHosts } from "../../../deploy/certificates.ts";
import { keyLines } from "../../../deploy/keys.ts";
import { ensureCertificates } from "../../../deploy/nats/certificates.ts";
import { CONTAINER_CERTIFICATE_DIR } from "../../../deploy/nats/configuration.ts";
import { findNats } from "../../../deploy/system/nats.ts";
import { freePorts } from "../../../deploy/system/ports.ts";
import { preparePostgres } from "../../../deploy/system/postgres.ts";
import { processes, services, type ProcessName } from "../../../deploy/system/secrets.ts";
import { supervise, type SupervisedProcess } from "../../../deploy/system/supervise.ts";
import { parseEnv } from "node:util";
import { exampleEnvironment, readCompose, type Compose } from "./compose.ts";
import { imageCommand } from "./dockerfile.ts";

const PATH = process.env["PATH"]!;
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
/** Local port by `host:port` of the deployment. */
export type LocalPorts = Map<string, number>;

/** Returns the settings of a container with its ports and every address of the deployment replaced by local ones. */
export function relocateSettings(containerName: string, settings: Record<string, string>, localPorts: LocalPorts): Record<string, string> {
  const localPortOf = (port: string) => String(localPorts.get(`${containerName}:${port}`));
  return Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [
      key,
      /^((HTTP|GRPC|METRICS)_)?PORT$/.test(key)
        ? localPortOf(value)
        : value === "0.0.0.0"
          ? "127.0.0.1"
          : value.replaceAll(/\b([a-z-]+):(\d+)\b/g, (address) => (localPorts.has(address) ? `127.0.0.1:${localPorts.get(address)}` : address)),
    ]),
  );
}

async function assignLocalPorts(): Promise<LocalPorts> {
  const deploymentAddresses = [...processes.flatMap((name) => [8080, 9090, 9464].map((port) => `${name}:${port}`)), "postgres:5432", "nats:4222", "nats:8222"];
  const ports = await freePorts(deploymentAddresses.length);
  return new Map(deploymentAddresses.map((address, index) => [address, ports[index]!]));
}

/** Returns the process of a container: its command in its built folder, with no other environment than the settings, PATH and NODE_ENV. */
const containerProcess = (folder: string, command: readonly string[], settings: Record<string, string>) => ({
  file: command[0] === "node" ? process.execPath : command[0]!,
  args: command.slice(1),
  cwd: folder,
  env: { PATH, NODE_ENV: "production", ...settings },
});

/** Runs a container's command until it exits, at most 30 seconds, and returns its exit code and output. */
export function runToEnd(folder: string, command: readonly string[], settings: Record<string, string>): { code: number | null; output: string } {
  const { file, args, ...options } = containerProcess(folder, command, settings);
  const { status, stdout, stderr } = spawnSync(file, args, { ...options, encoding: "utf8", timeout: 30_000 });
  return { code: status, output: `${stdout}${stderr}`.trim() };
}

export interface Containers {
  baseUrl: string;
  localPorts: LocalPorts;
  settingsOf(name: ProcessName): Record<string, string>;
  /** Output of the migration of each service. */
  migrationOutputs: Record<string, string>;
  stop(): Promise<void>;
}

/** Starts all containers in the order of compose and waits until every process is ready. `folders` are the built folders by process. */
export async function startContainers(dir: string, folders: Record<string, string>): Promise<Containers> {
  const localPorts = await assignLocalPorts();
  const baseUrl = `http://127.0.0.1:${localPorts.get("gateway:8080")}`;
  const environment = { ...exampleEnvironment(), ...parseEnv(keyLines()), PUBLIC_URL: baseUrl, DEV_OUTBOX: "true" } as Record<string, string>;
  const compose = readCompose(environment);
  const children: SupervisedProcess[] = [];
  const run = (child: Parameters<typeof supervise>[0]) => {
    const supervised = supervise(child, join(dir, "logs", `${child.name}.log`), () => undefined);
    children.push(supervised);
    return supervised;
  };
  const stop = async () => {
    for (const group of [["gateway"], services, ["nats", "postgres"]])
      await Promise.all(children.filter(({ name }) => (group as readonly string[]).includes(name)).map((child) => child.stop()));
  };
  try {
    await ensureCertificates(postgresCertificateDir(dir), postgresHosts);
    const postgres = await preparePostgres({
      dir: join(dir, "postgres"),
      port: localPorts.get("postgres:5432")!,
      fsync: "off",
      settings: tlsSettings(compose, dir),
    });
    run(postgres.child);
    run(await prepareNatsServer(compose, localPorts, dir));
    await postgres.ready();
    createDatabases(compose, postgres.url, dir);
    const settingsOf = (name: string) => relocateCertificates(relocateSettings(name, compose.services[name]!.environment!, localPorts), dir);
    const migrationOutputs = Object.fromEntries(
      services.map((name) => {
        const { code, output } = runToEnd(folders[name]!, compose.services[`${name}-migration`]!.command!, settingsOf(`${name}-migration`));
        if (code !== 0) throw new Error(output);
        return [name, output];
      }),
    );
    const started = processes.map((name) =>
      run({ name, ...containerProcess(folders[name]!, imageCommand(), settingsOf(name)), stopSignal: "SIGTERM", reportsReady: true }),
    );
    await Promise.all(started.map(({ ready }) => ready));
    return { baseUrl, localPorts, settingsOf, migrationOutputs, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const certificateDir = (dir: string): string => join(dir, "certificates");
const postgresCertificateDir = (dir: string): string => join(dir, "certificates", "postgres");

/** Returns the settings of PostgreSQL's command in compose that concern TLS, with the local certificates. */
const tlsSettings = (compose: Compose, dir: string): Record<string, string> =>
  Object.fromEntries(
    compose.services["postgres"]!.command!.filter((word) => word.startsWith("ssl")).map((word) => {
      const [name, value] = word.split("=") as [string, string];
      return [name, value.replace("/run/postgres-tls", postgresCertificateDir(dir))];
    }),
  );

/** Replaces the folder of the certificates in a container by the local one. */
const relocateCertificates = (settings: Record<string, string>, dir: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [
      key,
      value.replace(CONTAINER_CERTIFICATE_DIR, certificateDir(dir)).replace("/etc/postgres-tls", postgresCertificateDir(dir)),
    ]),
  );

/** Returns the server with the configuration file of compose, in which only ports and paths are replaced, and with new certificates. */
async function prepareNatsServer(compose: Compose, localPorts: LocalPorts, dir: string): Promise<Parameters<typeof supervise>[0]> {
  const { command, configs, environment } = compose.services["nats"]!;
  const { source, target } = configs![0]!;
  const configuration = readFileSync(here(`../../../deploy/${compose.configs[source]!.file}`), "utf8")
    .replace("0.0.0.0:4222", `127.0.0.1:${localPorts.get("nats:4222")}`)
    .replace(":8222", `:${localPorts.get("nats:8222")}`)
    .replace("/data", join(dir, "nats"))
    .replaceAll(CONTAINER_CERTIFICATE_DIR, certificateDir(dir));
  const file = join(dir, "nats.conf");
  writeFileSync(file, configuration);
  await ensureCertificates(certificateDir(dir), deploymentHosts);
  const args = command!.map((word) => word.replace(target, file));
  return { name: "nats", file: findNats(() => undefined), args, env: environment!, cwd: "/", stopSignal: "SIGTERM" };
}

/** Runs the script that creates the databases, as PostgreSQL's image does on an empty volume. */
function createDatabases(compose: Compose, adminUrl: string, dir: string): void {
  const { port, username, password } = new URL(adminUrl);
  const bin = join(dir, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "psql"), `#!/bin/sh\nexec '${process.execPath}' '${here("psql.ts")}' "$@"\n`, { mode: 0o755 });
  const { status, stderr } = spawnSync("sh", [here(`../../../deploy/${compose.configs["databases"]!.file}`)], {
    encoding: "utf8",
    env: {
      ...compose.services["postgres"]!.environment,
      PATH: `${bin}:${PATH}`,
      POSTGRES_USER: username,
      PGHOST: "127.0.0.1",
      PGPORT: port,
      PGPASSWORD: password,
    },
  });
  if (status !== 0) throw new Error(`The databases could not be created: ${stderr}`);
}
