/** Validates the environment of a process against its settings schema. */
import { migrationSettings } from "@freehold/kit/runtime/migrate";
import type { ZodObject, ZodType } from "zod";
import type { ServiceName } from "../../../deploy/system/secrets.ts";

export const migrationSchema = (service: ServiceName): ZodObject => migrationSettings(service);

/** Returns the required settings. */
export const required = (schema: ZodObject): string[] =>
  Object.entries(schema.shape).flatMap(([name, type]) => ((type as ZodType).safeParse(undefined).success ? [] : [name]));

/** Read by Node itself, so not part of any schema. */
const NODE_VARIABLE = "NODE_OPTIONS";

/** Returns a sentence for each unknown, missing or invalid setting. */
export function mistakes(processName: string, schema: ZodObject, environment: Record<string, string>): string[] {
  const set = Object.entries(environment).filter(([, value]) => value !== "");
  const unknown = Object.keys(environment).flatMap((name) => (name in schema.shape || name === NODE_VARIABLE ? [] : [`${processName} does not know ${name}.`]));
  const missing = required(schema).flatMap((name) => (set.some(([each]) => each === name) ? [] : [`${processName} lacks ${name}.`]));
  const wrong = set.flatMap(([name, value]) =>
    name in schema.shape && !isPlaceholder(value) && !(schema.shape[name] as ZodType).safeParse(value).success
      ? [`${processName} refuses ${name}=${value}.`]
      : [],
  );
  return [...unknown, ...missing, ...wrong];
}

/** Returns true for a placeholder in angle brackets. */
const isPlaceholder = (value: string): boolean => /<[^@>]+>/.test(value);

/** Returns the services that a process calls over gRPC. */
export const asks = (schema: ZodObject): string[] =>
  Object.keys(schema.shape).flatMap((name) => (name.endsWith("_GRPC") ? [name.replace("_GRPC", "").toLowerCase()] : []));
