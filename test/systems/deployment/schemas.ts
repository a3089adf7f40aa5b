/** What is wrong with the settings that a process is given, by its own schema. */
import { migrationSettings } from "@freehold/kit/runtime/migrate";
import type { ZodObject, ZodType } from "zod";
import type { ServiceName } from "../../../deploy/system/secrets.ts";

export const migrationSchema = (service: ServiceName): ZodObject => migrationSettings(service);

/** The settings without which it does not start. */
export const required = (schema: ZodObject): string[] =>
  Object.entries(schema.shape).flatMap(([name, type]) => ((type as ZodType).safeParse(undefined).success ? [] : [name]));

/** No setting of ours: Node reads it before any of our code. */
const OF_NODE = "NODE_OPTIONS";

/** One sentence for each setting that it does not know, that it lacks, or that it would refuse. */
export function mistakes(who: string, schema: ZodObject, given: Record<string, string>): string[] {
  const set = Object.entries(given).filter(([, value]) => value !== "");
  const unknown = Object.keys(given).flatMap((name) => (name in schema.shape || name === OF_NODE ? [] : [`${who} does not know ${name}.`]));
  const missing = required(schema).flatMap((name) => (set.some(([each]) => each === name) ? [] : [`${who} lacks ${name}.`]));
  const wrong = set.flatMap(([name, value]) =>
    name in schema.shape && !isPlaceholder(value) && !(schema.shape[name] as ZodType).safeParse(value).success ? [`${who} refuses ${name}=${value}.`] : [],
  );
  return [...unknown, ...missing, ...wrong];
}

/** An example says in angle brackets what whoever installs writes there. */
const isPlaceholder = (value: string): boolean => /<[^@>]+>/.test(value);

/** Whom a process asks over gRPC. */
export const asks = (schema: ZodObject): string[] =>
  Object.keys(schema.shape).flatMap((name) => (name.endsWith("_GRPC") ? [name.replace("_GRPC", "").toLowerCase()] : []));
