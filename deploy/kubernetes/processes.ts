/** Table of the processes, from which the manifests are generated. */
import { bucketSettings, fileVariable } from "@freehold/kit/config";
import { webhookSecrets } from "../../services/communications/src/webhooks/webhook-secrets.ts";
import { certificateFiles } from "../nats/certificates.ts";
import { CONTAINER_CERTIFICATE_DIR } from "../nats/configuration.ts";
import { SEMI_SPACE_OPTION } from "../system/layout.ts";
import { processes as names, services, type ProcessName, type ServiceName } from "../system/secrets.ts";

export const namespace = "freehold";
export const ports = { http: 8080, grpc: 9090, metrics: 9464 } as const;

export interface Process {
  name: ProcessName;
  /** Services that the process calls over gRPC. */
  grpcTargets: readonly ServiceName[];
  /** Environment variables of the process. */
  settings: Record<string, string>;
  /** Secrets that an installation may leave empty. */
  optionalSecrets: readonly string[];
  /** Mount path of the files that all replicas share; undefined for a process without files. */
  filesDir: string | undefined;
  /** Mount path of files that a replica deletes after use; undefined for a process without such files. */
  scratchDir: string | undefined;
  cpu: string;
  memory: string;
  replicas: { min: number; max: number };
}

/** Services that each service calls. */
export const grpcTargets: Record<ServiceName, readonly ServiceName[]> = {
  identity: ["ledger", "portfolio", "communications"],
  portfolio: ["identity", "ledger", "communications"],
  ledger: ["identity", "portfolio", "communications"],
  communications: ["identity", "portfolio"],
  imports: ["identity", "portfolio", "ledger"],
};

/** Mount paths of the stored files. */
const filesDirs: Partial<Record<ProcessName, string>> = { portfolio: "/documents", imports: "/imports" };
/** Mount paths of files that are received and not stored. */
const scratchDirs: Partial<Record<ProcessName, string>> = { ledger: "/statements" };

const rateLimits = {
  RATE_LIMIT_PER_SECOND: "100",
  RATE_LIMIT_BURST: "400",
  WEBHOOKS_PER_SECOND: "200",
  CONNECTIONS_PER_ADDRESS: "2000",
  STREAMS_PER_USER: "5",
  STREAMS_PER_ORGANIZATION: "200",
};
/** Quota of an organization in each service with files: 50 GiB. */
const storageQuotas = { STORAGE_QUOTA_BYTES: String(50 * 1_024 ** 3), UNCONFIRMED_STORAGE_QUOTA_BYTES: String(1_024 ** 3) };
const settingsByService: Partial<Record<ServiceName, Record<string, string>>> = {
  identity: { SIGN_IN_ATTEMPTS: "10", MAILS_PER_RECIPIENT: "10" },
  portfolio: { DOCUMENTS_DIR: filesDirs.portfolio!, OPTIONAL_CALL_MS: "1000", ...storageQuotas },
  ledger: { STATEMENTS_DIR: scratchDirs.ledger! },
  imports: { IMPORTS_DIR: filesDirs.imports!, ...storageQuotas },
  communications: { MAIL_FROM: "Freehold <no-reply@freehold.example>", DEV_OUTBOX: "false", WEBHOOK_EVENT_DAYS: "30", WEBHOOK_ID_DAYS: "1095" },
};

/** Memory limit of a process. */
const MEMORY_MIB = 512;

/** Returns the options of Node.js, whose heap stays below the memory limit of the process, with room for buffers and code. */
const nodeOptionsOf = (name: ProcessName): string => [heapOption(MEMORY_MIB), ...(name === "imports" ? [SEMI_SPACE_OPTION] : [])].join(" ");
export const heapOption = (memoryMib: number): string => `--max-old-space-size=${Math.floor(memoryMib * 0.625)}`;

/** Folder of the files with the secrets of a process. */
export const SECRETS_DIR = "/etc/freehold-secrets";
export const databaseUrlSetting = (name: ServiceName): string => `${name.toUpperCase()}_DATABASE_URL`;
/** Returns the variables that name the files of secrets. */
export const secretFiles = (secrets: readonly string[]): Record<string, string> =>
  Object.fromEntries(secrets.map((name) => [fileVariable(name), `${SECRETS_DIR}/${name}`]));

const commonSettings = {
  HOST: "0.0.0.0",
  NATS_URL: "tls://nats:4222",
  NATS_CA: certificateFiles(CONTAINER_CERTIFICATE_DIR).ca,
  NATS_REPLICAS: "3",
  LOG_LEVEL: "info",
  DRAIN_MS: "3000",
  METRICS_PORT: String(ports.metrics),
};

export const isService = (name: ProcessName): name is ServiceName => name !== "gateway";

function settingsOf(name: ProcessName): Record<string, string> {
  const sharedSettings = { ...commonSettings, NATS_USER: name };
  if (!isService(name)) {
    const origins = services.map((each) => [`${each.toUpperCase()}_URL`, `http://${each}:${ports.http}`] as const);
    return { ...sharedSettings, PORT: String(ports.http), TRUSTED_PROXIES: "1", ...Object.fromEntries(origins), ...rateLimits };
  }
  // The headless service resolves to every replica, so that the client balances over them.
  const grpcAddresses = grpcTargets[name].map((each) => [`${each.toUpperCase()}_GRPC`, `dns:///${each}-grpc:${ports.grpc}`] as const);
  return { ...sharedSettings, HTTP_PORT: String(ports.http), GRPC_PORT: String(ports.grpc), ...Object.fromEntries(grpcAddresses), ...settingsByService[name] };
}

const optionalSecretsOf = (name: ProcessName): string[] => [
  ...(name === "communications" ? ["SMTP_URL", "SMS_PROVIDER_AUTH_TOKEN", "TRANSLATION_KEY", ...webhookSecrets] : []),
  ...(filesDirs[name] ? Object.keys(bucketSettings) : []),
];

/** Returns the settings that are secret, each in a file of the mounted Secret of the process. */
const secretsOf = (name: ProcessName): string[] => [
  "NATS_PASSWORD",
  "ASSERTION_KEY",
  ...(isService(name) ? [databaseUrlSetting(name)] : []),
  ...(name === "portfolio" ? ["PORTFOLIO_ENCRYPTION_KEY"] : []),
  ...(name === "communications" ? ["COMMUNICATIONS_ENCRYPTION_KEY"] : []),
  ...optionalSecretsOf(name),
];

/** The gateway and the five services. */
export const processes: readonly Process[] = names.map((name) => ({
  name,
  grpcTargets: isService(name) ? grpcTargets[name] : [],
  settings: { ...settingsOf(name), NODE_OPTIONS: nodeOptionsOf(name), ...secretFiles(secretsOf(name)) },
  optionalSecrets: optionalSecretsOf(name),
  filesDir: filesDirs[name],
  scratchDir: scratchDirs[name],
  cpu: name === "imports" ? "100m" : "250m",
  memory: `${MEMORY_MIB}Mi`,
  replicas: { min: 2, max: name === "communications" || name === "imports" ? 4 : 8 },
}));

/** Returns the processes that call a service over gRPC. */
export const grpcClientsOf = (service: ProcessName): ProcessName[] =>
  processes.filter((each) => each.grpcTargets.some((name) => name === service)).map(({ name }) => name);

export const labels = (name: string) => ({ "app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "freehold" });
