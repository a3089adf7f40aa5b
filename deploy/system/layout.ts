/** Which processes there are, where each listens, and what each is told. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePorts } from "./ports.ts";
import { processes, services, type ProcessName, type Secrets, type ServiceName } from "./secrets.ts";

/** One process of the system: a service or a gateway, and which of its replicas. */
export interface Instance {
  name: ProcessName;
  /** Counted from 1. */
  replica: number;
  /** The process among all: its name, and from the second replica on its number (`ledger.2`). */
  key: string;
  httpPort: number;
  /** Where the other services ask it; a gateway is asked nothing. */
  grpcPort: number;
}

/** As many of each process as there are replicas, each with ports of its own. The first gateway takes the wanted port. */
export async function layOut(replicas: number, gatewayPort: number): Promise<Instance[]> {
  const ports = await freePorts(processes.length * replicas * 2);
  const next = () => ports.pop()!;
  return Array.from({ length: replicas }, (_, index) => index + 1).flatMap((replica) =>
    processes.map((name) => ({
      name,
      replica,
      key: replica === 1 ? name : `${name}.${replica}`,
      httpPort: name === "gateway" && replica === 1 && gatewayPort !== 0 ? gatewayPort : next(),
      grpcPort: next(),
    })),
  );
}

export interface Surroundings {
  instances: readonly Instance[];
  secrets: Secrets;
  databaseUrls: Record<ServiceName, { service: string }>;
  natsUrl: string;
  natsServers: number;
  host: string;
  publicUrl: string;
  dataDir: string;
  /** Settings that go to every process as they are. */
  environment?: Record<string, string> | undefined;
}

/** What is compiled is kept beside the packages, for every system that runs from here, whatever its data. */
const compiled = fileURLToPath(new URL("../../node_modules/.cache/freehold", import.meta.url));

/** The whole environment of a process. */
export function environmentOf({ name, key, httpPort, grpcPort }: Instance, around: Surroundings): Record<string, string> {
  const replicasOf = (service: ServiceName) => around.instances.filter((instance) => instance.name === service);
  const grpc = (service: ServiceName) => replicasOf(service).map((replica) => `127.0.0.1:${replica.grpcPort}`);
  const urls = (service: ServiceName) => replicasOf(service).map((replica) => `http://127.0.0.1:${replica.httpPort}`);
  const { secrets } = around;
  return {
    ...inherited(),
    NODE_COMPILE_CACHE: compiled,
    HOST: name === "gateway" ? around.host : "127.0.0.1",
    PUBLIC_URL: around.publicUrl,
    NATS_URL: around.natsUrl,
    NATS_REPLICAS: String(around.natsServers),
    ASSERTION_KEY: secrets.assertionKeys[name].privateKey,
    ASSERTION_PUBLIC_KEYS: JSON.stringify(Object.fromEntries(processes.map((each) => [each, secrets.assertionKeys[each].publicKey]))),
    ...Object.fromEntries(services.map((each) => [`${each.toUpperCase()}_GRPC`, grpcTarget(grpc(each))])),
    ...(name === "gateway"
      ? { PORT: String(httpPort), ...Object.fromEntries(services.map((each) => [`${each.toUpperCase()}_URL`, urls(each).join(",")])) }
      : { HTTP_PORT: String(httpPort), GRPC_PORT: String(grpcPort), [`${name.toUpperCase()}_DATABASE_URL`]: around.databaseUrls[name].service }),
    ...(name === "portfolio" && { PORTFOLIO_ENCRYPTION_KEY: secrets.encryptionKey, DOCUMENTS_DIR: join(around.dataDir, "documents") }),
    ...(name === "imports" && { IMPORTS_DIR: join(around.dataDir, "imports"), NODE_OPTIONS: `${process.env["NODE_OPTIONS"] ?? ""} ${MANY_SHORT_LIVED}` }),
    ...around.environment,
    ...metricsPort(around, key),
  };
}

/** A process that sees very many rows pass by would set aside ever more memory for them; with this it stays as large as after the first thousands. */
export const MANY_SHORT_LIVED = "--max-semi-space-size=16";

/** Each process has a port for its metrics: the one that is set for the first, the ones after it for the others. */
function metricsPort({ environment, instances }: Surroundings, key: string): Record<string, string> {
  const first = environment?.["METRICS_PORT"];
  return first ? { METRICS_PORT: String(Number(first) + instances.findIndex((instance) => instance.key === key)) } : {};
}

/** Several addresses are one target to gRPC, which takes them in turn. */
const grpcTarget = (addresses: readonly string[]): string => (addresses.length === 1 ? addresses[0]! : `ipv4:${addresses.join(",")}`);

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
