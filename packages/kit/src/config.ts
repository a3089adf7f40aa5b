/** Settings: one validated object a process; a missing or wrong one stops it with a sentence that names it. */
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

/** The settings that every service has, besides the URL of its database. */
export const serviceSettings = {
  NATS_URL: z.string().describe("NATS servers with JetStream, comma-separated"),
  HTTP_PORT: port.describe("where the service answers the gateway"),
  GRPC_PORT: port.describe("where the service answers the other services"),
  HOST: z.string().default("127.0.0.1").describe("the address it listens on"),
  PUBLIC_URL: z.url().describe("the base of every link that is sent"),
  ASSERTION_KEY: z.string().describe("this process's Ed25519 private key, PKCS#8 in base64"),
  ASSERTION_PUBLIC_KEYS: z
    .string()
    .transform((json) => z.record(z.string(), z.string()).parse(JSON.parse(json)))
    .describe("every process's public key by name, SPKI in base64, as one JSON object"),
  LOG_LEVEL: z.string().default("info").describe("pino's level"),
  VALIDATE_RESPONSES: flag.default(false).describe("check every answer against its schema and fail loudly, for tests"),
  DATABASE_CONNECTIONS: z.coerce.number().int().min(2).max(100).default(8).describe("connections for reads and hot writes; entities use half as many more"),
};

const schema = z.object(serviceSettings);
export type ServiceSettings = z.output<typeof schema>;

/** Where another service answers questions: `host:port`, or `dns:///name:port` for several replicas. */
export const grpcAddress = (service: string) => z.string().min(3).describe(`where the ${service} service answers gRPC, host:port`);
