/** Settings: one validated object a process; a missing or wrong one stops it with a sentence that names it. */
import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { z } from "zod";

export class ConfigurationError extends Error {}

/** Reads the described settings from the environment. An empty variable counts as unset. */
export function readConfig<S extends z.ZodObject>(schema: S, environment: NodeJS.ProcessEnv = process.env): z.output<S> {
  const given = Object.fromEntries(Object.keys(schema.shape).map((name) => [name, environment[name] === "" ? undefined : environment[name]]));
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const wrong = result.error.issues.map((issue) => {
    const name = String(issue.path[0]);
    const about = (schema.shape[name] as z.ZodType | undefined)?.description;
    return given[name] === undefined ? `${name} is not set${about ? `: ${about}` : ""}.` : `${name} is wrong: ${issue.message}${about ? ` (${about})` : ""}.`;
  });
  throw new ConfigurationError(wrong.join(" "));
}

export const flag = z.enum(["true", "false"]).transform((value) => value === "true");
export const port = z.coerce.number().int().min(0).max(65_535);

export const databaseUrl = (service: string) =>
  z.string().startsWith("postgres").describe(`where the ${service} service keeps its data; the role in it owns nothing there`);

/** Whether a text is a key in base64. */
const isKey =
  <T extends "pkcs8" | "spki">(create: (key: { key: Buffer; format: "der"; type: T }) => KeyObject, type: T) =>
  (text: string): boolean => {
    try {
      create({ key: Buffer.from(text, "base64"), format: "der", type });
      return true;
    } catch {
      return false;
    }
  };

const PublicKey = z.string().refine(isKey(createPublicKey, "spki"));

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The settings that every service has, besides the URL of its database. */
export const serviceSettings = {
  NATS_URL: z.string().describe("NATS servers with JetStream, comma-separated"),
  NATS_REPLICAS: z.coerce.number().int().min(1).max(5).default(1).describe("how many NATS servers keep a copy of each event"),
  HTTP_PORT: port.describe("where the service answers the gateway"),
  GRPC_PORT: port.describe("where the service answers the other services"),
  HOST: z.string().default("127.0.0.1").describe("the address it listens on"),
  PUBLIC_URL: z.url().describe("the base of every link that is sent"),
  ASSERTION_KEY: z.string().refine(isKey(createPrivateKey, "pkcs8"), "it is no such key").describe("this process's Ed25519 private key, PKCS#8 in base64"),
  ASSERTION_PUBLIC_KEYS: z
    .string()
    .transform((json, context) => {
      const keys = z.record(z.string(), z.union([PublicKey, z.array(PublicKey).min(1)])).safeParse(fromJson(json));
      if (keys.success) return keys.data;
      context.addIssue("it is no such object");
      return z.NEVER;
    })
    .describe("every process's public key by name, SPKI in base64, as one JSON object; several in an array while keys are rotated"),
  LOG_LEVEL: z.string().default("info").describe("pino's level"),
  DRAIN_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(10_000)
    .default(0)
    .describe("how long a process that was told to end still answers, while whoever asks it learns to ask another"),
  METRICS_PORT: port.optional().describe("where Prometheus reads the metrics; unset for none"),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional().describe("the collector that traces are sent to; unset for no traces"),
  VALIDATE_RESPONSES: flag.default(false).describe("check every answer against its schema and fail loudly, for tests"),
  DATABASE_CONNECTIONS: z.coerce.number().int().min(2).max(100).default(8).describe("connections for reads and hot writes; entities use half as many more"),
};

const schema = z.object(serviceSettings);
export type ServiceSettings = z.output<typeof schema>;

/** Where another service answers questions: `host:port`, or `dns:///name:port` for several replicas. */
export const grpcAddress = (service: string) => z.string().min(3).describe(`where the ${service} service answers gRPC, host:port`);

const isOrigin = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && url.pathname === "/" && url.search === "" && url.username === "";
};

/** The settings of a service that keeps files, beside the one for its directory. */
export const bucketSettings = {
  S3_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .refine(isOrigin, "write https://host and nothing behind it")
    .optional()
    .describe("where an S3-compatible store answers; unset to keep files on the disk"),
  S3_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/)
    .optional()
    .describe("the bucket in it that holds the files"),
  S3_REGION: z
    .string()
    .regex(/^[a-z0-9-]+$/)
    .default("us-east-1")
    .describe("the region that requests to it are signed for"),
  S3_ACCESS_KEY_ID: z.string().regex(/^\S+$/).optional().describe("who asks it; may list the bucket, and read, write and delete in it"),
  S3_SECRET_ACCESS_KEY: z.string().regex(/^\S+$/).optional().describe("what requests to it are signed with"),
};

export type BucketSettings = Record<keyof typeof bucketSettings, string>;

/** The settings of a bucket are made together, with the directory where its files are received first, or not at all. */
export const wholeBucket =
  (...directory: string[]) =>
  (given: Record<string, unknown>, context: z.RefinementCtx): void => {
    const names = Object.keys(bucketSettings).filter((name) => name !== "S3_REGION");
    if (names.every((name) => given[name] === undefined)) return;
    for (const name of [...names, ...directory])
      if (given[name] === undefined) context.addIssue({ code: "custom", path: [name], message: "it is set together with the others of the bucket" });
  };

export const isBucket = (given: object): given is BucketSettings => (given as Partial<BucketSettings>).S3_BUCKET !== undefined;
