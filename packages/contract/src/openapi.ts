/** The contract as OpenAPI 3.0.3. */
import { z } from "zod";
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from "zod-openapi";
import { errorCodes, ErrorBody } from "./errors.ts";
import { addExamples } from "./examples.ts";
import { addDescriptions, tags } from "./glossary.ts";
import { operations, type NamedOperation } from "./index.ts";
import { failuresOf, paramsOf } from "./operation.ts";

const meanings: Record<number, string> = {
  400: "The body, the query or a path parameter is not valid; see `errors`.",
  401: "The access token is missing, malformed or expired.",
  403: "The role cannot do this; `message` names who can.",
  404: "There is no such resource in the organization.",
  405: "The resource is managed by the system.",
  409: "The request conflicts with the current state; repeating it unchanged fails the same way.",
  412: "A precondition is not met: `If-Match` names another version, or something must be set up first.",
  416: "The file ends before the range begins; `Content-Range` says how long it is.",
  429: "Too many requests; wait as long as `Retry-After` says.",
  500: "Something went wrong on our side.",
  502: "A provider failed; safe to try again.",
  503: "Not available right now; try again after `Retry-After`.",
};

const parameters = {
  ifMatch: z.string().optional().meta({ description: "The `ETag` of what you read; another version answers 412." }),
  idempotencyKey: z.string().min(1).max(255).optional().meta({ description: "The same request with the same key takes effect once within 24 hours." }),
};

const capital = (text: string) => `${text[0]!.toUpperCase()}${text.slice(1)}`;

const anyText = { schema: { type: "string" as const } };

/** Whether it changes one thing that can be read with its version. */
const takesVersion = ({ method, path, fails }: NamedOperation["operation"]): boolean =>
  method !== "GET" && (path.includes("{id}") || (method === "PATCH" && fails?.includes(412) === true));

function describe({ id, tag, operation }: NamedOperation): ZodOpenApiOperationObject {
  const headers = {
    ...(takesVersion(operation) && { "If-Match": parameters.ifMatch }),
    ...(operation.idempotent && { "Idempotency-Key": parameters.idempotencyKey }),
  };
  const path = paramsOf(operation);
  return {
    operationId: id,
    tags: [tag],
    summary: capital(operation.summary),
    description: [operation.description, operation.access === "public" ? "Needs no token." : `Roles: ${operation.access.join(", ")}.`]
      .filter(Boolean)
      .join("\n\n"),
    ...(operation.deprecated && { deprecated: true }),
    security: operation.access === "public" ? [] : id === "streamEvents" ? [{ streamToken: [] }] : [{ bearer: [] }],
    requestParams: {
      ...(path && { path }),
      ...(operation.query && { query: operation.query }),
      ...(Object.keys(headers).length > 0 && { header: z.object(headers) }),
    },
    ...(operation.body && {
      requestBody: { required: true, content: { [operation.uploads ? "multipart/form-data" : "application/json"]: { schema: operation.body } } },
    }),
    responses: {
      ...(operation.redirects
        ? { 302: { description: "The address is in `Location`.", content: { "text/plain": anyText, "text/html": anyText } } }
        : { 200: { description: "Done.", content: answerContent(id, operation) } }),
      ...(operation.answers === "*/*" && { 206: { description: "The range of it that was asked for.", content: answerContent(id, operation) } }),
      ...Object.fromEntries(
        failuresOf(operation).map((status) => [status, { description: meanings[status]!, content: { "application/json": { schema: ErrorBody } } }]),
      ),
    },
  };
}

function answerContent(id: string, operation: NamedOperation["operation"]) {
  if (id === "streamEvents") return { "text/event-stream": { schema: { type: "string" as const } } };
  if (operation.answers) return { [operation.answers]: { schema: { type: "string" as const, format: "binary" } } };
  const schema = z.object(operation.returns);
  return { "application/json": { schema }, ...("total" in operation.returns && { "text/csv": { schema: { type: "string" as const } } }) };
}

interface Schema {
  type?: unknown;
  format?: unknown;
  pattern?: unknown;
  contentEncoding?: unknown;
  nullable?: boolean;
  allOf?: unknown;
  additionalProperties?: unknown;
  maximum?: number;
  minimum?: number;
}

interface Described {
  schema: Schema;
  explode?: boolean;
}

/** What zod states and no reader needs: uuid and date patterns, how a file is encoded, and the bounds of a safe integer below. */
function tidy(schema: Schema, io: "input" | "output"): void {
  if (schema.format) delete schema.pattern;
  delete schema.contentEncoding;
  if (io === "output" && schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.nullable && schema.allOf && !schema.type) schema.type = "object";
}

export function openApiDocument(baseUrl: string): Record<string, unknown> {
  const paths: ZodOpenApiPathsObject = {};
  for (const named of operations) {
    const item = (paths[named.operation.path] ??= {});
    item[named.operation.method.toLowerCase() as "get"] = describe(named);
  }
  const document = createDocument(
    {
      openapi: "3.0.3",
      info: {
        title: "Freehold",
        version: "0.1.0",
        license: { name: "MIT", url: "https://opensource.org/license/mit" },
        description: `Property management as an API. Every caller acts inside one organization.\n\nMoney is an integer number of cents, dates are \`YYYY-MM-DD\`, moments are ISO 8601 in UTC. Every failure answers \`message\`, and where it helps \`code\` and \`errors\`. Codes: ${errorCodes.map((code) => `\`${code}\``).join(", ")}.`,
      },
      servers: [{ url: baseUrl }],
      tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name, description: tags[name] ?? name })),
      paths,
      components: {
        securitySchemes: {
          bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
          streamToken: { type: "apiKey", in: "query", name: "token" },
        },
      },
    },
    { override: ({ jsonSchema, io }) => tidy(jsonSchema as Schema, io) },
  );
  // Several values of one parameter are comma-separated; a client would repeat the parameter if this were not said.
  const described = Object.values(document.paths ?? {}).flatMap((item) => Object.values(item as Record<string, { parameters?: Described[] }>));
  for (const parameter of described.flatMap(({ parameters = [] }) => parameters)) if (parameter.schema.type === "array") parameter.explode = false;
  addDescriptions(document);
  addExamples(document);
  return document as unknown as Record<string, unknown>;
}
