/** Validates requests and responses against the OpenAPI document. */
import { Ajv, type ValidateFunction } from "ajv";
import { JSON_TYPE, paramsIn, type ApiDocument, type Operation, type Parameter, type Schema } from "./document.ts";
import type { FuzzResponse, FuzzRequest } from "../request.ts";

const isDate = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;
const formats: Record<string, (text: string) => boolean> = {
  uuid: (text) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text),
  date: isDate,
  "date-time": (text) => /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/.test(text) && isDate(text.slice(0, 10)),
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  uri: (text) => URL.canParse(text),
};

/**
 * Converts a schema of OpenAPI 3.0.3 to JSON Schema. Objects in responses are closed: they allow no undocumented members;
 * in requests, `additionalProperties` of the document decides.
 */
function toJsonSchema(schema: Schema, root: string, isClosed: boolean): object {
  const { nullable, $ref, exclusiveMinimum, exclusiveMaximum, minimum, maximum, format, ...rest } = schema;
  if ($ref) return { $ref: $ref.replace("#", `${root}#`) };
  const convertAll = (schemas: Schema[]) => schemas.map((item) => toJsonSchema(item, root, isClosed));
  const nonNull = {
    ...rest,
    ...(format && format in formats && { format }),
    ...(minimum !== undefined && (exclusiveMinimum ? { exclusiveMinimum: minimum } : { minimum })),
    ...(maximum !== undefined && (exclusiveMaximum ? { exclusiveMaximum: maximum } : { maximum })),
    ...(rest.properties && {
      properties: Object.fromEntries(Object.entries(rest.properties).map(([name, property]) => [name, toJsonSchema(property, root, isClosed)])),
    }),
    ...(rest.items && { items: toJsonSchema(rest.items, root, isClosed) }),
    ...(rest.allOf && { allOf: convertAll(rest.allOf) }),
    ...(rest.anyOf && { anyOf: convertAll(rest.anyOf) }),
    ...(rest.oneOf && { oneOf: convertAll(rest.oneOf) }),
    ...(typeof rest.additionalProperties === "object" && { additionalProperties: toJsonSchema(rest.additionalProperties, root, isClosed) }),
    ...(isClosed && rest.properties && rest.additionalProperties === undefined && { additionalProperties: false }),
  };
  return nullable ? { anyOf: [nonNull, { type: "null" }] } : nonNull;
}

export interface Validator {
  /** Returns the reason why a request is invalid; undefined if it is valid. */
  findRequestError(request: FuzzRequest): string | undefined;
  /** Returns the reason why a value does not match a schema of requests or of responses; undefined if it matches. */
  findSchemaError(kind: "requests" | "responses", schema: Schema, value: unknown): string | undefined;
  /** Returns the reason why a response does not match its schema; undefined if it matches. */
  findResponseError(operation: Operation, response: FuzzResponse): string | undefined;
}

export function createValidator({ schemas }: ApiDocument): Validator {
  const ajv = new Ajv({ strict: false, allErrors: false, formats, ownProperties: true });
  for (const root of ["requests", "responses"]) {
    const components = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, toJsonSchema(schema, root, root === "responses")]));
    ajv.addSchema({ $id: root, components: { schemas: components } });
  }
  const compiled = { requests: new Map<Schema, ValidateFunction>(), responses: new Map<Schema, ValidateFunction>() };
  const findSchemaError = (root: keyof typeof compiled, schema: Schema, value: unknown): string | undefined => {
    const validate = compiled[root].get(schema) ?? ajv.compile(toJsonSchema(schema, root, root === "responses"));
    compiled[root].set(schema, validate);
    if (validate(value)) return undefined;
    const { instancePath, message, params } = validate.errors![0]!;
    return `${instancePath.slice(1).replaceAll("/", ".")} ${message} ${JSON.stringify(params)}`.trim();
  };
  const findParameterError = (parameter: Parameter, text: string | string[] | undefined): string | undefined => {
    if (text === undefined) return parameter.required ? `${parameter.name} is missing` : undefined;
    const value = parseParameter(parameter, text);
    const error = findSchemaError("requests", parameter.schema, value);
    return error && `${parameter.name} ${error}`;
  };

  return {
    findSchemaError,
    findRequestError({ operation, path, query, headers, body, raw }) {
      const lowerCaseHeaders = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
      const queryParameters = paramsIn(operation, "query");
      for (const name of Object.keys(query)) if (!queryParameters.some((each) => each.name === name)) return `${name} is not a parameter`;
      for (const each of paramsIn(operation, "path")) {
        const error = findParameterError(each, path[each.name]);
        if (error) return error;
      }
      for (const each of queryParameters) {
        const error = findParameterError(each, query[each.name]);
        if (error) return error;
      }
      for (const each of paramsIn(operation, "header")) {
        const error = findParameterError(each, lowerCaseHeaders[each.name.toLowerCase()]);
        if (error) return error;
      }
      if (lowerCaseHeaders["content-type"] ?? lowerCaseHeaders["content-encoding"]) return "the content type or encoding is not documented";
      if (!operation.body) return undefined;
      const parsedBody = raw === undefined ? { value: body ?? {} } : parseJsonBytes(raw);
      return parsedBody ? findSchemaError("requests", operation.body, parsedBody.value) : "the body is not JSON";
    },
    findResponseError(operation, { status, type, json, text }) {
      const schema = operation.responses.get(status)?.get(type);
      if (!schema || type !== JSON_TYPE) return undefined;
      return json === undefined ? `the body is not JSON: ${text.slice(0, 80)}` : findSchemaError("responses", schema, json);
    },
  };
}

/** Parses bytes as UTF-8 JSON. Returns undefined if they are invalid. */
function parseJsonBytes(raw: string | Buffer): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(raw))) as unknown };
  } catch {
    return undefined;
  }
}

/** Converts the text of a parameter to the type of its schema. */
function parseParameter({ schema, explode = true, in: location }: Parameter, text: string | string[]): unknown {
  if (schema.type === "array") {
    const items = typeof text === "string" ? (location === "query" && explode ? [text] : text.split(",")) : text;
    return items.map((each) => parseScalar(schema.items ?? {}, each));
  }
  return typeof text === "string" ? parseScalar(schema, text) : text;
}

function parseScalar({ type }: Schema, text: string): unknown {
  if ((type === "integer" || type === "number") && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}
