/** The settings of `npm start`, from the environment. */
import { bucketSettings, flag, port, readConfig, requireCompleteBucket } from "@freehold/kit/config";
import { resolve } from "node:path";
import { z } from "zod";
import { defaultDataDir } from "./known-system.ts";
import { services, type ServiceName } from "./secrets.ts";

const database = (service: string) =>
  z.string().startsWith("postgres").optional().describe(`the ${service} database, run elsewhere; unset for the embedded PostgreSQL`);
const databases = Object.fromEntries(
  services.flatMap((name) => [
    [`${name.toUpperCase()}_DATABASE_URL`, database(name)],
    [
      `${name.toUpperCase()}_OWNER_DATABASE_URL`,
      database(name).describe(`the same for the role that owns and migrates the ${name} database; unset when the service's role does`),
    ],
  ]),
) as Record<string, ReturnType<typeof database>>;

const schema = z
  .object({
    PORT: port.default(8080).describe("where the gateway listens"),
    HOST: z.string().default("127.0.0.1").describe("the address it listens on"),
    PUBLIC_URL: z.url().optional().describe("the base of every link that is sent; unset for http://HOST:PORT"),
    DATA_DIR: z.string().default(defaultDataDir).describe("where everything is kept; nothing else is written anywhere"),
    NATS_URL: z.string().optional().describe("NATS servers with JetStream, comma-separated; unset for the embedded one"),
    BACKUP_DIR: z
      .string()
      .optional()
      .describe("where the embedded PostgreSQL archives its log for `npm run backup` and `npm run restore`; unset for no archive"),
    SEED_DEMO: flag.optional().describe("a demo organization with known logins; unset for yes with embedded databases"),
    LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info").describe("how much is logged"),
    RATE_LIMIT_PER_SECOND: z.coerce.number().min(0).default(100).describe("requests a second that a user may keep up; 0 for no limit"),
    RATE_LIMIT_BURST: z.coerce.number().min(0).default(400).describe("requests that a user may send at once"),
    SIGN_IN_ATTEMPTS: z.coerce.number().int().min(0).default(10).describe("tries to sign in to an account in 15 minutes; 0 for no limit"),
    TRUSTED_PROXIES: z.coerce.number().int().min(0).max(10).default(0).describe("proxies in front that add the caller's address to X-Forwarded-For"),
    METRICS_PORT: port.optional().describe("where Prometheus reads the gateway's metrics; the five ports after it are the services'; unset for none"),
    OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional().describe("the collector that traces are sent to; unset for no traces"),
    SMTP_URL: z.url().optional().describe("the mail server; unset to keep mail in the dev outbox"),
    MAIL_FROM: z.string().optional().describe("the sender of mail"),
    DOCUMENTS_QUOTA_MIB: z.coerce.number().int().min(1).default(10_240).describe("how many MiB of documents an organization may keep"),
    ...bucketSettings,
    S3_ENDPOINT: bucketSettings.S3_ENDPOINT.describe("an S3-compatible store that keeps files instead of DATA_DIR; unset for the disk"),
    ...databases,
  })
  .superRefine(requireCompleteBucket());

/** Every setting of the launcher with its default and meaning. */
export const describeSettings = (): { name: string; byDefault: string; meaning: string }[] =>
  Object.entries(schema.shape).map(([name, type]) => ({ name, byDefault: defaultOf(name, type as z.ZodType), meaning: (type as z.ZodType).description ?? "" }));

function defaultOf(name: string, type: z.ZodType): string {
  if (name === "DATA_DIR") return ".data";
  const fallback = type.safeParse(undefined);
  return fallback.success && fallback.data !== undefined ? `${fallback.data as string | number | boolean}` : "";
}

export function settings() {
  const given = readConfig(schema) as z.output<typeof schema> & Record<string, string | undefined>;
  const urls = services.flatMap((name) => {
    const service = given[`${name.toUpperCase()}_DATABASE_URL`];
    return service ? [[name, { service, owner: given[`${name.toUpperCase()}_OWNER_DATABASE_URL`] ?? service }] as const] : [];
  });
  const isEmbedded = urls.length === 0;
  const passedOn = [
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
    dataDir: resolve(given.DATA_DIR),
    host: given.HOST,
    port: given.PORT,
    publicUrl: given.PUBLIC_URL,
    natsUrl: given.NATS_URL,
    backupDir: given.BACKUP_DIR && resolve(given.BACKUP_DIR),
    seed: given.SEED_DEMO,
    isEmbedded,
    databaseUrls: Object.fromEntries(urls) as Partial<Record<ServiceName, { owner: string; service: string }>>,
    environment: {
      ...Object.fromEntries(passedOn.flatMap((name) => (given[name] === undefined ? [] : [[name, String(given[name])]]))),
      DEV_OUTBOX: String(isEmbedded && !given.SMTP_URL),
    },
  };
}
