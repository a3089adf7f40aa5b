/** Table of the processes, from which the manifests are generated. */
import { bucketSettings } from "@freehold/kit/config";
import { SEMI_SPACE_OPTION } from "../system/layout.ts";
import { processes as names, services, type ProcessName, type ServiceName } from "../system/secrets.ts";

export const namespace = "freehold";
export const ports = { http: 8080, grpc: 9090, metrics: 9464 } as const;

export interface Process {
  name: ProcessName;
  /** Services that the process calls over gRPC. */
  asks: readonly ServiceName[];
  /** Environment variables of the process. */
  settings: Record<string, string>;
  /** Secrets that an installation may leave empty. */
  optionalSecrets: readonly string[];
  /** Directory of the files shared by all replicas. */
  files: string | undefined;
  cpu: string;
  memory: string;
  replicas: { min: number; max: number };
}

const grpcTargets: Record<ServiceName, readonly ServiceName[]> = {
  identity: ["ledger", "portfolio", "communications"],
  portfolio: ["identity", "ledger", "communications"],
  ledger: ["identity", "portfolio"],
  communications: ["identity"],
  imports: ["portfolio", "ledger"],
};

/** Directories of stored files. */
const filesOf: Partial<Record<ProcessName, string>> = { portfolio: "/documents", imports: "/imports" };

const limits = { RATE_LIMIT_PER_SECOND: "100", RATE_LIMIT_BURST: "400", STREAMS_PER_USER: "5", STREAMS_PER_ORGANIZATION: "200" };
const own: Partial<Record<ServiceName, Record<string, string>>> = {
  identity: { SIGN_IN_ATTEMPTS: "10" },
  portfolio: { DOCUMENTS_DIR: filesOf.portfolio!, DOCUMENTS_QUOTA_MIB: "10240" },
  imports: { IMPORTS_DIR: filesOf.imports!, NODE_OPTIONS: SEMI_SPACE_OPTION },
  communications: { MAIL_FROM: "Freehold <no-reply@freehold.example>", DEV_OUTBOX: "false" },
};

const common = {
  HOST: "0.0.0.0",
  NATS_URL: "nats://nats:4222",
  NATS_REPLICAS: "3",
  LOG_LEVEL: "info",
  DRAIN_MS: "3000",
  METRICS_PORT: String(ports.metrics),
};

export const isService = (name: ProcessName): name is ServiceName => name !== "gateway";

function settingsOf(name: ProcessName): Record<string, string> {
  if (!isService(name)) {
    const origins = services.map((each) => [`${each.toUpperCase()}_URL`, `http://${each}:${ports.http}`] as const);
    return { ...common, PORT: String(ports.http), TRUSTED_PROXIES: "1", ...Object.fromEntries(origins), ...limits };
  }
  // The headless service resolves to every replica, so that the client balances over them.
  const grpcAddresses = grpcTargets[name].map((each) => [`${each.toUpperCase()}_GRPC`, `dns:///${each}-grpc:${ports.grpc}`] as const);
  return { ...common, HTTP_PORT: String(ports.http), GRPC_PORT: String(ports.grpc), ...Object.fromEntries(grpcAddresses), ...own[name] };
}

/** The six processes. */
export const processes: readonly Process[] = names.map((name) => ({
  name,
  asks: isService(name) ? grpcTargets[name] : [],
  settings: settingsOf(name),
  optionalSecrets: [...(name === "communications" ? ["SMTP_URL"] : []), ...(filesOf[name] ? Object.keys(bucketSettings) : [])],
  files: filesOf[name],
  cpu: name === "imports" ? "100m" : "250m",
  memory: "512Mi",
  replicas: { min: 2, max: name === "communications" || name === "imports" ? 4 : 8 },
}));

/** Returns the processes that call a service over gRPC. */
export const grpcClientsOf = (service: ProcessName): ProcessName[] =>
  processes.filter((each) => each.asks.some((name) => name === service)).map(({ name }) => name);

export const labels = (name: string) => ({ "app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "freehold" });
