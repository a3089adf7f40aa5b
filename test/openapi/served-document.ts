/** OpenAPI document as the gateway serves it, its operations and its schemas. */
import { Client } from "../support/client.ts";
import { running } from "../support/running.ts";

export interface Schema {
  [key: string]: unknown;
  $ref?: string;
  type?: unknown;
  description?: unknown;
}
export interface DocumentedOperation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  deprecated?: boolean;
  security: Record<string, string[]>[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, DocumentedResponse | { $ref: string }>;
}
export interface Media {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { summary: string; value: unknown }>;
}
type Content = Record<string, Media>;
export interface DocumentedResponse {
  description: string;
  headers: Record<string, { $ref: string }>;
  content: Content;
}
interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  tags: { name: string }[];
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: {
    schemas: Record<string, Schema>;
    securitySchemes: Record<string, object>;
    headers: Record<string, { description: string; schema: Schema }>;
    responses: Record<string, DocumentedResponse>;
  };
}

export const documentResponse = await new Client(running().baseUrl).raw("GET", "/api/openapi.json");
export const document = (await documentResponse.json()) as OpenApiDocument;
export const documentedOperations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, path, method: method.toUpperCase(), operation })),
);
/** Returns the responses of an operation by status, those of errors from their components. */
export const responsesOf = ({ responses }: DocumentedOperation): [status: string, response: DocumentedResponse][] =>
  Object.entries(responses).map(([status, response]) => [
    status,
    "$ref" in response ? document.components.responses[response.$ref.replace("#/components/responses/", "")]! : response,
  ]);
export const operationsByName = Object.fromEntries(documentedOperations.map((each) => [each.name, each.operation]));

/** Returns every schema object in a part of the document, with its path. */
function schemasIn(value: unknown, path: string): { path: string; schema: Schema }[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => schemasIn(each, `${path}/${index}`));
  if (value === null || typeof value !== "object") return [];
  const nested = Object.entries(value).flatMap(([key, each]) => {
    if (key === "properties") return Object.entries(each as object).flatMap(([name, property]) => schemasIn(property, `${path}/properties/${name}`));
    return ["enum", "default", "example", "required", "description"].includes(key) ? [] : schemasIn(each, `${path}/${key}`);
  });
  return [{ path, schema: value as Schema }, ...nested];
}
export const schemas = [
  ...Object.entries(document.components.schemas).flatMap(([name, schema]) => schemasIn(schema, `components/schemas/${name}`)),
  ...documentedOperations.flatMap(({ name, operation }) => [
    ...(operation.parameters ?? []).flatMap((parameter) => schemasIn(parameter.schema, `${name} ${parameter.name}`)),
    ...Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) => schemasIn(schema, `${name} body`)),
    ...responsesOf(operation).flatMap(([status, { content }]) => Object.values(content).flatMap(({ schema }) => schemasIn(schema, `${name} ${status}`))),
  ]),
];

/** Returns the members of object schemas, each with its path. */
export const membersIn = (all: typeof schemas) =>
  all.flatMap(({ path, schema }) =>
    schema.type === "object" ? Object.entries(schema["properties"] ?? {}).map(([name, member]) => ({ path: `${path}.${name}`, schema: member as Schema })) : [],
  );

/** Returns true if a schema or the component it refers to has a description. */
export const isDescribed = (schema: object): boolean => {
  const { $ref, description } = schema as { $ref?: string; description?: string };
  return Boolean(description ?? ($ref && document.components.schemas[$ref.split("/").at(-1)!]?.["description"]));
};

/** Keywords of a schema in OpenAPI 3.0.3. */
export const keywords = new Set(
  "$ref title multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems maxProperties minProperties required enum type allOf oneOf anyOf not items properties additionalProperties description format default nullable discriminator readOnly writeOnly xml externalDocs example deprecated".split(
    " ",
  ),
);
