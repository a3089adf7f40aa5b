/** The settings of `npm start`, from the environment. */
import { bucketSettings, flag, port, readConfig, requireCompleteBucket } from "@freehold/kit/config";
import { resolve } from "node:path";
import { z } from "zod";
import { defaultDataDir } from "./system-state.ts";
import { services, type ServiceName } from "./secrets.ts";

const database = (service: string) =>
  z.string().startsWith("postgres").optional().describe(`URL of an external ${service} database; unset for the embedded PostgreSQL`);
const databases = Object.fromEntries(
  services.flatMap((name) => [
    [`${name.toUpperCase()}_DATABASE_URL`, database(name)],
    [
      `${name.toUpperCase()}_OWNER_DATABASE_URL`,
      database(name).describe(`URL of the external ${name} database for the role that owns and migrates it; unset if the service's role does`),
    ],
  ]),
) as Record<string, ReturnType<typeof database>>;

const schema = z
  .object({
    PORT: port.default(8080).describe("port of the gateway"),
    HOST: z.string().default("127.0.0.1").describe("address that the gateway listens on"),
    PUBLIC_URL: z.url().optional().describe("base URL of links in messages; unset for http://HOST:PORT"),
    DATA_DIR: z.string().default(defaultDataDir).describe("directory of all data, logs and secrets"),
    NATS_URL: z.string().optional().describe("NATS servers with JetStream, comma-separated; unset for the embedded server"),
    BACKUP_DIR: z
      .string()
      .optional()
      .describe("directory for the WAL archive of the embedded PostgreSQL and its base backups (`npm run backup`, `npm run restore`); unset for no archive"),
    SEED_DEMO: flag.optional().describe("whether to create the demo organization with its known logins; unset for true with embedded databases"),
    LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info").describe("log level of pino"),
    RATE_LIMIT_PER_SECOND: z.coerce.number().min(0).default(100).describe("sustained requests per second and user; 0 for no limit"),
    RATE_LIMIT_BURST: z.coerce.number().min(0).default(400).describe("requests that a user may send in one burst"),
    SIGN_IN_ATTEMPTS: z.coerce.number().int().min(0).default(10).describe("sign-in attempts per account in 15 minutes; 0 for no limit"),
    TRUSTED_PROXIES: z.coerce
      .number()
      .int()
      .min(0)
      .max(10)
      .default(0)
      .describe("number of trusted proxies that append the client's address to X-Forwarded-For"),
    METRICS_PORT: port.optional().describe("port of the gateway's Prometheus metrics; the services use the next five ports; unset for none"),
    OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional().describe("URL of the OpenTelemetry collector; unset for no traces"),
    SMTP_URL: z.url().optional().describe("URL of the mail server; unset to store mail in the dev outbox"),
    MAIL_FROM: z.string().optional().describe("sender address of mail"),
    DOCUMENTS_QUOTA_MIB: z.coerce.number().int().min(1).default(10_240).describe("document storage of an organization, in MiB"),
    ...bucketSettings,
    S3_ENDPOINT: bucketSettings.S3_ENDPOINT.describe("endpoint of an S3-compatible store for files; unset to store files in DATA_DIR"),
    ...databases,
  })
  .superRefine(requireCompleteBucket());

/** Returns every setting of `npm start` with its default and description. */
export const describeSettings = (): { name: string; byDefault: string; meaning: string }[] =>
  Object.entries(schema.shape).map(([name, type]) => ({ name, byDefault: defaultOf(name, type as z.ZodType), meaning: (type as z.ZodType).description ?? "" }));

function defaultOf(name: string, type: z.ZodType): string {
  if (name === "DATA_DIR") return ".data";
  const fallback = type.safeParse(undefined);
  return fallback.success && fallback.data !== undefined ? `${fallback.data as string | number | boolean}` : "";
}

export function settings() {
  const values = readConfig(schema) as z.output<typeof schema> & Record<string, string | undefined>;
  const urls = services.flatMap((name) => {
    const service = values[`${name.toUpperCase()}_DATABASE_URL`];
    return service ? [[name, { service, owner: values[`${name.toUpperCase()}_OWNER_DATABASE_URL`] ?? service }] as const] : [];
  });
  const isEmbedded = urls.length === 0;
  const forwardedSettings = [
    "LOG_LEVEL",
    "RATE_LIMIT_PER_SECOND",
    "RATE_LIMIT_BURST",
    "SIGN_IN_ATTEMPTS",
    "TRUSTED_PROXIES",
    "METRICS_PORT",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "SMTP_URL",
    "MAIL_FROM",
    "DOCUMENTS_QUOTA_MIB",
    "S3_ENDPOINT",
    "S3_BUCKET",
    "S3_REGION",
    "S3_ACCESS_KEY_ID",
    "S3_SECRET_ACCESS_KEY",
  ] as const;
  return {
    dataDir: resolve(values.DATA_DIR),
    host: values.HOST,
    port: values.PORT,
    publicUrl: values.PUBLIC_URL,
    natsUrl: values.NATS_URL,
    backupDir: values.BACKUP_DIR && resolve(values.BACKUP_DIR),
    seed: values.SEED_DEMO,
    isEmbedded,
    databaseUrls: Object.fromEntries(urls) as Partial<Record<ServiceName, { owner: string; service: string }>>,
    environment: {
      ...Object.fromEntries(forwardedSettings.flatMap((name) => (values[name] === undefined ? [] : [[name, String(values[name])]]))),
      DEV_OUTBOX: String(isEmbedded && !values.SMTP_URL),
    },
  };
}
