/** OpenAPI 3.0.3 document of the contract. */
import { z } from "zod";
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from "zod-openapi";
import { addExamples } from "./openapi/examples.ts";
import { operations, type NamedOperation } from "./index.ts";
import { csvListMember, errorStatusesOf } from "./operation.ts";
import { mapSchemas, operationsOf, type OpenApiDocument, type Schema } from "./openapi/document.ts";
import { errorResponse, errorResponses } from "./openapi/error-responses.ts";
import { headerRefs, headers, successHeaders } from "./openapi/headers.ts";
import { mergeVariants } from "./openapi/merge-variants.ts";
import { nameBodies } from "./openapi/name-bodies.ts";
import { nameEnums } from "./openapi/name-enums.ts";
import { WebhookPayload } from "./communications/webhooks.ts";
import { idParameters } from "./path-parameters.ts";
import { tags } from "./tags.ts";

/** Introduction of the document. Its links are relative to the document and to the reference page. */
const DESCRIPTION = `Property management API. Every caller acts within one organization.

Amounts are integer numbers of cents, dates are \`YYYY-MM-DD\`, and times are ISO 8601 in UTC. Every error response contains \`message\`, most also \`code\` and \`errors\`.

Guides: [import your portfolio](docs/guides/import-your-portfolio.md), [authentication](docs/guides/authentication.md), [errors by code](docs/guides/errors.md), [events](docs/guides/events.md), [webhooks](docs/guides/webhooks.md), [typed clients](docs/guides/typed-clients.md).`;

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

const FORM = "application/x-www-form-urlencoded";
const MAX_INT32 = 2_147_483_647;

const capitalize = (text: string) => `${text[0]!.toUpperCase()}${text.slice(1)}`;

const anyText = { schema: { type: "string" as const } };

/** Reports whether an operation changes a single resource and therefore accepts `If-Match`. */
const acceptsIfMatch = ({ method, path, errors, changesNothing }: NamedOperation["operation"]): boolean =>
  method !== "GET" && !changesNothing && (path.includes("{id}") || (method === "PATCH" && errors?.includes(412) === true));

function toOpenApiOperation({ id, tag, service, operation }: NamedOperation): ZodOpenApiOperationObject {
  const header = {
    ...(acceptsIfMatch(operation) && { "If-Match": parameters.ifMatch }),
    ...(operation.idempotent && { "Idempotency-Key": parameters.idempotencyKey }),
    ...operation.headers?.shape,
  };
  const path = operation.params ?? idParameters(operation.path);
  return {
    operationId: id,
    tags: [tag],
    summary: capitalize(operation.summary),
    description: [
      operation.description,
      alternatives(operation),
      operation.access === "public" ? "Requires no token." : `Roles: ${operation.access.join(", ")}.`,
    ]
      .filter(Boolean)
      .join("\n\n"),
    ...(operation.deprecated && { deprecated: true }),
    security: operation.access === "public" ? [] : id === "streamEvents" ? [{ bearer: [] }, { streamToken: [] }] : [{ bearer: [] }],
    requestParams: {
      ...(path && { path }),
      ...(operation.query && { query: operation.query }),
      ...(Object.keys(header).length > 0 && { header: z.object(header) }),
    },
    ...(operation.body && {
      requestBody: {
        required: true,
        content: {
          [operation.uploads ? "multipart/form-data" : "application/json"]: { schema: operation.body },
          ...(operation.form && { [FORM]: { schema: operation.form } }),
        },
      },
    }),
    ...(operation.webhook && { requestBody: webhookBody(operation.webhook) }),
    responses: responsesOf({ id, tag, service, operation }),
  };
}

/** Returns the body of a webhook receiver, whose format is that of the provider. */
const webhookBody = (contentType: string): NonNullable<ZodOpenApiOperationObject["requestBody"]> => ({
  required: true,
  description: "Event in the format of the provider, with the bytes that the provider signed.",
  content: { [contentType]: { schema: WebhookPayload } },
});

const fileSchema = { type: "string", format: "binary" } as const;

function responsesOf(named: NamedOperation): ZodOpenApiOperationObject["responses"] {
  const { operation } = named;
  const headers = headerRefs(successHeaders(named));
  return {
    ...(operation.redirects
      ? { 302: { description: "Redirect to the URL in `Location`.", headers, content: { "text/plain": anyText, "text/html": anyText } } }
      : { 200: { description: "Success.", headers, content: responseContent(named) } }),
    ...(operation.acceptsUnmatched && { 202: { description: "Accepted, but it matches nothing yet.", headers, content: responseContent(named) } }),
    ...(operation.contentType === "*/*" && {
      206: { description: "Requested range of the file.", headers: { ...headers, ...headerRefs(["Content-Range"]) }, content: responseContent(named) },
    }),
    ...Object.fromEntries(errorStatusesOf(operation).map((status) => [status, errorResponse(status, named)])),
    ...(operation.reportsUnavailability && { 503: { description: "A component is down; see `checks`.", headers, content: responseContent(named) } }),
  };
}

/** Returns the content of a successful response. A list as CSV is described in words, so that typed clients type the response as JSON. */
function responseContent({ id, operation }: NamedOperation) {
  if (id === "streamEvents") return { "text/event-stream": anyText };
  if (operation.contentType) return { [operation.contentType]: { schema: fileSchema } };
  return { "application/json": { schema: z.object(operation.response) } };
}

const alternativeNames = { "application/json": "JSON", "text/csv": "CSV", "application/pdf": "PDF" } as const;

/** Returns the sentence about the files that an operation sends instead of JSON, if any. */
function alternatives(operation: NamedOperation["operation"]): string | undefined {
  const { fileContentTypes, isFileByDefault } = operation;
  if (fileContentTypes) {
    const headers = (types: readonly (keyof typeof alternativeNames)[]) => types.map((type) => `\`Accept: ${type}\` for ${alternativeNames[type]}`).join(", ");
    const [file, ...others] = fileContentTypes;
    return isFileByDefault
      ? `The response is a ${alternativeNames[file!]} unless the request asks for another format: by \`format\`, or by ${headers(["application/json", ...others])}.`
      : `The response is JSON unless the request asks for a file: by \`format\`, or by ${headers(fileContentTypes)}.`;
  }
  const list = csvListMember(operation);
  if (!list) return undefined;
  return list.isPaged
    ? "With `Accept: text/csv`, the response is a CSV file of all pages instead, with the members of an item as columns and the rows as they were when the export began. An export that takes longer than five minutes is cut off."
    : "With `Accept: text/csv`, the response is a CSV file instead, with the members of an item as columns.";
}

/**
 * Simplifies a schema for readers: removes patterns of known formats, the encoding of files, `additionalProperties: false` of
 * responses, and the lower bound of safe integers. Adds the type that OpenAPI 3.0 requires beside `nullable`, and the format of
 * integers by the bits that they need.
 */
function simplifySchema(schema: Schema, io: "input" | "output"): void {
  if (schema.format) delete schema.pattern;
  delete schema.contentEncoding;
  if (io === "output" && schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.type === "integer") schema.format = schema.maximum! <= MAX_INT32 && schema.minimum! >= -MAX_INT32 ? "int32" : "int64";
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.nullable && schema.allOf && !schema.type) schema.type = "object";
}

const INT64 = { format: "int64" } as const;
const isAmount = (name: string): boolean => name.endsWith("Cents");

/** Gives every amount of money the format of 64 bits, also those of a smaller range. */
function markAmounts(document: OpenApiDocument): void {
  for (const { name, schema } of operationsOf(document).flatMap(({ parameters = [] }) => parameters)) if (isAmount(name)) Object.assign(schema, INT64);
  mapSchemas(document, (schema) => {
    for (const [name, member] of Object.entries(schema.properties ?? {})) if (isAmount(name) && member.type === "integer") Object.assign(member, INT64);
    return schema;
  });
}

/** Removes the descriptions of the schemas of parameters, since the parameters themselves have them. */
function describeParametersOnce(document: OpenApiDocument): void {
  for (const { description, schema } of operationsOf(document).flatMap(({ parameters = [] }) => parameters))
    if (schema.description === description) delete schema.description;
}

/** Adds null to the values of nullable enums, since an enum lists every permitted value. */
const permitNull = (document: OpenApiDocument): void =>
  mapSchemas(document, (schema) => (schema.nullable && schema.enum ? { ...schema, enum: [...schema.enum, null] } : schema));

/**
 * Turns the defaults of members into sentences of their descriptions, since generators of typed clients require members with a
 * default in requests. A member that is null unless it is sent needs no sentence.
 */
const describeDefaults = (document: OpenApiDocument): void =>
  mapSchemas(document, (schema) => {
    for (const member of Object.values(schema.properties ?? {})) {
      const { default: value, description = "" } = member;
      if (value === undefined) continue;
      delete member.default;
      if (value !== null && !/default|unless set/i.test(description)) member.description = `${description} Default: \`${JSON.stringify(value)}\`.`.trim();
    }
    return schema;
  });

/** The server relative to the document, which is at `/api/openapi.json` and may be behind a proxy that adds a prefix to the path. */
const SERVER_URL = "..";

export function openApiDocument(): Record<string, unknown> {
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
        description: DESCRIPTION,
      },
      servers: [{ url: SERVER_URL, description: "The server that the document was read from." }],
      tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name, description: tags[name] ?? name })),
      paths,
      components: {
        headers,
        responses: errorResponses(operations.flatMap(({ operation }) => errorStatusesOf(operation)).toSorted((a, b) => a - b)),
        securitySchemes: {
          bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
          streamToken: { type: "apiKey", in: "query", name: "token" },
        },
      },
    },
    { override: ({ jsonSchema, io }) => simplifySchema(jsonSchema as Schema, io) },
  );
  const plain = structuredClone(document) as unknown as OpenApiDocument;
  describeParametersOnce(plain);
  markAmounts(plain);
  mergeVariants(plain);
  nameBodies(plain);
  nameEnums(plain);
  permitNull(plain);
  addExamples(plain);
  describeDefaults(plain);
  return { ...plain };
}
