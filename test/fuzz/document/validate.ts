/** The judge: whether a request or an answer is what the document says. Nothing else decides what is valid. */
import { Ajv, type ValidateFunction } from "ajv";
import { JSON_TYPE, paramsIn, type ApiDocument, type Operation, type Parameter, type Schema } from "./document.ts";
import type { Answer, Sent } from "../request.ts";

const isDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;
const formats: Record<string, (text: string) => boolean> = {
  uuid: (text) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text),
  date: isDay,
  "date-time": (text) => /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/.test(text) && isDay(text.slice(0, 10)),
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  uri: (text) => URL.canParse(text),
};

/**
 * A schema of 3.0.3 in the words of JSON Schema. In an answer an object has no member that is not documented; in a request
 * the document says so itself.
 */
function translated(schema: Schema, root: string, isClosed: boolean): object {
  const { nullable, $ref, exclusiveMinimum, exclusiveMaximum, minimum, maximum, format, ...rest } = schema;
  if ($ref) return { $ref: $ref.replace("#", `${root}#`) };
  const each = (schemas: Schema[]) => schemas.map((one) => translated(one, root, isClosed));
  const made = {
    ...rest,
    ...(format && format in formats && { format }),
    ...(minimum !== undefined && (exclusiveMinimum ? { exclusiveMinimum: minimum } : { minimum })),
    ...(maximum !== undefined && (exclusiveMaximum ? { exclusiveMaximum: maximum } : { maximum })),
    ...(rest.properties && { properties: Object.fromEntries(Object.entries(rest.properties).map(([name, one]) => [name, translated(one, root, isClosed)])) }),
    ...(rest.items && { items: translated(rest.items, root, isClosed) }),
    ...(rest.allOf && { allOf: each(rest.allOf) }),
    ...(rest.anyOf && { anyOf: each(rest.anyOf) }),
    ...(rest.oneOf && { oneOf: each(rest.oneOf) }),
    ...(typeof rest.additionalProperties === "object" && { additionalProperties: translated(rest.additionalProperties, root, isClosed) }),
    ...(isClosed && rest.properties && rest.additionalProperties === undefined && { additionalProperties: false }),
  };
  return nullable ? { anyOf: [made, { type: "null" }] } : made;
}

export interface Judge {
  /** Why the document does not allow a request; undefined when it does. */
  wrongRequest(sent: Sent): string | undefined;
  /** Why an answer is not what the document says it is. */
  wrongAnswer(operation: Operation, answer: Answer): string | undefined;
}

export function judgeBy({ schemas }: ApiDocument): Judge {
  const ajv = new Ajv({ strict: false, allErrors: false, formats, ownProperties: true });
  for (const root of ["requests", "answers"]) {
    const components = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, translated(schema, root, root === "answers")]));
    ajv.addSchema({ $id: root, components: { schemas: components } });
  }
  const compiled = { requests: new Map<Schema, ValidateFunction>(), answers: new Map<Schema, ValidateFunction>() };
  const wrong = (root: keyof typeof compiled, schema: Schema, value: unknown): string | undefined => {
    const known = compiled[root].get(schema) ?? ajv.compile(translated(schema, root, root === "answers"));
    compiled[root].set(schema, known);
    if (known(value)) return undefined;
    const { instancePath, message, params } = known.errors![0]!;
    return `${instancePath.slice(1).replaceAll("/", ".")} ${message} ${JSON.stringify(params)}`.trim();
  };
  const wrongParameter = (parameter: Parameter, told: string | string[] | undefined): string | undefined => {
    if (told === undefined) return parameter.required ? `${parameter.name} is missing` : undefined;
    const value = readParameter(parameter, told);
    const why = wrong("requests", parameter.schema, value);
    return why && `${parameter.name} ${why}`;
  };

  return {
    wrongRequest({ operation, path, query, headers, body, raw }) {
      const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
      const known = paramsIn(operation, "query");
      for (const name of Object.keys(query)) if (!known.some((each) => each.name === name)) return `${name} is no parameter`;
      for (const each of paramsIn(operation, "path")) {
        const why = wrongParameter(each, path[each.name]);
        if (why) return why;
      }
      for (const each of known) {
        const why = wrongParameter(each, query[each.name]);
        if (why) return why;
      }
      for (const each of paramsIn(operation, "header")) {
        const why = wrongParameter(each, lower[each.name.toLowerCase()]);
        if (why) return why;
      }
      if (lower["content-type"] ?? lower["content-encoding"]) return "the body is not sent as what the document describes";
      if (!operation.body) return undefined;
      const said = raw === undefined ? { value: body ?? {} } : parsed(raw);
      return said ? wrong("requests", operation.body, said.value) : "the body is no JSON";
    },
    wrongAnswer(operation, { status, type, json, text }) {
      const schema = operation.answers.get(status)?.get(type);
      if (!schema || type !== JSON_TYPE) return undefined;
      return json === undefined ? `it is no JSON: ${text.slice(0, 80)}` : wrong("answers", schema, json);
    },
  };
}

/** What bytes say as JSON, if they do. */
function parsed(raw: string | Buffer): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(raw))) as unknown };
  } catch {
    return undefined;
  }
}

/** What the text of a parameter means by its schema. */
function readParameter({ schema, explode = true, in: where }: Parameter, told: string | string[]): unknown {
  if (schema.type === "array") {
    const items = typeof told === "string" ? (where === "query" && explode ? [told] : told.split(",")) : told;
    return items.map((each) => readText(schema.items ?? {}, each));
  }
  return typeof told === "string" ? readText(schema, told) : told;
}

function readText({ type }: Schema, text: string): unknown {
  if ((type === "integer" || type === "number") && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}
