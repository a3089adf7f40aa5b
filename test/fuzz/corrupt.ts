/** Corrupts valid requests. A result may still be valid; the validator decides by the document. */
import fc from "fast-check";
import { resolveRef, paramsIn, type ApiDocument, type Schema } from "./document/document.ts";
import { chance, replaceAt, MAX_QUERY_VALUE_LENGTH, type Draw } from "./plan.ts";
import type { Entity } from "./pool.ts";
import type { FuzzRequest } from "./request.ts";

/** Members managed by the system, which a caller must not set. */
const managedMembers = [
  "organizationId",
  "id",
  "status",
  "balanceCents",
  "role",
  "createdAt",
  "deletedAt",
  "version",
  "isAdmin",
  "__proto__",
  "constructor",
  "userId",
];

const invalidTexts = [
  "",
  " ",
  "not-a-uuid",
  "1",
  "2026-02-30",
  "2026-13-01T00:00:00Z",
  "00000000-0000-0000-0000-00000000000g",
  "nul\u0000",
  "null",
  "true",
  "' or 1=1",
];
const invalidPathValues = ["not-a-uuid", "1", "00000000-0000-0000-0000-00000000000g", "'", "\u0000", "..", "%2e%2e", " ", "*", "undefined", "x".repeat(2_000)];

/** Returns values most of which a schema does not allow: of other types, malformed, or just beyond its limits. */
function invalidValues(schema: Schema): unknown[] {
  const { type, multipleOf, minimum, maximum, minLength, maxLength, minItems, maxItems, nullable } = schema;
  const valuesOfOtherTypes: Record<string, unknown[]> = {
    string: [1, true, {}, [], ["text"]],
    integer: ["1", "text", 1.5, true, {}, [], 2 ** 53, -(2 ** 53), 1e300],
    number: ["1", true, {}, []],
    boolean: ["true", 1, 0, {}, []],
    array: [{}, "text", 1, { 0: "x", length: 1 }],
    object: [[], "text", 1, true],
  };
  return [
    ...(valuesOfOtherTypes[type ?? ""] ?? [{}]),
    ...(nullable ? [] : [null]),
    ...(type === "string" ? invalidTexts : []),
    ...(minimum !== undefined ? [minimum - 1] : []),
    ...(maximum !== undefined ? [maximum + 1] : []),
    ...(multipleOf ? [multipleOf / 3, (minimum ?? 0) + multipleOf * 0.999_999_999_999_999] : []),
    ...(minLength ? ["x".repeat(minLength - 1)] : []),
    ...(maxLength !== undefined ? ["x".repeat(maxLength + 1), "é".repeat(maxLength + 1)] : []),
    ...(minItems ? [[]] : []),
    ...(maxItems !== undefined && maxItems <= 1_000 ? [Array.from({ length: maxItems + 1 }, () => null)] : []),
  ];
}

type BodyMember = { path: string[]; schema: Schema; isRequired: boolean };

/** Returns every member of a body's objects, present or only allowed by the schema. */
function bodyMembersIn(document: ApiDocument, schema: Schema, value: unknown, path: string[] = []): BodyMember[] {
  const resolved = resolveRef(document, schema);
  if (Array.isArray(value)) return value.flatMap((each, index) => bodyMembersIn(document, resolved.items ?? {}, each, [...path, String(index)]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(resolved.properties ?? {}).flatMap(([name, each]) => [
    {
      path: [...path, name],
      schema: { ...resolveRef(document, each), ...(each.nullable && { nullable: true }) },
      isRequired: resolved.required?.includes(name) ?? false,
    },
    ...bodyMembersIn(document, each, (value as Entity)[name], [...path, name]),
  ]);
}

/** Returns the paths of the objects in a body. */
function objectsIn(value: unknown, path: string[] = []): string[][] {
  if (Array.isArray(value)) return value.flatMap((each, index) => objectsIn(each, [...path, String(index)]));
  if (typeof value !== "object" || value === null) return [];
  return [path, ...Object.entries(value as Entity).flatMap(([name, each]) => objectsIn(each, [...path, name]))];
}

/** Corrupts one member of the body, query, path or headers. */
export function corruptMember(document: ApiDocument, request: FuzzRequest, draw: Draw): FuzzRequest {
  const { operation } = request;
  const mutations: (() => FuzzRequest)[] = [() => withUnknownParameter(request, draw)];
  if (operation.body && request.body !== undefined) {
    const members = bodyMembersIn(document, operation.body, request.body);
    const required = members.filter(({ isRequired }) => isRequired);
    if (members.length > 0) {
      const replaceMember = () => {
        const { path, schema } = draw(fc.constantFrom(...members));
        return { ...request, body: replaceAt(request.body, path, draw(fc.constantFrom(...invalidValues(schema)))) };
      };
      // Three times as likely as each other mutation.
      mutations.push(replaceMember, replaceMember, replaceMember);
    }
    if (required.length > 0) mutations.push(() => ({ ...request, body: replaceAt(request.body, draw(fc.constantFrom(...required)).path, undefined) }));
    mutations.push(() => {
      const path = draw(fc.constantFrom(...objectsIn(request.body)));
      return {
        ...request,
        body: replaceAt(request.body, [...path, draw(fc.constantFrom(...managedMembers))], draw(fc.constantFrom<unknown>(1, "posted", "admin", null, {}))),
      };
    });
    mutations.push(() => ({ ...request, body: draw(fc.constantFrom<unknown>([], [request.body], null, "text", 1, true)) }));
  }
  const query = paramsIn(operation, "query");
  if (query.length > 0) {
    mutations.push(() => {
      const { name, schema } = draw(fc.constantFrom(...query));
      const invalidQueryValues = invalidValues(schema).filter((each) => typeof each !== "object" && each !== "1" && each !== "true");
      const text = String(draw(fc.constantFrom(...invalidQueryValues, "", "text,,", "-1", "1e3", "0x10"))).slice(0, MAX_QUERY_VALUE_LENGTH);
      return { ...request, query: { ...request.query, [name]: chance(draw, 0.15) ? [text, text] : text } };
    });
    const required = query.filter((each) => each.required);
    if (required.length > 0)
      mutations.push(() => {
        const { [draw(fc.constantFrom(...required)).name]: _, ...rest } = request.query;
        return { ...request, query: rest };
      });
  }
  const pathParameters = Object.keys(request.path);
  if (pathParameters.length > 0)
    mutations.push(() => ({ ...request, path: { ...request.path, [draw(fc.constantFrom(...pathParameters))]: draw(fc.constantFrom(...invalidPathValues)) } }));
  const requiredHeaders = paramsIn(operation, "header").filter(({ required }) => required);
  if (requiredHeaders.length > 0)
    mutations.push(() => {
      const { [draw(fc.constantFrom(...requiredHeaders)).name]: _, ...rest } = request.headers;
      return { ...request, headers: rest };
    });
  const limitedHeaders = paramsIn(operation, "header").filter(({ schema }) => schema.maxLength);
  if (limitedHeaders.length > 0)
    mutations.push(() => {
      const { name, schema } = draw(fc.constantFrom(...limitedHeaders));
      return { ...request, headers: { ...request.headers, [name]: "k".repeat(schema.maxLength! + 1) } };
    });
  return draw(fc.constantFrom(...mutations))();
}

const withUnknownParameter = (request: FuzzRequest, draw: Draw): FuzzRequest => ({
  ...request,
  query: { ...request.query, [draw(fc.constantFrom("surprise", "organizationId", "limit", "__proto__", "sortBy[]", "page.size", "$where"))]: "1" },
});

/** Replaces the body by malformed or unusual bytes. */
export function corruptBytes(request: FuzzRequest, draw: Draw): FuzzRequest {
  const json = JSON.stringify(request.body ?? {});
  const withRawBody = (raw: string | Buffer, headers: Record<string, string> = {}): FuzzRequest => ({
    ...request,
    raw,
    headers: { ...request.headers, ...headers },
  });
  const mutations: (() => FuzzRequest)[] = [
    () => withRawBody(draw(fc.constantFrom("{", '{"a":1,}', "nonsense", '"text"', "{'a':1}", "[1,", "NaN", "{} {}", "\ufeff{", '{"a":01}'))),
    () =>
      withRawBody(json, { "Content-Type": draw(fc.constantFrom("text/plain", "application/x-www-form-urlencoded", "application/xml", "multipart/form-data")) }),
    () => withRawBody(json, { "Content-Type": "application/json; charset=utf-16" }),
    () => withRawBody(json, { "Content-Encoding": draw(fc.constantFrom("gzip", "br", "nonsense")) }),
    () => withRawBody(`${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`),
    () => withRawBody("[".repeat(20_000)),
    () => withRawBody(`{"surprise":"${"x".repeat(1_100_000)}"}`),
    () => withRawBody(Buffer.concat([Buffer.from(json.slice(0, -1)), Buffer.from([0xff, 0xfe, 0xc0, 0x80]), Buffer.from("}")])),
    () => withRawBody(json.replace(/^\{("[^"]+":)/, "{$1null,$1")),
  ];
  return draw(fc.constantFrom(...mutations))();
}
