/** Checks of settings schemas: required settings, called services, and errors of an environment. */
import type { ZodObject, ZodType } from "zod";

/** Returns the names of the settings without a default that are not optional. */
export const requiredSettings = (schema: ZodObject): string[] =>
  Object.entries(schema.shape).flatMap(([name, type]) => ((type as ZodType).safeParse(undefined).success ? [] : [name]));

/** Variable that Node reads itself, so it is not part of any schema. */
const NODE_VARIABLE = "NODE_OPTIONS";

/** Returns a sentence for each unknown, missing or invalid variable of a process. An empty variable counts as missing; placeholders are valid. */
export function settingErrors(processName: string, schema: ZodObject, environment: Record<string, string>): string[] {
  const nonEmpty = Object.entries(environment).filter(([, value]) => value !== "");
  const unknown = Object.keys(environment).flatMap((name) => (name in schema.shape || name === NODE_VARIABLE ? [] : [`${processName} does not know ${name}.`]));
  const missing = requiredSettings(schema).flatMap((name) => (environment[name] ? [] : [`${processName} lacks ${name}.`]));
  const invalid = nonEmpty.flatMap(([name, value]) =>
    name in schema.shape && !isPlaceholder(value) && !(schema.shape[name] as ZodType).safeParse(value).success
      ? [`${processName} refuses ${name}=${value}.`]
      : [],
  );
  return [...unknown, ...missing, ...invalid];
}

/** Returns true for a text with a placeholder in angle brackets. An address such as `Name <name@host>` is none. */
const isPlaceholder = (value: string): boolean => /<[^@>]+>/.test(value);

/** Returns the services that a process calls over gRPC, by its address settings. */
export const calledServices = (schema: ZodObject): string[] =>
  Object.keys(schema.shape).flatMap((name) => (name.endsWith("_GRPC") ? [name.replace("_GRPC", "").toLowerCase()] : []));
