/** Types of an OpenAPI document as far as the document is changed after its creation, and access to its schemas. */

export interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  pattern?: string;
  enum?: unknown[];
  default?: unknown;
  example?: unknown;
  nullable?: boolean;
  description?: string;
  maximum?: number;
  minimum?: number;
  minLength?: number;
  minItems?: number;
  required?: string[];
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  contentEncoding?: string;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
}

export interface MediaType {
  schema: Schema;
  example?: unknown;
}
export interface ResponseObject {
  $ref?: string;
  content?: Record<string, MediaType>;
}
export interface OperationObject {
  operationId: string;
  parameters?: { name: string; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, MediaType> };
  responses: Record<string, ResponseObject>;
}
export interface OpenApiDocument {
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, ResponseObject> };
}

const REF_PREFIX = "#/components/schemas/";
export const refTo = (name: string): Schema => ({ $ref: `${REF_PREFIX}${name}` });
export const nameOfRef = (ref: string): string => ref.slice(REF_PREFIX.length);

export const operationsOf = ({ paths }: OpenApiDocument): OperationObject[] => Object.values(paths).flatMap((item) => Object.values(item));

/** Returns the media types of an operation's body and responses. */
export const mediaTypesOf = ({ requestBody, responses }: OperationObject): MediaType[] =>
  [requestBody, ...Object.values(responses)].flatMap((holder) => Object.values(holder?.content ?? {}));

/** Replaces a schema and then each schema in it by the result of `replace`. */
export function mapSchema(schema: Schema, replace: (schema: Schema) => Schema): Schema {
  const { items, properties, additionalProperties, allOf, anyOf, oneOf, ...rest } = replace(schema);
  const mapAll = (schemas: Schema[]) => schemas.map((each) => mapSchema(each, replace));
  return {
    ...rest,
    ...(items && { items: mapSchema(items, replace) }),
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, mapSchema(each, replace)])) }),
    ...(additionalProperties !== undefined && {
      additionalProperties: typeof additionalProperties === "object" ? mapSchema(additionalProperties, replace) : additionalProperties,
    }),
    ...(allOf && { allOf: mapAll(allOf) }),
    ...(anyOf && { anyOf: mapAll(anyOf) }),
    ...(oneOf && { oneOf: mapAll(oneOf) }),
  };
}

/** Replaces each schema of a document, at any depth, by the result of `replace`. */
export function mapSchemas(document: OpenApiDocument, replace: (schema: Schema) => Schema): void {
  const { schemas, responses } = document.components;
  for (const [name, schema] of Object.entries(schemas)) schemas[name] = mapSchema(schema, replace);
  for (const operation of operationsOf(document)) {
    for (const parameter of operation.parameters ?? []) parameter.schema = mapSchema(parameter.schema, replace);
    for (const media of mediaTypesOf(operation)) media.schema = mapSchema(media.schema, replace);
  }
  for (const media of Object.values(responses).flatMap(({ content = {} }) => Object.values(content))) media.schema = mapSchema(media.schema, replace);
}
