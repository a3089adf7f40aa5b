/**
 * Runs the containers of deploy/docker-compose.yaml without a container engine: the same programs with the same settings, each
 * in its own folder. Only the addresses and ports differ, since all run on one machine.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { deploymentHosts, postgresHosts } from "../../../deploy/certificates.ts";
import { createSecrets } from "../../../deploy/keys.ts";
import { ensureCertificates } from "../../../deploy/nats/certificates.ts";
import { findNats } from "../../../deploy/system/nats.ts";
import { freePorts } from "../../../deploy/system/ports.ts";
import { preparePostgres } from "../../../deploy/system/postgres.ts";
import { processes, services, type ProcessName } from "../../../deploy/system/secrets.ts";
import { supervise, type SupervisedProcess } from "../../../deploy/system/supervise.ts";
import { type Compose, exampleEnvironment, mountsOf, readCompose } from "./compose.ts";
import { imageCommand } from "./dockerfile.ts";

const PATH = process.env["PATH"]!;
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
/** Local port by `host:port` of the deployment. */
export type LocalPorts = Map<string, number>;
/** Replaces every address and every mounted file of a container in a text by the local ones. */
type Relocate = (text: string) => string;

/** Returns the settings of a container with its ports and every address and mounted file of the deployment replaced by local ones. */
function relocateSettings(name: string, settings: Record<string, string>, localPorts: LocalPorts, relocate: Relocate): Record<string, string> {
  const isPort = (key: string) => /^((HTTP|GRPC|METRICS)_)?PORT$/.test(key);
  return Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [
      key,
      isPort(key) ? String(localPorts.get(`${name}:${value}`)) : value === "0.0.0.0" ? "127.0.0.1" : relocate(value),
    ]),
  );
}

/**
 * Writes the configs and secrets of a container into a folder of its own, as compose mounts them, with the addresses of the
 * deployment replaced by local ones.
 */
function mountFiles(compose: Compose, name: string, dir: string, localPorts: LocalPorts): Relocate {
  const root = join(dir, "mounted", name);
  const mounts = mountsOf(compose, compose.services[name]!);
  const relocate: Relocate = (text) =>
    mounts.reduce(
      (relocated, { target }) => relocated.replaceAll(target, join(root, target)),
      text.replaceAll(/\b([a-z-]+):(\d+)\b/g, (address) => (localPorts.has(address) ? `127.0.0.1:${localPorts.get(address)}` : address)),
    );
  for (const { file, target } of mounts) {
    const isCreated = /^(certificates|secrets)\//.test(file);
    mkdirSync(dirname(join(root, target)), { recursive: true });
    writeFileSync(join(root, target), relocate(readFileSync(isCreated ? join(dir, file) : here(`../../../deploy/${file}`), "utf8")));
  }
  return relocate;
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
  const compose = readCompose({ ...exampleEnvironment(), PUBLIC_URL: baseUrl, DEV_OUTBOX: "true" });
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
    createSecrets(join(dir, "secrets"));
    await ensureCertificates(join(dir, "certificates"), deploymentHosts);
    await ensureCertificates(postgresCertificateDir(dir), postgresHosts);
    const relocations = new Map(Object.keys(compose.services).map((name) => [name, mountFiles(compose, name, dir, localPorts)]));
    const settingsOf = (name: string) => relocateSettings(name, compose.services[name]!.environment ?? {}, localPorts, relocations.get(name)!);
    const postgres = await preparePostgres({
      dir: join(dir, "postgres"),
      port: localPorts.get("postgres:5432")!,
      fsync: "off",
      settings: tlsSettings(compose, dir),
    });
    run(postgres.child);
    run(natsServer(compose, localPorts, dir, relocations.get("nats")!));
    await postgres.ready();
    createDatabases(compose, postgres.url, dir, settingsOf("postgres"));
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

const postgresCertificateDir = (dir: string): string => join(dir, "certificates", "postgres");

/** Returns the settings of PostgreSQL's command in compose that concern TLS, with the local certificates. */
const tlsSettings = (compose: Compose, dir: string): Record<string, string> =>
  Object.fromEntries(
    compose.services["postgres"]!.command!.filter((word) => word.startsWith("ssl")).map((word) => {
      const [name, value] = word.split("=") as [string, string];
      return [name, value.replace("/run/postgres-tls", postgresCertificateDir(dir))];
    }),
  );

/** Returns the server with the mounted configuration file, in which the ports and the path of the volume are replaced, too. */
function natsServer(compose: Compose, localPorts: LocalPorts, dir: string, relocate: Relocate): Parameters<typeof supervise>[0] {
  const args = compose.services["nats"]!.command!.map(relocate);
  const file = args.at(-1)!;
  const configuration = readFileSync(file, "utf8")
    .replace("0.0.0.0:4222", `127.0.0.1:${localPorts.get("nats:4222")}`)
    .replace(":8222", `:${localPorts.get("nats:8222")}`)
    .replace("store_dir: /data", `store_dir: ${join(dir, "nats")}`);
  writeFileSync(file, configuration);
  return { name: "nats", file: findNats(() => undefined), args, env: {}, cwd: "/", stopSignal: "SIGTERM" };
}

/** Runs the script that creates the databases, as PostgreSQL's image does on an empty volume. */
function createDatabases(compose: Compose, adminUrl: string, dir: string, settings: Record<string, string>): void {
  const { port, username, password } = new URL(adminUrl);
  const bin = join(dir, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "psql"), `#!/bin/sh\nexec '${process.execPath}' '${here("psql.ts")}' "$@"\n`, { mode: 0o755 });
  const { status, stderr } = spawnSync("sh", [here(`../../../deploy/${compose.configs["databases"]!.file}`)], {
    encoding: "utf8",
    env: {
      ...settings,
      PATH: `${bin}:${PATH}`,
      POSTGRES_USER: username,
      PGHOST: "127.0.0.1",
      PGPORT: port,
      PGPASSWORD: password,
    },
  });
  if (status !== 0) throw new Error(`The databases could not be created: ${stderr}`);
}
