/** The settings of `npm start`, from the environment. */
import {
  bucketSettings,
  flag,
  httpUrl,
  natsSettings,
  optionalCallSetting,
  port,
  readConfig,
  requireCompleteBucket,
  storageQuotaSettings,
} from "@freehold/kit/config";
import { BlockList, isIP } from "node:net";
import { resolve } from "node:path";
import { z } from "zod";
import { originList } from "../../gateway/src/cors.ts";
import { trustedProxies } from "../../gateway/src/limits/trusted-proxies.ts";
import { webhookLimitSetting } from "../../gateway/src/limits/webhook-limit.ts";
import { webhookSettings } from "../../services/communications/src/webhooks/webhook-settings.ts";
import { defaultDataDir } from "./system-state.ts";
import type { NatsAccess } from "./layout.ts";
import { processes, services, type ProcessName, type ServiceName } from "./secrets.ts";

const serviceRoleUrlSetting = (service: ServiceName) => `${service.toUpperCase()}_DATABASE_URL`;
const ownerRoleUrlSetting = (service: ServiceName) => `${service.toUpperCase()}_OWNER_DATABASE_URL`;
const databaseUrl = z.string().startsWith("postgres").optional();
const databaseSettings: Record<string, typeof databaseUrl> = Object.fromEntries(
  services.flatMap((service) => [
    [serviceRoleUrlSetting(service), databaseUrl.describe(`URL of an external ${service} database; unset for the embedded PostgreSQL`)],
    [
      ownerRoleUrlSetting(service),
      databaseUrl.describe(`URL of the external ${service} database for the role that owns and migrates it; unset if the role of the service owns it`),
    ],
  ]),
);

/** Rejects the database URL of an owner role when that of the service role is unset: the service would use the embedded database. */
const requireServiceRoleUrls = (settings: Record<string, unknown>, context: z.RefinementCtx): void => {
  for (const service of services)
    if (settings[ownerRoleUrlSetting(service)] !== undefined && settings[serviceRoleUrlSetting(service)] === undefined)
      context.addIssue({ code: "custom", path: [ownerRoleUrlSetting(service)], message: `it requires ${serviceRoleUrlSetting(service)}` });
};

/** Returns settings of a process as texts, which are passed on unchanged once the process's schema accepts them. */
const forwardedTexts = (settings: Record<string, z.ZodType>): Record<string, z.ZodType<string | undefined>> =>
  Object.fromEntries(Object.entries(settings).map(([name, type]) => [name, forwardedText(type)]));

function forwardedText(type: z.ZodType): z.ZodType<string | undefined> {
  const text = z.string().superRefine((value, context) => {
    for (const { message } of type.safeParse(value).error?.issues ?? []) context.addIssue({ code: "custom", message });
  });
  const unset = type.parse(undefined);
  return (unset === undefined ? text.optional() : text.default(`${unset as number | boolean}`)).describe(type.description ?? "");
}

const natsPasswordSetting = (name: ProcessName) => `${name.toUpperCase()}_NATS_PASSWORD`;
const natsPassword = z.string().optional();
const natsPasswordSettings: Record<string, typeof natsPassword> = Object.fromEntries(
  processes.map((name) => [natsPasswordSetting(name), natsPassword.describe(`password of the user ${name} at external NATS servers`)]),
);

/** Requires either all settings of external NATS servers or none of them. */
const requireCompleteNats = (settings: Record<string, unknown>, context: z.RefinementCtx): void => {
  const names = ["NATS_URL", ...Object.keys(natsPasswordSettings)];
  if ([...names, "NATS_CA"].every((name) => settings[name] === undefined)) return;
  for (const name of names)
    if (settings[name] === undefined)
      context.addIssue({ code: "custom", path: [name], message: "it is required with the other settings of external NATS servers" });
};

const loopbackAddresses = new BlockList();
loopbackAddresses.addSubnet("127.0.0.0", 8);
loopbackAddresses.addAddress("::1", "ipv6");

/** Returns true for an address that only processes of this machine reach. Other names than localhost may resolve to any address. */
const isLoopback = (host: string): boolean =>
  isIP(host) === 0 ? host.toLowerCase() === "localhost" : loopbackAddresses.check(host, isIP(host) === 4 ? "ipv4" : "ipv6");

/** Highest metrics port of the gateway: the services use the ports after it. */
const MAX_METRICS_PORT = 65_535 - services.length;

const schema = z
  .object({
    PORT: port.default(8080).describe("port of the gateway"),
    HOST: z.string().default("127.0.0.1").describe("address that the gateway listens on"),
    PUBLIC_URL: httpUrl
      .optional()
      .describe("base URL of links in messages and of the OpenAPI document; https makes the refresh cookie Secure; unset for http://HOST:PORT"),
    DATA_DIR: z.string().default(defaultDataDir).describe("directory of data, logs and secrets, as the runbook lists them"),
    NATS_URL: natsSettings.NATS_URL.optional().describe("NATS servers with JetStream, comma-separated; unset for the embedded server"),
    NATS_CA: natsSettings.NATS_CA.describe("path of a PEM file with the certificate authority of external NATS servers"),
    ...natsPasswordSettings,
    BACKUP_DIR: z
      .string()
      .optional()
      .describe("directory for the WAL archive of the embedded PostgreSQL and its base backups (`npm run backup`, `npm run restore`); unset for no archive"),
    SEED_DEMO: flag
      .optional()
      .describe(
        "true to create the demo organization, whose passwords are public, and to show its logins on the start page; unset to do so only if HOST is a loopback address, PUBLIC_URL is unset or one as well, all databases are embedded and SMTP_URL is not set",
      ),
    LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info").describe("log level of pino"),
    RATE_LIMIT_PER_SECOND: z.coerce
      .number()
      .min(0)
      .default(100)
      .describe("sustained requests per second of a user, or of a network address for requests without a token; 0 for no limit"),
    RATE_LIMIT_BURST: z.coerce.number().min(1).default(400).describe("requests that a user may send in one burst"),
    SIGN_IN_ATTEMPTS: z.coerce
      .number()
      .int()
      .min(0)
      .default(10)
      .describe(
        "wrong passwords, and requested e-mails, allowed per account and client address in 15 minutes, and ten times as many per account; 0 turns off all limits of sign-ins, invites and e-mails",
      ),
    MAILS_PER_RECIPIENT: z.coerce
      .number()
      .int()
      .min(0)
      .default(10)
      .describe(
        "invites of each kind, and reset or confirmation e-mails requested from one network, that an organization may send to a recipient in a day, and invites of all organizations without a confirmed address together; 0 for no limit",
      ),
    ...forwardedTexts(webhookLimitSetting),
    CONNECTIONS_PER_ADDRESS: z.coerce
      .number()
      .int()
      .min(0)
      .default(2_000)
      .describe("open connections of a network address (IPv6: /64) that is no trusted proxy; 0 for no limit, as while TRUSTED_PROXIES is a number above 0"),
    TRUSTED_PROXIES: z
      .string()
      .refine((text) => trustedProxies.safeParse(text).success, "list addresses or networks, or write their number")
      .default("0")
      .describe(
        "addresses and networks of the proxies in front, which add the client's address to X-Forwarded-For, separated by commas; or their number, where nothing else reaches the gateway",
      ),
    CORS_ORIGINS: originList,
    METRICS_PORT: z.coerce
      .number()
      .int()
      .min(1)
      .max(MAX_METRICS_PORT)
      .optional()
      .describe("port of the gateway's Prometheus metrics; the services use the ports after it; unset for none"),
    OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional().describe("URL of the OpenTelemetry collector; unset for no traces"),
    SMTP_URL: z.url().optional().describe("URL of the mail server; unset to store e-mails in the development outbox, or to discard them where it is off"),
    DEV_OUTBOX: flag
      .optional()
      .describe(
        "true to show e-mails, with their links that reset passwords, at /api/dev/outbox without authentication instead of sending them; unset to do so only if HOST is a loopback address, PUBLIC_URL is unset or one as well, and all databases are embedded; ignored when SMTP_URL is set",
      ),
    MAIL_FROM: z.string().optional().describe("sender of the e-mails of organizations without a verified e-mail account, an address or Name <address>"),
    DNS_SERVERS: z
      .string()
      .optional()
      .describe("DNS servers that check the records of e-mail accounts, as address or address:port, comma-separated; unset for those of the system"),
    SMS_PROVIDER_ACCOUNT_ID: z
      .string()
      .optional()
      .describe("account at the SMS provider; unset to store text messages in the development outbox, or to refuse them where it is off"),
    SMS_PROVIDER_AUTH_TOKEN: z.string().optional().describe("secret of the account at the SMS provider"),
    SMS_PROVIDER_FROM: z.string().optional().describe("phone number that sends text messages, in E.164 such as +15185550100"),
    SMS_PROVIDER_URL: z.url().optional().describe("base URL of the SMS provider's API; unset for that of Twilio"),
    SMS_MEDIA_HOSTS: z
      .string()
      .optional()
      .describe("hosts to which the SMS provider redirects the requests of pictures, comma-separated; unset for those of Twilio"),
    TRANSLATION_URL: z.url().optional().describe("base URL of the translation service of blasts; unset for no translations"),
    TRANSLATION_KEY: z.string().optional().describe("API key of the translation service"),
    MESSAGE_DAYS: z.coerce
      .number()
      .int()
      .min(30)
      .max(36_500)
      .default(1_095)
      .describe(
        "days after which the deliveries of notifications, invites and other e-mails and text messages are deleted, not before their notifications; those of conversations are kept",
      ),
    NOTIFICATION_DAYS: z.coerce.number().int().min(30).max(36_500).default(365).describe("days after which notifications are deleted; at least 30"),
    NOTIFICATION_WINDOW_MINUTES: z.coerce
      .number()
      .int()
      .min(1)
      .max(1_440)
      .default(15)
      .describe("minutes in which the events of a type are counted in one notification of each office user, from the first of them"),
    ...forwardedTexts(webhookSettings),
    ...forwardedTexts(optionalCallSetting),
    ...storageQuotaSettings,
    ...bucketSettings,
    S3_ENDPOINT: bucketSettings.S3_ENDPOINT.describe("endpoint of an S3-compatible store for files; unset to store files in DATA_DIR"),
    ...databaseSettings,
  })
  .superRefine(requireCompleteBucket())
  .superRefine(requireServiceRoleUrls)
  .superRefine(requireCompleteNats);

/** Returns every setting of `npm start` with its default and description. */
export const describeSettings = (): { name: string; defaultValue: string; description: string }[] =>
  Object.entries(schema.shape).map(([name, type]) => ({
    name,
    defaultValue: defaultOf(name, type as z.ZodType),
    description: (type as z.ZodType).description ?? "",
  }));

/** Returns the text of a setting's default, empty without one. */
function defaultOf(name: string, type: z.ZodType): string {
  // The path of the data directory depends on the machine.
  if (name === "DATA_DIR") return ".data";
  const unset = type.safeParse(undefined);
  return unset.success && unset.data !== undefined ? `${unset.data as string | number | boolean}` : "";
}

/** Reads and validates the settings of `npm start`. Throws a `ConfigurationError` that names each invalid setting. */
export function readSettings(environment: NodeJS.ProcessEnv = process.env) {
  const settings = readConfig(schema, environment) as z.output<typeof schema> & Record<string, string | undefined>;
  const databaseUrls = services.flatMap((name) => {
    const serviceRoleUrl = settings[serviceRoleUrlSetting(name)];
    return serviceRoleUrl ? [[name, { service: serviceRoleUrl, owner: settings[ownerRoleUrlSetting(name)] ?? serviceRoleUrl }] as const] : [];
  });
  // Nobody else reaches the system, also not through a proxy on this machine, and no e-mail leaves it.
  const isLocal = isLoopback(settings.HOST) && (!settings.PUBLIC_URL || isLoopback(new URL(settings.PUBLIC_URL).hostname.replace(/^\[|\]$/g, "")));
  const isForDevelopment = databaseUrls.length === 0 && isLocal && !settings.SMTP_URL;
  const hasDemo = settings.SEED_DEMO ?? isForDevelopment;
  const forwardedSettings = [
    "LOG_LEVEL",
    "RATE_LIMIT_PER_SECOND",
    "RATE_LIMIT_BURST",
    "SIGN_IN_ATTEMPTS",
    "MAILS_PER_RECIPIENT",
    "TRUSTED_PROXIES",
    "CORS_ORIGINS",
    "CONNECTIONS_PER_ADDRESS",
    "METRICS_PORT",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "SMTP_URL",
    "MAIL_FROM",
    "DNS_SERVERS",
    "SMS_PROVIDER_ACCOUNT_ID",
    "SMS_PROVIDER_AUTH_TOKEN",
    "SMS_PROVIDER_FROM",
    "SMS_PROVIDER_URL",
    "SMS_MEDIA_HOSTS",
    "TRANSLATION_URL",
    "TRANSLATION_KEY",
    "MESSAGE_DAYS",
    "NOTIFICATION_DAYS",
    "NOTIFICATION_WINDOW_MINUTES",
    ...Object.keys(webhookSettings),
    ...Object.keys(webhookLimitSetting),
    ...Object.keys(optionalCallSetting),
    "STORAGE_QUOTA_BYTES",
    "UNCONFIRMED_STORAGE_QUOTA_BYTES",
    "S3_ENDPOINT",
    "S3_BUCKET",
    "S3_REGION",
    "S3_ACCESS_KEY_ID",
    "S3_SECRET_ACCESS_KEY",
  ] as const;
  return {
    dataDir: resolve(settings.DATA_DIR),
    host: settings.HOST,
    port: settings.PORT,
    publicUrl: settings.PUBLIC_URL,
    nats: natsAccess(settings),
    backupDir: settings.BACKUP_DIR && resolve(settings.BACKUP_DIR),
    hasDemo,
    databaseUrls: Object.fromEntries(databaseUrls) as Partial<Record<ServiceName, { owner: string; service: string }>>,
    environment: {
      ...Object.fromEntries(forwardedSettings.flatMap((name) => (settings[name] === undefined ? [] : [[name, String(settings[name])]]))),
      SHOW_DEMO_LOGINS: String(hasDemo),
      DEV_OUTBOX: String(!settings.SMTP_URL && (settings.DEV_OUTBOX ?? isForDevelopment)),
    },
  };
}

/** Returns the access to external NATS servers; undefined for the embedded server. */
function natsAccess(settings: Record<string, unknown> & { NATS_URL?: string | undefined; NATS_CA?: string | undefined }): NatsAccess | undefined {
  const { NATS_URL: url, NATS_CA: ca } = settings;
  if (url === undefined) return undefined;
  const passwords = Object.fromEntries(processes.map((name) => [name, settings[natsPasswordSetting(name)]])) as NatsAccess["passwords"];
  return { url, ca: ca && resolve(ca), passwords };
}
