/** Parses the OpenAPI document, the fuzzer's only source about the system, into operations with their parameters, bodies and responses. */

/** A schema of OpenAPI 3.0.3. */
export interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  pattern?: string;
  enum?: unknown[];
  nullable?: boolean;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  explode?: boolean;
  schema: Schema;
}

/** Location and prefix of the token in a request. */
export interface Credential {
  in: "header" | "query";
  name: string;
  prefix: "" | "Bearer ";
}

export interface Operation {
  id: string;
  method: string;
  path: string;
  parameters: Parameter[];
  body: Schema | undefined;
  /** Content type of a body that is not JSON; the fuzzer does not generate such bodies. */
  nonJsonBodyType: string | undefined;
  /** Response schemas by status and content type. */
  responses: Map<number, Map<string, Schema>>;
  /** Undefined for a public operation. */
  credential: Credential | undefined;
  /** Roles that may call the operation, as its description lists them. */
  roles: string[];
  isDeprecated: boolean;
}

export interface ApiDocument {
  operations: Operation[];
  schemas: Record<string, Schema>;
  /** Methods by path. */
  methodsByPath: Map<string, string[]>;
}

interface OpenApiOperation {
  operationId: string;
  description?: string;
  deprecated?: boolean;
  security?: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, OpenApiResponse>;
}
interface OpenApiResponse {
  $ref?: string;
  content?: Record<string, { schema: Schema }>;
}
export interface OpenApiDocument {
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: {
    schemas?: Record<string, Schema>;
    responses?: Record<string, OpenApiResponse>;
    securitySchemes?: Record<string, { type: string; in?: string; name?: string }>;
  };
}

export const JSON_TYPE = "application/json";

/** Replaces references to enums by the enums, so that components are entities and the schemas of parameters are complete. */
function inlineEnums(document: OpenApiDocument): OpenApiDocument {
  const enumOf = (schema: Schema): Schema | undefined => {
    const component = document.components.schemas?.[componentOf(schema) ?? ""];
    return component?.enum && component;
  };
  return JSON.parse(JSON.stringify(document), (_, value: unknown) => {
    if (typeof value !== "object" || value === null) return value;
    const { $ref, allOf, ...rest } = value as Schema;
    if ($ref) return enumOf({ $ref }) ?? value;
    return allOf?.length === 1 && allOf[0]!.enum ? { ...allOf[0], ...rest } : value;
  }) as OpenApiDocument;
}

/** Returns the types of files that an operation sends instead of JSON, as its description lists them. */
const fileTypesOf = ({ description = "" }: OpenApiOperation): [string, Schema][] =>
  [...description.matchAll(/`Accept: ([\w/]+)`/g)].map(([, type]) => [type!, {}]);

/** Parses an OpenAPI document. */
export function parseDocument(document: OpenApiDocument): ApiDocument {
  const { paths, components } = inlineEnums(document);
  const { schemas = {} } = components;
  const inline = (schema: Schema): Schema => schemas[componentOf(schema) ?? ""] ?? schema;
  const contentOf = ({ $ref, content = {} }: OpenApiResponse) => ($ref ? components.responses![$ref.split("/").at(-1)!]!.content! : content);
  const credentialOf = (security: Record<string, unknown>[] = []): Credential | undefined => {
    const scheme = components.securitySchemes?.[Object.keys(security[0] ?? {})[0] ?? ""];
    if (!scheme) return undefined;
    return scheme.type === "apiKey"
      ? { in: scheme.in === "query" ? "query" : "header", name: scheme.name!, prefix: "" }
      : { in: "header", name: "Authorization", prefix: "Bearer " };
  };
  const schemasByType = (response: OpenApiResponse) =>
    Object.entries(contentOf(response)).map(([type, { schema }]): [string, Schema] => [type, inline(schema)]);
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): Operation => {
      const credential = credentialOf(operation.security);
      const bodyTypes = operation.requestBody?.content ?? {};
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        parameters: (operation.parameters ?? []).filter((each) => !(credential?.in === each.in && credential.name === each.name)),
        body: bodyTypes[JSON_TYPE] && inline(bodyTypes[JSON_TYPE].schema),
        nonJsonBodyType: bodyTypes[JSON_TYPE] ? undefined : Object.keys(bodyTypes)[0],
        responses: new Map(
          Object.entries(operation.responses).map(([status, response]) => [
            Number(status),
            new Map([...schemasByType(response), ...(status === "200" ? fileTypesOf(operation) : [])]),
          ]),
        ),
        credential,
        roles: /Roles: ([\w, ]+)\./.exec(operation.description ?? "")?.[1]?.split(", ") ?? [],
        isDeprecated: operation.deprecated === true,
      };
    }),
  );
  const methodsByPath = new Map(Object.entries(paths).map(([path, item]) => [path, Object.keys(item).map((method) => method.toUpperCase())]));
  return { operations, schemas, methodsByPath };
}

const SCHEMA_PREFIX = "#/components/schemas/";

/** Returns the component name of a schema, if it is a reference. */
export function componentOf({ $ref, allOf }: Schema): string | undefined {
  const ref = $ref ?? (allOf?.length === 1 ? allOf[0]!.$ref : undefined);
  return ref?.startsWith(SCHEMA_PREFIX) ? ref.slice(SCHEMA_PREFIX.length) : undefined;
}

/** Returns the component that a schema refers to, or the schema itself if it is not a reference. */
export function resolveRef({ schemas }: ApiDocument, schema: Schema): Schema {
  const name = componentOf(schema);
  return name ? (schemas[name] ?? {}) : schema;
}

export const paramsIn = ({ parameters }: Operation, location: Parameter["in"]): Parameter[] => parameters.filter((each) => each.in === location);

/** Returns the JSON schema of the 200 response. */
export const responseSchema = ({ responses }: Operation): Schema | undefined => responses.get(200)?.get(JSON_TYPE);

/** Removes parameter names from a path, so that `/api/leases/{leaseId}` and `/api/leases/{id}` are equal. */
export const normalizePath = (path: string): string => path.replace(/\{\w+\}/g, "{}");

/** Fetches the document of a running system. */
export async function fetchDocument(baseUrl: string): Promise<ApiDocument> {
  return parseDocument((await (await fetch(`${baseUrl}/api/openapi.json`)).json()) as OpenApiDocument);
}
