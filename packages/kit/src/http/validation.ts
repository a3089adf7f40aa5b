/** Validation of requests: zod issues as field errors with a path, a code and a message that names the remedy. */
import type { FieldError, FieldErrorCode } from "@freehold/contract/errors";
import type { z } from "zod";
import { invalid } from "../errors.ts";

type Issue = z.core.$ZodIssue;

/** Maximum number of invalid fields that an error lists. */
const MAX_ERRORS = 10_000;
/** Maximum number of levels of a value. Deeper ones would exceed the stack of the functions that read them. */
const MAX_DEPTH = 100;

const formats: Record<string, string> = {
  guid: "a UUID",
  uuid: "a UUID",
  date: "a date as YYYY-MM-DD",
  datetime: "a UTC date-time as 2026-01-31T12:00:00Z",
  email: "an e-mail address",
  url: "a URL",
  regex: "in the documented form",
};

function describe(issue: Issue, path: string): Omit<FieldError, "path"> {
  const field = path || "The body";
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return { code: "required", message: `${field} is required.` };
      if (issue.expected === "int") return { code: "type", message: `${field} must be a whole number.` };
      return { code: "type", message: `${field} must be ${/^[aeiou]/.test(issue.expected) ? "an" : "a"} ${issue.expected}.` };
    case "invalid_format":
      return { code: "format", message: `${field} must be ${formats[issue.format] ?? `a valid ${issue.format}`}.` };
    case "too_small":
      return typeof issue.minimum === "number" && issue.origin !== "string" && issue.origin !== "array"
        ? { code: "min", message: `${field} must be at least ${issue.minimum}.` }
        : { code: "too_short", message: `${field} needs at least ${issue.minimum} ${issue.origin === "array" ? "items" : "characters"}.` };
    case "too_big":
      return issue.origin !== "string" && issue.origin !== "array"
        ? { code: "max", message: `${field} can be at most ${issue.maximum}.` }
        : { code: "too_long", message: `${field} can have at most ${issue.maximum} ${issue.origin === "array" ? "items" : "characters"}.` };
    case "not_multiple_of":
      return { code: "format", message: `${field} must be a multiple of ${issue.divisor}.` };
    case "invalid_value":
      return issue.input === undefined
        ? { code: "required", message: `${field} is required.` }
        : { code: "enum", message: `${field} must be one of: ${issue.values.map(String).join(", ")}.` };
    case "custom":
      return { code: (issue.params?.["code"] ?? "not_allowed") as FieldErrorCode, message: issue.message };
    default:
      return { code: "type", message: `${field} is not valid.` };
  }
}

function fieldErrors(issue: Issue): FieldError[] {
  const path = issue.path.join(".");
  if (issue.code !== "unrecognized_keys") return [{ path, ...describe(issue, path) }];
  return issue.keys.slice(0, MAX_ERRORS).map((key) => {
    const keyPath = path ? `${path}.${key}` : key;
    return { path: keyPath, code: "unrecognized_key", message: `${keyPath} is not a known field. Remove it or correct its name.` };
  });
}

const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

/** Name of a member that records cannot have: schemas leave it out, because an assignment to it would replace the prototype. */
const PROTOTYPE = "__proto__";

/**
 * Returns the first reason why a JSON value cannot be stored: a NUL character, an unpaired surrogate, a member named `__proto__`, or
 * too many levels. A member whose name has an invalid character is reported at its object.
 */
function findStorageError(value: unknown, path: readonly string[]): FieldError | undefined {
  if (path.length > MAX_DEPTH) return tooDeep(path[0]!);
  if (typeof value === "string") return isStorable(value) ? undefined : unstorable(path.join("."));
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    if (!isStorable(name)) return unstorable(path.join("."));
    if (name === PROTOTYPE) return reservedName([...path, name].join("."));
    const found = findStorageError(member, [...path, name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

const unstorable = (path: string): FieldError => ({
  path,
  code: "format",
  message: `${path} contains a character that cannot be stored: NUL or an unpaired surrogate. Remove it.`,
});
const reservedName = (path: string): FieldError => ({ path, code: "not_allowed", message: `${path} has a name that cannot be stored. Choose another name.` });

const tooDeep = (member: string): FieldError => ({
  path: member,
  code: "not_allowed",
  message: `${member} has more than ${MAX_DEPTH} levels. Send flatter values.`,
});

/** Returns the parsed value. Throws 400 with the first error of each invalid field, of at most ten thousand fields. */
export const parse = <S extends z.ZodType>(schema: S, value: unknown): z.output<S> => parseWith(schema, value, (issue) => issue);

/** Returns the parsed query of a request. Throws 400 as `parse` does; the path of an invalid value in a list is the name of the parameter. */
export const parseQuery = <S extends z.ZodType>(schema: S, query: unknown): z.output<S> =>
  parseWith(schema, query, (issue) => ({ ...issue, path: issue.path.slice(0, 1) }));

function parseWith<S extends z.ZodType>(schema: S, value: unknown, located: (issue: Issue) => Issue): z.output<S> {
  const result = schema.safeParse(value, { reportInput: true });
  if (!result.success) throw invalid(firstErrors(result.error.issues, located));
  // The received value is searched, because the parsed one lacks the names that schemas leave out.
  const error = findStorageError(value, []);
  if (error !== undefined) throw invalid([error]);
  return result.data;
}

/** Returns the first error of each field or value in a list, since later ones are often consequences of it. A body can have a hundred thousand invalid fields. */
function firstErrors(issues: readonly Issue[], located: (issue: Issue) => Issue): FieldError[] {
  const errorsByPath = new Map<string, FieldError>();
  for (const issue of issues) {
    for (const error of fieldErrors(located(issue))) {
      if (errorsByPath.size === MAX_ERRORS) return [...errorsByPath.values()];
      const path = issue.code === "unrecognized_keys" ? error.path : issue.path.join(".");
      if (!errorsByPath.has(path)) errorsByPath.set(path, error);
    }
  }
  return [...errorsByPath.values()];
}
