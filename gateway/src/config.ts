import { natsSettings, port, readConfig, serviceSettings } from "@freehold/kit/config";
import { z } from "zod";

const { HOST, PUBLIC_URL, ASSERTION_KEY, ASSERTION_PUBLIC_KEYS, LOG_LEVEL, DRAIN_MS, METRICS_PORT, OTEL_EXPORTER_OTLP_ENDPOINT } = serviceSettings;
const serviceUrl = (service: string) =>
  z
    .string()
    .transform((list) => list.split(",").map((url) => url.trim()))
    .pipe(z.array(z.url()))
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
  TRUSTED_PROXIES: z.coerce
    .number()
    .int()
    .min(0)
    .max(10)
    .default(0)
    .describe("number of proxies in front that add the caller's address to X-Forwarded-For; 0 when callers connect directly"),
  IDENTITY_URL: serviceUrl("identity"),
  PORTFOLIO_URL: serviceUrl("portfolio"),
  LEDGER_URL: serviceUrl("ledger"),
  COMMUNICATIONS_URL: serviceUrl("communications"),
  IMPORTS_URL: serviceUrl("imports"),
  RATE_LIMIT_PER_SECOND: count.default(100).describe("sustained requests per second of a user; 0 for no limit"),
  RATE_LIMIT_BURST: z.coerce.number().min(1).default(400).describe("requests that a user may send in one burst"),
  STREAMS_PER_USER: count.default(5).describe("concurrent event streams of a user; 0 for no limit"),
  STREAMS_PER_ORGANIZATION: count.default(200).describe("concurrent event streams of an organization; 0 for no limit"),
});

export const config = () => readConfig(schema);
export type Config = ReturnType<typeof config>;
