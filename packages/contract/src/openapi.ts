/** OpenAPI 3.0.3 document of the contract. */
import { z } from "zod";
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from "zod-openapi";
import { errorCodes, ErrorBody } from "./errors.ts";
import { addExamples } from "./examples.ts";
import { operations, type NamedOperation } from "./index.ts";
import { errorStatusesOf } from "./operation.ts";
import { idParameters } from "./path-parameters.ts";
import { tags } from "./tags.ts";

const statusDescriptions: Record<number, string> = {
  400: "The body, the query or a path parameter is invalid; see `errors`.",
  401: "The access token is missing, malformed or expired.",
  403: "The caller is not permitted to call the operation; `message` names the permitted roles.",
  404: "The resource does not exist in the organization.",
  405: "The resource is managed by the system and cannot be changed.",
  409: "The request conflicts with the current state of the resource. Repeating it unchanged fails again.",
  412: "A precondition failed: `If-Match` names another version, or a required setting is missing.",
  416: "The requested range starts beyond the end of the file; `Content-Range` contains the length of the file.",
  429: "Too many requests. Retry after the number of seconds in `Retry-After`.",
  500: "An unexpected error occurred.",
  502: "An external provider failed. The request can be repeated safely.",
  503: "The service is temporarily unavailable. Retry after the number of seconds in `Retry-After`.",
};

const parameters = {
  ifMatch: z.string().optional().describe("`ETag` of the resource as it was read. The request fails with 412 when the resource has changed since."),
  idempotencyKey: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe(
      "Idempotency key. Within 24 hours, the same request with the same key takes effect once and returns the original response; a different request with the same key fails with 409.",
    ),
};

const capitalize = (text: string) => `${text[0]!.toUpperCase()}${text.slice(1)}`;

const anyText = { schema: { type: "string" as const } };

/** Reports whether an operation changes a single resource and therefore accepts `If-Match`. */
const acceptsIfMatch = ({ method, path, errors, changesNothing }: NamedOperation["operation"]): boolean =>
  method !== "GET" && !changesNothing && (path.includes("{id}") || (method === "PATCH" && errors?.includes(412) === true));

function toOpenApiOperation({ id, tag, operation }: NamedOperation): ZodOpenApiOperationObject {
  const headers = {
    ...(acceptsIfMatch(operation) && { "If-Match": parameters.ifMatch }),
    ...(operation.idempotent && { "Idempotency-Key": parameters.idempotencyKey }),
    ...operation.headers?.shape,
  };
  const path = operation.params ?? idParameters(operation.path);
  return {
    operationId: id,
    tags: [tag],
    summary: capitalize(operation.summary),
    description: [operation.description, operation.access === "public" ? "Requires no token." : `Roles: ${operation.access.join(", ")}.`]
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
        ? { 302: { description: "Redirect to the URL in `Location`.", content: { "text/plain": anyText, "text/html": anyText } } }
        : { 200: { description: "Success.", content: responseContent(id, operation) } }),
      ...(operation.contentType === "*/*" && { 206: { description: "Requested range of the file.", content: responseContent(id, operation) } }),
      ...Object.fromEntries(
        errorStatusesOf(operation).map((status) => [
          status,
          { description: statusDescriptions[status]!, content: { "application/json": { schema: ErrorBody } } },
        ]),
      ),
      ...(operation.reportsUnavailability && { 503: { description: "A component is down; see `checks`.", content: responseContent(id, operation) } }),
    },
  };
}

function responseContent(id: string, operation: NamedOperation["operation"]) {
  if (id === "streamEvents") return { "text/event-stream": { schema: { type: "string" as const } } };
  if (operation.contentType) return { [operation.contentType]: { schema: { type: "string" as const, format: "binary" } } };
  const schema = z.object(operation.response);
  const files = Object.fromEntries((operation.fileContentTypes ?? []).map((type) => [type, { schema: { type: "string" as const, format: "binary" } }]));
  return { "application/json": { schema }, ...files, ...("total" in operation.response && { "text/csv": { schema: { type: "string" as const } } }) };
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

/**
 * Simplifies a schema for readers: removes patterns of known formats, the encoding of files, `additionalProperties: false` of
 * responses, and the lower bound of safe integers. Adds the type that OpenAPI 3.0 requires beside `nullable`.
 */
function simplifySchema(schema: Schema, io: "input" | "output"): void {
  if (schema.format) delete schema.pattern;
  delete schema.contentEncoding;
  if (io === "output" && schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.nullable && schema.allOf && !schema.type) schema.type = "object";
}

/** The server relative to the document, which is at `/api/openapi.json` and may be behind a proxy that adds a prefix to the path. */
const SERVER_URL = "..";

export function openApiDocument(_publicUrl?: string): Record<string, unknown> {
  const paths: ZodOpenApiPathsObject = {};
  for (const namedOperation of operations) {
    const item = (paths[namedOperation.operation.path] ??= {});
    item[namedOperation.operation.method.toLowerCase() as "get"] = toOpenApiOperation(namedOperation);
  }
  const document = createDocument(
    {
      openapi: "3.0.3",
      info: {
        title: "Freehold",
        version: "0.1.0",
        contact: { name: "Freehold" },
        license: { name: "MIT", url: "https://opensource.org/license/mit" },
        description: `Property management API. Every caller acts within one organization.\n\nAmounts are integer numbers of cents, dates are \`YYYY-MM-DD\`, and times are ISO 8601 in UTC. Every error response contains \`message\`, most also \`code\` and \`errors\`. Error codes: ${errorCodes.map((code) => `\`${code}\``).join(", ")}.`,
      },
      servers: [{ url: SERVER_URL, description: "The server that the document was read from." }],
      tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name, description: tags[name] ?? name })),
      paths,
      components: {
        securitySchemes: {
          bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
          streamToken: { type: "apiKey", in: "query", name: "token" },
        },
      },
    },
    { override: ({ jsonSchema, io }) => simplifySchema(jsonSchema as Schema, io) },
  );
  addExamples(document);
  return { ...document };
}
