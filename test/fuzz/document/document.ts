/** OpenAPI document as the fuzzer's only knowledge of the system: operations with their parameters, bodies and responses. */

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

/** Location of the token. */
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
  otherBody: string | undefined;
  /** Response schemas by status and content type. */
  answers: Map<number, Map<string, Schema>>;
  /** Undefined for a public operation. */
  credential: Credential | undefined;
  roles: string[];
  isDeprecated: boolean;
}

export interface ApiDocument {
  operations: Operation[];
  schemas: Record<string, Schema>;
  /** Methods by path. */
  methodsOf: Map<string, string[]>;
}

interface Described {
  operationId: string;
  description?: string;
  deprecated?: boolean;
  security?: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}
export interface OpenApi {
  paths: Record<string, Record<string, Described>>;
  components: { schemas?: Record<string, Schema>; securitySchemes?: Record<string, { type: string; in?: string; name?: string }> };
}

export const JSON_TYPE = "application/json";

/** Parses an OpenAPI document. */
export function readDocument({ paths, components }: OpenApi): ApiDocument {
  const credentialOf = (security: Record<string, unknown>[] = []): Credential | undefined => {
    const scheme = components.securitySchemes?.[Object.keys(security[0] ?? {})[0] ?? ""];
    if (!scheme) return undefined;
    return scheme.type === "apiKey"
      ? { in: scheme.in === "query" ? "query" : "header", name: scheme.name!, prefix: "" }
      : { in: "header", name: "Authorization", prefix: "Bearer " };
  };
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, it]): Operation => {
      const credential = credentialOf(it.security);
      return {
        id: it.operationId,
        method: method.toUpperCase(),
        path,
        parameters: (it.parameters ?? []).filter((each) => !(credential?.in === each.in && credential.name === each.name)),
        body: it.requestBody?.content[JSON_TYPE]?.schema,
        otherBody: Object.keys(it.requestBody?.content ?? {}).find((type) => type !== JSON_TYPE),
        answers: new Map(
          Object.entries(it.responses).map(([status, { content = {} }]) => [
            Number(status),
            new Map(Object.entries(content).map(([type, { schema }]) => [type, schema])),
          ]),
        ),
        credential,
        roles: /Roles: ([\w, ]+)\./.exec(it.description ?? "")?.[1]?.split(", ") ?? [],
        isDeprecated: it.deprecated === true,
      };
    }),
  );
  const methodsOf = new Map(Object.entries(paths).map(([path, item]) => [path, Object.keys(item).map((method) => method.toUpperCase())]));
  return { operations, schemas: components.schemas ?? {}, methodsOf };
}

const PREFIX = "#/components/schemas/";

/** Returns the component name of a schema, if it is a reference. */
export function componentOf({ $ref, allOf }: Schema): string | undefined {
  const ref = $ref ?? (allOf?.length === 1 ? allOf[0]!.$ref : undefined);
  return ref?.startsWith(PREFIX) ? ref.slice(PREFIX.length) : undefined;
}

/** Resolves the reference of a schema. */
export function resolveRef({ schemas }: ApiDocument, schema: Schema): Schema {
  const name = componentOf(schema);
  return name ? (schemas[name] ?? {}) : schema;
}

export const paramsIn = ({ parameters }: Operation, where: Parameter["in"]): Parameter[] => parameters.filter((each) => each.in === where);

/** Returns the JSON schema of the 200 response. */
export const responseSchema = ({ answers }: Operation): Schema | undefined => answers.get(200)?.get(JSON_TYPE);

/** Removes parameter names from a path: `/api/leases/{leaseId}` and `/api/leases/{id}` are the same path. */
export const normalizePath = (path: string): string => path.replace(/\{\w+\}/g, "{}");

/** Fetches the document of a running system. */
export async function fetchDocument(baseUrl: string): Promise<ApiDocument> {
  return readDocument((await (await fetch(`${baseUrl}/api/openapi.json`)).json()) as OpenApi);
}
