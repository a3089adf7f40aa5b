/** Examples of the OpenAPI document, generated from the schemas with values by the meaning of their members. */
import { nameOfRef, operationsOf, type MediaType, type OpenApiDocument, type OperationObject, type Schema } from "./document.ts";
import { idOf, isNullUntilEvent, kindOf, resultingStatus } from "./example-records.ts";
import { valueOf } from "./example-members.ts";
import { AMOUNT_CENTS, choicesByName, formattedValue, unusualFlags } from "./example-values.ts";
import { adjustBody, fileExamples } from "./operation-examples.ts";

/** Place of a value: its operation, its member, and the kind of record that it is part of. */
interface Place {
  operationId: string;
  isResponse: boolean;
  name: string;
  kind: string;
}

type Resolve = (ref: string) => Schema;

const fallbackTexts = ["Some text", "NY", "12207", "1", "00:00", "staple battery horse correct", "0123456789abcdef"];
const matchesText =
  ({ minLength = 0, pattern }: Schema) =>
  (text: string) =>
    text.length >= minLength && (!pattern || new RegExp(pattern).test(text));

function exampleOf(schema: Schema, place: Place, resolve: Resolve): unknown {
  const { operationId, isResponse, name } = place;
  if (schema.nullable && !schema.allOf && isResponse && isNullUntilEvent(name, operationId)) return null;
  if (schema.$ref) {
    const component = nameOfRef(schema.$ref);
    return exampleOf(resolve(schema.$ref), { ...place, kind: kindOf(component === "Person" ? name : component) }, resolve);
  }
  if (schema.enum) return choose(schema.enum, place);
  const [choice] = schema.anyOf ?? schema.oneOf ?? schema.allOf ?? [];
  if (choice) return exampleOf(choice, place, resolve);
  switch (schema.type) {
    case "object":
      return exampleMembers(schema, place, resolve);
    case "array":
      return schema.example ?? Array.from({ length: schema.minItems ?? 1 }, () => exampleOf(schema.items ?? {}, { ...place, kind: kindOf(name) }, resolve));
    case "string":
      return exampleText(schema, place);
    case "boolean":
      return schema.default ?? !unusualFlags.has(name);
    default:
      return clamp(exampleNumber(place), schema);
  }
}

const exampleMembers = ({ properties = {} }: Schema, place: Place, resolve: Resolve): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const kind = schema.properties ? kindOf(name) : place.kind;
      return [name, exampleOf(schema, { ...place, name, kind }, resolve)];
    }),
  );

function exampleText(schema: Schema, { name, kind }: Place): string {
  if (schema.format === "uuid") return idOf(name === "id" ? kind : kindOf(name));
  const value = valueOf(kind, name);
  const formatted = schema.format && formattedValue(schema.format, name);
  if (formatted) return schema.format === "email" && typeof value === "string" && value.includes("@") ? value : formatted;
  const texts = typeof value === "string" ? [value, ...fallbackTexts] : fallbackTexts;
  return texts.find(matchesText(schema)) ?? "Some text";
}

function exampleNumber({ name, kind }: Place): number {
  const value = valueOf(kind, name);
  if (typeof value === "number") return value;
  return name.endsWith("Cents") ? AMOUNT_CENTS : 1;
}

const clamp = (value: number, { minimum = -Infinity, maximum = Infinity }: Schema): number => Math.min(maximum, Math.max(minimum, value));

function choose(values: unknown[], { operationId, isResponse, name }: Place): unknown {
  const result = isResponse && name === "status" ? resultingStatus(operationId) : undefined;
  return [result, ...(choicesByName[name] ?? [])].find((choice) => values.includes(choice)) ?? values[0];
}

/** Adds an example to every request body and every successful response of a document, except to archives and to files of any type. */
export function addExamples(document: OpenApiDocument): void {
  const resolve: Resolve = (ref) => document.components.schemas[nameOfRef(ref)]!;
  for (const operation of operationsOf(document)) {
    const { operationId, requestBody, responses } = operation;
    const start = { operationId, name: "", kind: "" };
    for (const media of Object.values(requestBody?.content ?? {}))
      media.example = adjustBody(operationId, exampleOf(media.schema, { ...start, isResponse: false }, resolve) as Record<string, unknown>);
    for (const status of ["200", "202"]) {
      const json = responses[status]?.content?.["application/json"];
      if (json) json.example = exampleOf(json.schema, { ...start, isResponse: true }, resolve);
    }
    for (const [type, media] of fileContentOf(operation)) {
      const example = fileExamples[operationId]?.[type];
      if (example !== undefined) media.example = example;
    }
  }
}

const fileContentOf = ({ responses }: OperationObject): [type: string, media: MediaType][] =>
  ["200", "302"].flatMap((status) => Object.entries(responses[status]?.content ?? {}));
