/** Settings from the environment, validated at start. A missing or wrong one stops the process with a message that names it. */
import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { z } from "zod";

/** A setting is missing or wrong; restarting the process cannot help. */
export class ConfigurationError extends Error {}

/** Name of the variable with the path of the file that contains a setting, such as a secret that is mounted. */
export const fileVariable = (setting: string): string => `${setting}_FILE`;

/**
 * Returns the text of a setting: the value of its variable, or the content of the file that `<NAME>_FILE` names, without the line
 * break at its end. An empty variable and an empty file count as unset.
 */
function readSetting(name: string, environment: NodeJS.ProcessEnv): string | undefined {
  const [value, path] = [environment[name] || undefined, environment[fileVariable(name)] || undefined];
  if (path === undefined) return value;
  if (value !== undefined) throw new ConfigurationError(`${name} and ${fileVariable(name)} are both set. Unset one of them.`);
  try {
    return readFileSync(path, "utf8").replace(/\r?\n$/, "") || undefined;
  } catch (error) {
    throw new ConfigurationError(`${fileVariable(name)} is wrong: ${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

/** Reads the settings of a schema from the environment, each from its variable or from a file (see `readSetting`). */
export function readConfig<S extends z.ZodObject>(schema: S, environment: NodeJS.ProcessEnv = process.env): z.output<S> {
  const values = Object.fromEntries(Object.keys(schema.shape).map((name) => [name, readSetting(name, environment)]));
  const result = schema.safeParse(values);
  if (result.success) return result.data;
  const messages = result.error.issues.map((issue) => {
    const name = String(issue.path[0]);
    const path = environment[fileVariable(name)];
    const source = path ? ` in ${path}` : "";
    const description = (schema.shape[name] as z.ZodType | undefined)?.description;
    return values[name] === undefined
      ? `${name} is not set${source}${description ? `: ${description}` : ""}.`
      : `${name}${source} is wrong: ${issue.message}${description ? ` (${description})` : ""}.`;
  });
  throw new ConfigurationError(messages.join(" "));
}

export const flag = z.enum(["true", "false"]).transform((value) => value === "true");
/** URL with `http` or `https`. */
export const httpUrl = z.url({ protocol: /^https?$/, error: "it is not an http or https URL" });
export const port = z.coerce.number().int().min(0).max(65_535);

export const databaseUrl = (service: string) =>
  z.string().startsWith("postgres").describe(`PostgreSQL URL of the ${service} database, with a role that does not own its tables`);

/** Creates a check that returns true for a key of the given type in base64. */
const keyCheck =
  <T extends "pkcs8" | "spki">(create: (key: { key: Buffer; format: "der"; type: T }) => KeyObject, type: T) =>
  (text: string): boolean => {
    try {
      create({ key: Buffer.from(text, "base64"), format: "der", type });
      return true;
    } catch {
      return false;
    }
  };

const PublicKey = z.string().refine(keyCheck(createPublicKey, "spki"));

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Settings of the connection to NATS. */
export const natsSettings = {
  NATS_URL: z
    .string()
    .refine((urls) => !urls.includes("@"), "it contains credentials; set NATS_USER and NATS_PASSWORD instead")
    .describe("NATS servers with JetStream, comma-separated; TLS is required if the first begins with tls://"),
  NATS_USER: z
    .string()
    .regex(/^[\w-]+$/)
    .describe("NATS user of this process, whose permissions the server enforces"),
  NATS_PASSWORD: z.string().describe("password of the NATS user"),
  NATS_CA: z.string().optional().describe("path of a PEM file with the certificate authority of the NATS servers; TLS is required if it is set"),
  NATS_REPLICAS: z.coerce.number().int().min(1).max(5).default(1).describe("number of NATS servers that store each event"),
};

const natsSchema = z.object(natsSettings);
export type NatsSettings = z.output<typeof natsSchema>;

/** Settings that every service has besides its database URL. */
export const serviceSettings = {
  ...natsSettings,
  HTTP_PORT: port.describe("port for requests from the gateway"),
  GRPC_PORT: port.describe("port for gRPC calls from other services"),
  HOST: z.string().default("127.0.0.1").describe("address to listen on"),
  PUBLIC_URL: httpUrl.transform((url) => url.replace(/\/+$/, "")).describe("base URL of links in messages"),
  ASSERTION_KEY: z
    .string()
    .refine(keyCheck(createPrivateKey, "pkcs8"), "it is not a valid key")
    .describe("this process's Ed25519 private key, PKCS#8 in base64"),
  ASSERTION_PUBLIC_KEYS: z
    .string()
    .transform((json, context) => {
      const keys = z.record(z.string(), z.union([PublicKey, z.array(PublicKey).min(1)])).safeParse(parseJson(json));
      if (keys.success) return keys.data;
      context.addIssue("it is not a JSON object of public keys");
      return z.NEVER;
    })
    .describe("public keys of all processes by name, SPKI in base64, as one JSON object; an array of keys during a rotation"),
  LOG_LEVEL: z.string().default("info").describe("log level of pino"),
  DRAIN_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(10_000)
    .default(0)
    .describe("time between SIGTERM and the last accepted request, in milliseconds, for load balancers to notice"),
  METRICS_PORT: port.optional().describe("port of the Prometheus metrics; unset for none"),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional().describe("URL of the OpenTelemetry collector; unset for no traces"),
  VALIDATE_RESPONSES: flag.default(false).describe("validate every response against its schema and respond with 500 on a mismatch, for tests"),
  DATABASE_CONNECTIONS: z.coerce.number().int().min(2).max(100).default(8).describe("connections for reads and pipelines; the ORM opens half as many more"),
};

const schema = z.object(serviceSettings);
export type ServiceSettings = z.output<typeof schema>;

/** Setting for the gRPC address of another service: `host:port`, or `dns:///name:port` for several replicas. */
export const grpcAddress = (service: string) => z.string().min(3).describe(`gRPC address of the ${service} service, host:port`);

const isOrigin = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && url.pathname === "/" && url.search === "" && url.username === "";
};

const quotaBytes = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

/** Settings of the storage quota of each organization, in a service that stores files. */
export const storageQuotaSettings = {
  STORAGE_QUOTA_BYTES: quotaBytes
    .default(53_687_091_200)
    .describe("bytes that an organization may store as documents, and as many as files of unfinished imports; 0 for no limit"),
  UNCONFIRMED_STORAGE_QUOTA_BYTES: quotaBytes
    .default(1_073_741_824)
    .describe("storage quota until an admin of the organization has confirmed an e-mail address with a mailed link; 0 to apply STORAGE_QUOTA_BYTES at once"),
};

/** Setting of the figures of another service in lists of portfolio. */
export const optionalCallSetting = {
  OPTIONAL_CALL_MS: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(1_000)
    .describe("longest wait of lists and records for figures and names of another service, in milliseconds; later ones are null"),
};

/** Setting of the development outbox, of communications, which has it, and of the gateway, whose start page shows it. */
export const devOutboxSetting = {
  DEV_OUTBOX: flag
    .default(false)
    .describe(
      "show messages at /api/dev/outbox without authentication instead of sending them, and on the start page of the gateway; for development; ignored when SMTP_URL is set",
    ),
};

/** Settings of a service that stores files, besides its directory. */
export const bucketSettings = {
  S3_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .refine(isOrigin, "write https://host without a path")
    .optional()
    .describe("endpoint of an S3-compatible store; unset to store files on disk"),
  S3_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/)
    .optional()
    .describe("bucket of the files"),
  S3_REGION: z
    .string()
    .regex(/^[a-z0-9-]+$/)
    .default("us-east-1")
    .describe("region for request signatures"),
  S3_ACCESS_KEY_ID: z.string().regex(/^\S+$/).optional().describe("access key id; needs to list the bucket and to read, write and delete its objects"),
  S3_SECRET_ACCESS_KEY: z.string().regex(/^\S+$/).optional().describe("secret access key"),
};

export type BucketSettings = Record<keyof typeof bucketSettings, string>;

/** Refuses incomplete settings of a bucket: all of them are set, with the directory for uploads, or none. */
export const requireCompleteBucket =
  (...directoryNames: string[]) =>
  (settings: Record<string, unknown>, context: z.RefinementCtx): void => {
    const names = Object.keys(bucketSettings).filter((name) => name !== "S3_REGION");
    if (names.every((name) => settings[name] === undefined)) return;
    for (const name of [...names, ...directoryNames])
      if (settings[name] === undefined) context.addIssue({ code: "custom", path: [name], message: "it is required with the other settings of the bucket" });
  };

export const hasBucket = (settings: object): settings is BucketSettings => (settings as Partial<BucketSettings>).S3_BUCKET !== undefined;
