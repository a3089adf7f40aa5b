/** The whole system on one machine: PostgreSQL, NATS, five services and the gateway, each a process of its own. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { embeddedUrls, migrateService, prepareDatabases } from "./databases.ts";
import { prepareNats } from "./nats.ts";
import { freePorts, isFree } from "./ports.ts";
import { preparePostgres } from "./postgres.ts";
import { processes, readSecrets, services, type ProcessName, type ServiceName } from "./secrets.ts";
import { supervise, type Supervised } from "./supervise.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

export interface SystemOptions {
  dataDir: string;
  host: string;
  port: number;
  publicUrl?: string | undefined;
  /** Databases that are run elsewhere; the rest are embedded. */
  databaseUrls?: Partial<Record<ServiceName, { owner: string; service: string }>>;
  natsUrl?: string | undefined;
  /** Settings that go to every process as they are. */
  environment?: Record<string, string>;
  fsync?: "on" | "off";
  say?: (progress: string) => void;
  onTrouble?: (sentence: string) => void;
}

export interface System {
  baseUrl: string;
  /** Where each process answers, and the databases and the bus behind them; for tests and tools on this machine. */
  ports: Record<ProcessName, number>;
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
  const run = (child: Parameters<typeof supervise>[0]) => {
    const supervised = supervise(child, join(dataDir, "logs", `${child.name}.log`), onTrouble);
    children.set(child.name, supervised);
    return supervised;
  };
  const stop = async () => {
    const end = (...names: string[]) => Promise.all(names.map(async (name) => children.get(name)?.stop()));
    await end("gateway");
    await end(...services);
    await end("nats", "postgres");
    unlock();
  };

  try {
    // The processes of a launcher that was killed drain for a moment before they let the port go.
    for (let waited = 0; port !== 0 && !(await isFree(port, host)); waited += 200) {
      if (waited >= 3_000) throw new CannotStart(`Port ${port} of ${host} is taken by another program. Stop it, or set PORT to another one.`);
      await sleep(200);
    }
    const secrets = readSecrets(dataDir);
    const [postgresPort, natsPort, gatewayPort, ...rest] = (await freePorts(3 + services.length * 2)) as [number, number, number, ...number[]];
    const ports = { gateway: port === 0 ? gatewayPort : port, ...Object.fromEntries(services.map((name, index) => [name, rest[index * 2]!])) } as Record<
      ProcessName,
      number
    >;
    const grpcPorts = Object.fromEntries(services.map((name, index) => [name, rest[index * 2 + 1]!])) as Record<ServiceName, number>;

    const embedded = services.filter((name) => !options.databaseUrls?.[name]);
    const urls = { ...options.databaseUrls } as Record<ServiceName, { owner: string; service: string }>;
    let adminUrl: string | undefined;
    const startPostgres = async () => {
      if (embedded.length === 0) return;
      say("Starting PostgreSQL …");
      const postgres = await preparePostgres({ dir: join(dataDir, "postgres"), port: postgresPort, ...(options.fsync && { fsync: options.fsync }) });
      adminUrl = postgres.url;
      run(postgres.child);
      await postgres.ready();
      await prepareDatabases(postgres.url, embedded, secrets);
      for (const name of embedded) urls[name] = embeddedUrls(name, postgresPort, secrets);
    };
    const startNats = async () => {
      if (options.natsUrl) return options.natsUrl;
      say("Starting NATS …");
      const nats = prepareNats({ dir: join(dataDir, "nats"), port: natsPort, say });
      run(nats.child);
      await nats.ready();
      return nats.url;
    };
    const [, natsUrl] = await Promise.all([startPostgres(), startNats()]);
    say("Migrating …");
    await Promise.all(services.map((name) => migrateService(name, urls[name])));

    const baseUrl = options.publicUrl ?? `http://${host}:${ports.gateway}`;
    const environmentOf = (name: ProcessName): Record<string, string> => ({
      ...inherited(),
      NODE_COMPILE_CACHE: join(dataDir, "compile-cache"),
      HOST: name === "gateway" ? host : "127.0.0.1",
      PUBLIC_URL: baseUrl,
      NATS_URL: natsUrl,
      ASSERTION_KEY: secrets.assertionKeys[name].privateKey,
      ASSERTION_PUBLIC_KEYS: JSON.stringify(Object.fromEntries(processes.map((each) => [each, secrets.assertionKeys[each].publicKey]))),
      ...Object.fromEntries(services.map((each) => [`${each.toUpperCase()}_GRPC`, `127.0.0.1:${grpcPorts[each]}`])),
      ...(name === "gateway"
        ? { PORT: String(ports.gateway), ...Object.fromEntries(services.map((each) => [`${each.toUpperCase()}_URL`, `http://127.0.0.1:${ports[each]}`])) }
        : { HTTP_PORT: String(ports[name]), GRPC_PORT: String(grpcPorts[name]), [`${name.toUpperCase()}_DATABASE_URL`]: urls[name].service }),
      ...options.environment,
    });
    say("Starting the services …");
    const started = processes.map((name) => {
      const main = name === "gateway" ? "gateway/src/main.ts" : `services/${name}/src/main.ts`;
      return run({
        name,
        file: process.execPath,
        args: ["-C", "source", join(root, main)],
        env: environmentOf(name),
        cwd: root,
        stopSignal: "SIGTERM",
        saysReady: true,
        ...(isBackground(name) && { niceness: 10 }),
      });
    });
    await Promise.all(started.map(({ ready }) => ready));
    writeFileSync(join(dataDir, "system.json"), JSON.stringify({ baseUrl, databaseUrls: urls }), { mode: 0o600 });
    return { baseUrl, ports, databaseUrls: urls, adminUrl, natsUrl, environmentOf, children, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Services that work on what has happened already; nobody waits for them. */
const isBackground = (name: ProcessName): boolean => name === "communications" || name === "imports";

/** What every process may need of ours: where programs and certificates are, and proxies. Secrets of the caller stay behind. */
function inherited(): Record<string, string> {
  const names = [
    "PATH",
    "HOME",
    "TZ",
    "LANG",
    "NODE_EXTRA_CA_CERTS",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "NODE_OPTIONS",
  ];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
}
