/** The whole system on one machine: PostgreSQL, NATS, five services and the gateway, each a process of its own. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { embeddedUrls, migrateService, prepareDatabases } from "./databases.ts";
import { prepareNats } from "./nats.ts";
import { knownSystemFile, type KnownSystem } from "./known-system.ts";
import { environmentOf, layOut, type Instance } from "./layout.ts";
import { freePorts, isFree } from "./ports.ts";
import { preparePostgres } from "./postgres.ts";
import { processes, readSecrets, services, type ProcessName, type ServiceName } from "./secrets.ts";
import { supervise, type Child, type Supervised } from "./supervise.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

export interface SystemOptions {
  dataDir: string;
  host: string;
  port: number;
  publicUrl?: string | undefined;
  /** Databases that are run elsewhere; the rest are embedded. */
  databaseUrls?: Partial<Record<ServiceName, { owner: string; service: string }>>;
  natsUrl?: string | undefined;
  /** How many NATS servers to run, as one cluster. */
  natsServers?: number;
  /** How many of each service and of the gateway to run. */
  replicas?: number;
  /** Settings that go to every process as they are. */
  environment?: Record<string, string>;
  /** The last word about one process's settings, once the others' places are known. */
  adapt?: (instance: Instance, environment: Record<string, string>) => Record<string, string> | Promise<Record<string, string>>;
  /** What is run as which process, where it is not the sources. */
  programOf?: (name: ProcessName) => { args: string[]; cwd: string };
  fsync?: "on" | "off";
  /** Where the embedded PostgreSQL archives its log and copies of it are put. */
  backupDir?: string | undefined;
  say?: (progress: string) => void;
  onTrouble?: (sentence: string) => void;
}

export interface System {
  baseUrl: string;
  /** Where each process answers, and the databases and the bus behind them; for tests and tools on this machine. */
  ports: Record<ProcessName, number>;
  instances: readonly Instance[];
  /** The gateways, each a way into the same system. */
  baseUrls: string[];
  databaseUrls: Record<ServiceName, { owner: string; service: string }>;
  adminUrl: string | undefined;
  natsUrl: string;
  environmentOf(name: ProcessName): Record<string, string>;
  children: Map<string, Supervised>;
  stop(): Promise<void>;
}

export class CannotStart extends Error {}

/** What a launcher's command line shows, before and after it took its title. */
const isLauncher = (commandLine: string): boolean => commandLine.startsWith("freehold-launcher") || commandLine.includes("node");

/** Takes the data directory for this process, or says who has it. A killed launcher leaves it free. */
async function lockDirectory({ dataDir, host, port }: SystemOptions): Promise<() => void> {
  mkdirSync(dataDir, { recursive: true, mode: 0o755 });
  const file = join(dataDir, "launcher.pid");
  const holder = (): number | undefined => {
    try {
      const pid = Number(readFileSync(file, "utf8"));
      return pid !== process.pid && isLauncher(readFileSync(`/proc/${pid}/cmdline`, "utf8")) ? pid : undefined;
    } catch {
      return undefined;
    }
  };
  const pid = holder();
  if (pid) {
    const isTaken = port !== 0 && !(await isFree(port, host));
    throw new CannotStart(
      `${isTaken ? `Port ${port} is taken: ` : ""}Freehold is already running with ${dataDir} (process ${pid}). Stop it first, or set another DATA_DIR and PORT.`,
    );
  }
  writeFileSync(file, String(process.pid));
  return () => rmSync(file, { force: true });
}

export async function startSystem(options: SystemOptions): Promise<System> {
  const { dataDir, host, port, say = () => undefined, onTrouble = () => undefined } = options;
  const unlock = await lockDirectory(options);
  const children = new Map<string, Supervised>();
  const run = (child: Child) => {
    const supervised = supervise(child, join(dataDir, "logs", `${child.name}.log`), onTrouble);
    children.set(child.name, supervised);
    return supervised;
  };
  const stop = async () => {
    const end = (isOne: (key: string) => boolean) => Promise.all([...children].map(async ([key, child]) => isOne(key) && child.stop()));
    const isServer = (key: string) => /^(nats|postgres)\b/.test(key);
    await end((key) => key.startsWith("gateway"));
    await end((key) => !isServer(key));
    await end(isServer);
    unlock();
  };

  try {
    // The processes of a launcher that was killed drain for a moment before they let the port go.
    for (let waited = 0; port !== 0 && !(await isFree(port, host)); waited += 200) {
      if (waited >= 3_000) throw new CannotStart(`Port ${port} of ${host} is taken by another program. Stop it, or set PORT to another one.`);
      await sleep(200);
    }
    const secrets = readSecrets(dataDir);
    const instances = await layOut(options.replicas ?? 1, port);
    const [postgresPort] = (await freePorts(1)) as [number];

    const embedded = services.filter((name) => !options.databaseUrls?.[name]);
    const urls = { ...options.databaseUrls } as Record<ServiceName, { owner: string; service: string }>;
    let adminUrl: string | undefined;
    const startPostgres = async () => {
      if (embedded.length === 0) return;
      say("Starting PostgreSQL …");
      const postgres = await preparePostgres({
        dir: join(dataDir, "postgres"),
        port: postgresPort,
        backupDir: options.backupDir,
        ...(options.fsync && { fsync: options.fsync }),
      });
      adminUrl = postgres.url;
      run(postgres.child);
      await postgres.ready();
      await prepareDatabases(postgres.url, embedded, secrets);
      for (const name of embedded) urls[name] = embeddedUrls(name, postgresPort, secrets);
    };
    const natsServers = options.natsServers ?? 1;
    const startNats = async () => {
      if (options.natsUrl) return options.natsUrl;
      say("Starting NATS …");
      const nats = prepareNats({ dir: join(dataDir, "nats"), ports: await freePorts(natsServers * 2), say });
      for (const child of nats.children) run(child);
      await nats.ready();
      return nats.url;
    };
    const [, natsUrl] = await Promise.all([startPostgres(), startNats()]);
    say("Migrating …");
    await Promise.all(services.map((name) => migrateService(name, urls[name])));

    const baseUrls = instances.flatMap(({ name, httpPort }) => (name === "gateway" ? [`http://${host}:${httpPort}`] : []));
    const baseUrl = options.publicUrl ?? baseUrls[0]!;
    const around = { instances, secrets, databaseUrls: urls, natsUrl, natsServers, host, publicUrl: baseUrl, dataDir, environment: options.environment };
    say("Starting the services …");
    const started = await Promise.all(
      instances.map(async (instance) => {
        const told = environmentOf(instance, around);
        return run(childOf(instance, (await options.adapt?.(instance, told)) ?? told, options.programOf));
      }),
    );
    await Promise.all(started.map(({ ready }) => ready));
    const known: KnownSystem = { baseUrl, databaseUrls: urls, adminUrl, backupDir: options.backupDir };
    writeFileSync(knownSystemFile(dataDir), JSON.stringify(known), { mode: 0o600 });
    const first = (name: ProcessName) => instances.find((instance) => instance.name === name)!;
    const ports = Object.fromEntries(processes.map((name) => [name, first(name).httpPort])) as System["ports"];
    return {
      baseUrl,
      baseUrls,
      ports,
      instances,
      databaseUrls: urls,
      adminUrl,
      natsUrl,
      environmentOf: (name) => environmentOf(first(name), around),
      children,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** How a process of ours is run. */
function childOf({ name, key }: Instance, env: Record<string, string>, programOf: SystemOptions["programOf"]): Child {
  const main = name === "gateway" ? "gateway/src/main.ts" : `services/${name}/src/main.ts`;
  const program = programOf?.(name) ?? { args: ["-C", "source", join(root, main)], cwd: root };
  return { name: key, file: process.execPath, ...program, env, stopSignal: "SIGTERM", saysReady: true, ...(isBackground(name) && { niceness: 10 }) };
}

/** Services that work on what has happened already; nobody waits for them. */
const isBackground = (name: ProcessName): boolean => name === "communications" || name === "imports";
