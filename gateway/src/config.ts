import { devOutboxSetting, flag, httpUrl, natsSettings, port, readConfig, serviceSettings } from "@freehold/kit/config";
import { z } from "zod";
import { originList } from "./cors.ts";
import { trustedProxies } from "./limits/trusted-proxies.ts";
import { webhookLimitSetting } from "./limits/webhook-limit.ts";

const { HOST, PUBLIC_URL, ASSERTION_KEY, ASSERTION_PUBLIC_KEYS, LOG_LEVEL, DRAIN_MS, METRICS_PORT, OTEL_EXPORTER_OTLP_ENDPOINT } = serviceSettings;
const serviceUrl = (service: string) =>
  z
    .string()
    .transform((list) => list.split(",").map((url) => url.trim()))
    .pipe(z.array(httpUrl))
    .describe(`HTTP URL of the ${service} service; several replicas separated by commas`);
const count = z.coerce.number().min(0);

export const schema = z.object({
  ...natsSettings,
  HOST,
  PUBLIC_URL,
  ASSERTION_KEY,
  ASSERTION_PUBLIC_KEYS,
  LOG_LEVEL,
  DRAIN_MS,
  METRICS_PORT,
  OTEL_EXPORTER_OTLP_ENDPOINT,
  PORT: port.default(8080).describe("port of the gateway"),
  TRUSTED_PROXIES: trustedProxies
    .default(0)
    .describe(
      "addresses and networks of the proxies in front, which add the caller's address to X-Forwarded-For, separated by commas; or their number, where nothing else reaches the gateway; 0 when callers connect directly",
    ),
  SHOW_DEMO_LOGINS: flag.default(false).describe("show the public logins of the demo organization on the start page and the reference page"),
  ...devOutboxSetting,
  CORS_ORIGINS: originList,
  IDENTITY_URL: serviceUrl("identity"),
  PORTFOLIO_URL: serviceUrl("portfolio"),
  LEDGER_URL: serviceUrl("ledger"),
  COMMUNICATIONS_URL: serviceUrl("communications"),
  IMPORTS_URL: serviceUrl("imports"),
  RATE_LIMIT_PER_SECOND: count
    .default(100)
    .describe("sustained requests per second of a user, or of a network address for requests without a token; 0 for no limit"),
  RATE_LIMIT_BURST: z.coerce.number().min(1).default(400).describe("requests in one burst of a user, or of a network address for requests without a token"),
  ...webhookLimitSetting,
  CONNECTIONS_PER_ADDRESS: count
    .default(2_000)
    .describe("open connections of a network address (IPv6: /64) that is no trusted proxy; 0 for no limit, as while TRUSTED_PROXIES is a number above 0"),
  STREAMS_PER_USER: count.default(5).describe("concurrent event streams of a user; 0 for no limit"),
  STREAMS_PER_ORGANIZATION: count
    .default(200)
    .describe("concurrent event streams of the office of an organization, and as many of its portal users; 0 for no limit"),
});

export const config = () => readConfig(schema);
export type Config = ReturnType<typeof config>;
