/** Processes of a system with their ports and environment variables. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePorts } from "./ports.ts";
import { processes, services, type ProcessName, type Secrets, type ServiceName } from "./secrets.ts";

/** One replica of a service or of the gateway. */
export interface Instance {
  name: ProcessName;
  /** Number of the replica, from 1. */
  replica: number;
  /** Unique key of the process: its name, with the number from the second replica on (`ledger.2`). */
  key: string;
  httpPort: number;
  /** Port for gRPC calls from other services; unused by a gateway. */
  grpcPort: number;
}

/** Creates the given number of replicas of each process on free ports. The first gateway uses the given port, unless it is 0. */
export async function createInstances(replicas: number, gatewayPort: number): Promise<Instance[]> {
  const ports = await freePorts(processes.length * replicas * 2);
  const nextPort = () => ports.pop()!;
  return Array.from({ length: replicas }, (_, index) => index + 1).flatMap((replica) =>
    processes.map((name) => ({
      name,
      replica,
      key: replica === 1 ? name : `${name}.${replica}`,
      httpPort: name === "gateway" && replica === 1 && gatewayPort !== 0 ? gatewayPort : nextPort(),
      grpcPort: nextPort(),
    })),
  );
}

/** NATS servers of a system, and the password of each process. The name of a process is also its NATS user. */
export interface NatsAccess {
  url: string;
  /** Path of a PEM file with the certificate authority of the servers; undefined for the authorities that Node.js trusts. */
  ca: string | undefined;
  passwords: Record<ProcessName, string>;
}

export interface SystemLayout {
  instances: readonly Instance[];
  secrets: Secrets;
  databaseUrls: Record<ServiceName, { service: string }>;
  nats: NatsAccess;
  natsServers: number;
  host: string;
  publicUrl: string;
  dataDir: string;
  /** Settings of every process. `METRICS_PORT` is the port of the first process; each other process gets one of the following ports. */
  environment?: Record<string, string> | undefined;
}

/** Compile cache, shared by all systems that run from this directory. */
export const compileCacheDir = fileURLToPath(new URL("../../node_modules/.cache/freehold", import.meta.url));

/**
 * Makes glibc return larger blocks to the system when they are freed. Otherwise it keeps those of the password hashes, 19 MiB for each thread
 * that has ever computed one.
 */
const MMAP_THRESHOLD_BYTES = "1048576";

/** Returns the environment variables of a process: inherited, generated and configured ones. */
export function environmentOf({ name, key, httpPort, grpcPort }: Instance, layout: SystemLayout): Record<string, string> {
  const replicasOf = (service: ServiceName) => layout.instances.filter((instance) => instance.name === service);
  const grpcAddresses = (service: ServiceName) => replicasOf(service).map((replica) => `127.0.0.1:${replica.grpcPort}`);
  const httpUrls = (service: ServiceName) => replicasOf(service).map((replica) => `http://127.0.0.1:${replica.httpPort}`);
  const { secrets, nats } = layout;
  return {
    ...inheritedEnvironment(),
    NODE_COMPILE_CACHE: compileCacheDir,
    HOST: name === "gateway" ? layout.host : "127.0.0.1",
    PUBLIC_URL: layout.publicUrl,
    NATS_URL: nats.url,
    NATS_USER: name,
    NATS_PASSWORD: nats.passwords[name],
    ...(nats.ca !== undefined && { NATS_CA: nats.ca }),
    NATS_REPLICAS: String(layout.natsServers),
    ASSERTION_KEY: secrets.assertionKeys[name].privateKey,
    ASSERTION_PUBLIC_KEYS: JSON.stringify(Object.fromEntries(processes.map((each) => [each, secrets.assertionKeys[each].publicKey]))),
    ...Object.fromEntries(services.map((each) => [`${each.toUpperCase()}_GRPC`, grpcTarget(grpcAddresses(each))])),
    ...(name === "gateway"
      ? { PORT: String(httpPort), ...Object.fromEntries(services.map((each) => [`${each.toUpperCase()}_URL`, httpUrls(each).join(",")])) }
      : { HTTP_PORT: String(httpPort), GRPC_PORT: String(grpcPort), [`${name.toUpperCase()}_DATABASE_URL`]: layout.databaseUrls[name].service }),
    ...(name === "identity" && { MALLOC_MMAP_THRESHOLD_: MMAP_THRESHOLD_BYTES }),
    ...(name === "portfolio" && { PORTFOLIO_ENCRYPTION_KEY: secrets.encryptionKey, DOCUMENTS_DIR: join(layout.dataDir, "documents") }),
    ...(name === "communications" && { COMMUNICATIONS_ENCRYPTION_KEY: secrets.mailEncryptionKey }),
    ...(name === "ledger" && { STATEMENTS_DIR: join(layout.dataDir, "statements") }),
    ...(name === "imports" && { IMPORTS_DIR: join(layout.dataDir, "imports"), NODE_OPTIONS: `${process.env["NODE_OPTIONS"] ?? ""} ${SEMI_SPACE_OPTION}` }),
    ...layout.environment,
    ...metricsPort(layout, key),
  };
}

/** Limits the young generation of a process with many short-lived objects, whose heap would grow otherwise. */
export const SEMI_SPACE_OPTION = "--max-semi-space-size=16";

/** Assigns metrics ports: the configured port to the first process, the following ports to the others. */
function metricsPort({ environment, instances }: SystemLayout, key: string): Record<string, string> {
  const firstPort = environment?.["METRICS_PORT"];
  return firstPort ? { METRICS_PORT: String(Number(firstPort) + instances.findIndex((instance) => instance.key === key)) } : {};
}

/** Combines addresses into one gRPC target, over which the client balances its calls. */
const grpcTarget = (addresses: readonly string[]): string => (addresses.length === 1 ? addresses[0]! : `ipv4:${addresses.join(",")}`);

/** Returns the inherited variables: paths, locale, certificates and proxies, but no secrets of the caller. */
function inheritedEnvironment(): Record<string, string> {
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
