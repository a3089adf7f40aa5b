/** Whole system on one machine: PostgreSQL, NATS, five services and the gateway, each in its own process. */
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { commandLineOf } from "./command-line.ts";
import { embeddedUrls, prepareDatabases, startMigrator, type DatabaseUrls } from "./databases/databases.ts";
import { prepareNats } from "./nats.ts";
import { systemStateFile, type SystemState } from "./system-state.ts";
import { environmentOf, createInstances, type Instance, type NatsAccess } from "./layout.ts";
import { freePorts, isPortFree } from "./ports.ts";
import { preparePostgres } from "./postgres.ts";
import { PRIVATE_DIRECTORY, writePrivateFile } from "./private-files.ts";
import { processes, readSecrets, services, type ProcessName, type ServiceName } from "./secrets.ts";
import { supervise, type ChildOptions, type SupervisedProcess } from "./supervise.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

export interface SystemOptions {
  dataDir: string;
  host: string;
  port: number;
  publicUrl?: string | undefined;
  /** URLs of external databases. The other databases are embedded. */
  databaseUrls?: Partial<Record<ServiceName, DatabaseUrls>>;
  /** External NATS servers; undefined for embedded ones. */
  nats?: NatsAccess | undefined;
  /** Number of NATS servers, run as one cluster. */
  natsServers?: number;
  /** Number of replicas of each service and of the gateway. */
  replicas?: number;
  /** Settings of every process. `METRICS_PORT` is the port of the first process; each other process gets one of the following ports. */
  environment?: Record<string, string>;
  /** Hook that changes the environment of a process before its start. */
  adaptEnvironment?: (instance: Instance, environment: Record<string, string>) => Record<string, string> | Promise<Record<string, string>>;
  /** Returns the program of a process that does not run from the sources. */
  programOf?: (name: ProcessName) => { args: string[]; cwd: string };
  fsync?: "on" | "off";
  /** Further settings of the embedded PostgreSQL, by name. */
  postgresSettings?: Record<string, string>;
  /** Directory of the WAL archive and base backups of the embedded PostgreSQL. */
  backupDir?: string | undefined;
  /** Age in milliseconds at which changes are archived. Default: 30 seconds. */
  archiveAfterMs?: number;
  say?: (progress: string) => void;
  onWarning?: (sentence: string) => void;
}

export interface System {
  baseUrl: string;
  /** HTTP port of the first replica of each process. */
  ports: Record<ProcessName, number>;
  instances: readonly Instance[];
  /** Base URLs of all gateways. */
  baseUrls: string[];
  databaseUrls: Record<ServiceName, DatabaseUrls>;
  /** URL of the embedded PostgreSQL for its superuser; undefined when all databases are external. */
  adminUrl: string | undefined;
  nats: NatsAccess;
  environmentOf(name: ProcessName): Record<string, string>;
  children: Map<string, SupervisedProcess>;
  stop(): Promise<void>;
}

/** Returns true for the command line of a launcher. Before a launcher sets its process title, it cannot be told from another Node.js process. */
const isLauncher = (commandLine: string): boolean => commandLine.startsWith("freehold-launcher") || commandLine.includes("node");

/**
 * Locks the data directory for this process. Throws if another launcher holds the lock. The lock of a killed launcher is ignored,
 * unless another Node.js process has got its process id.
 */
async function lockDirectory({ dataDir, host, port }: SystemOptions): Promise<() => void> {
  // An existing directory keeps its permissions, since it may not be for Freehold alone.
  mkdirSync(dataDir, { recursive: true, mode: PRIVATE_DIRECTORY });
  const file = join(dataDir, "launcher.pid");
  const holder = (): number | undefined => {
    try {
      const pid = Number(readFileSync(file, "utf8"));
      return pid !== process.pid && isLauncher(commandLineOf(pid)) ? pid : undefined;
    } catch {
      return undefined;
    }
  };
  const pid = holder();
  if (pid) {
    const isTaken = port !== 0 && !(await isPortFree(port, host));
    throw new Error(
      `${isTaken ? `Port ${port} is taken: ` : ""}Freehold is already running with ${dataDir} (process ${pid}). Stop it first, or set another DATA_DIR and PORT.`,
    );
  }
  writePrivateFile(file, String(process.pid));
  return () => rmSync(file, { force: true });
}

export async function startSystem(options: SystemOptions): Promise<System> {
  const { dataDir, host, port, say = () => undefined, onWarning = () => undefined } = options;
  const unlock = await lockDirectory(options);
  const children = new Map<string, SupervisedProcess>();
  const run = (child: ChildOptions) => {
    const supervised = supervise(child, join(dataDir, "logs", `${child.name}.log`), onWarning);
    children.set(child.name, supervised);
    return supervised;
  };
  const migrator = startMigrator();
  const stop = async () => {
    migrator.stop();
    const stopAll = (matches: (key: string) => boolean) => Promise.all([...children].map(async ([key, child]) => matches(key) && child.stop()));
    const isServer = (key: string) => /^(nats|postgres)\b/.test(key);
    await stopAll((key) => key.startsWith("gateway"));
    await stopAll((key) => !isServer(key));
    await stopAll(isServer);
    unlock();
  };

  try {
    // The processes of a killed launcher drain for a moment before they release the port.
    for (let waitedMs = 0; port !== 0 && !(await isPortFree(port, host)); waitedMs += 200) {
      if (waitedMs >= 3_000) throw new Error(`Port ${port} of ${host} is taken by another program. Stop it, or set PORT to another one.`);
      await sleep(200);
    }
    const secrets = readSecrets(dataDir);
    const instances = await createInstances(options.replicas ?? 1, port);
    const [postgresPort] = (await freePorts(1)) as [number];

    const embedded = services.filter((name) => !options.databaseUrls?.[name]);
    const urls = { ...options.databaseUrls } as Record<ServiceName, DatabaseUrls>;
    let adminUrl: string | undefined;
    const startPostgres = async () => {
      if (embedded.length === 0) return;
      say("Starting PostgreSQL …");
      const postgres = await preparePostgres({
        dir: join(dataDir, "postgres"),
        port: postgresPort,
        backupDir: options.backupDir,
        archiveAfterMs: options.archiveAfterMs,
        ...(options.fsync && { fsync: options.fsync }),
        settings: options.postgresSettings,
      });
      adminUrl = postgres.url;
      run(postgres.child);
      await postgres.ready();
      await prepareDatabases(postgres.url, embedded, secrets);
      for (const name of embedded) urls[name] = embeddedUrls(name, postgresPort, secrets);
    };
    const natsServers = options.natsServers ?? 1;
    const startNats = async () => {
      if (options.nats) return options.nats;
      say("Starting NATS …");
      const {
        access,
        children: servers,
        ready,
      } = await prepareNats({
        dir: join(dataDir, "nats"),
        ports: await freePorts(natsServers * 2),
        passwords: secrets.natsPasswords,
        say,
      });
      for (const server of servers) run(server);
      await ready();
      return access;
    };
    const [, nats] = await Promise.all([startPostgres(), startNats()]);
    say("Migrating …");
    await migrator.migrate(urls);

    const baseUrls = instances.flatMap(({ name, httpPort }) => (name === "gateway" ? [`http://${host}:${httpPort}`] : []));
    const baseUrl = options.publicUrl ?? baseUrls[0]!;
    const layout = { instances, secrets, databaseUrls: urls, nats, natsServers, host, publicUrl: baseUrl, dataDir, environment: options.environment };
    say("Starting the services …");
    const supervised = await Promise.all(
      instances.map(async (instance) => {
        const environment = environmentOf(instance, layout);
        return run(childOptions(instance, (await options.adaptEnvironment?.(instance, environment)) ?? environment, options.programOf));
      }),
    );
    await Promise.all(supervised.map(({ ready }) => ready));
    const state: SystemState = { baseUrl, databaseUrls: urls, adminUrl, backupDir: options.backupDir };
    writePrivateFile(systemStateFile(dataDir), JSON.stringify(state));
    const firstInstance = (name: ProcessName) => instances.find((instance) => instance.name === name)!;
    const ports = Object.fromEntries(processes.map((name) => [name, firstInstance(name).httpPort])) as System["ports"];
    return {
      baseUrl,
      baseUrls,
      ports,
      instances,
      databaseUrls: urls,
      adminUrl,
      nats,
      environmentOf: (name) => environmentOf(firstInstance(name), layout),
      children,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns the options to run a process. */
function childOptions({ name, key }: Instance, env: Record<string, string>, programOf: SystemOptions["programOf"]): ChildOptions {
  const main = name === "gateway" ? "gateway/src/main.ts" : `services/${name}/src/main.ts`;
  const program = programOf?.(name) ?? { args: ["-C", "source", join(root, main)], cwd: root };
  return { name: key, file: process.execPath, ...program, env, stopSignal: "SIGTERM", reportsReady: true, ...(isBackground(name) && { niceness: 10 }) };
}

/** Returns true for services that mostly work in the background, which run at a lower CPU priority. */
const isBackground = (name: ProcessName): boolean => name === "communications" || name === "imports";
