/** Corrupts valid requests. The validator decides by the document whether the result is invalid. */
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

/** Returns values that a schema does not allow, most of them at its limits. */
function invalidValues(schema: Schema): unknown[] {
  const { type, multipleOf, minimum, maximum, minLength, maxLength, minItems, maxItems, nullable } = schema;
  const others: Record<string, unknown[]> = {
    string: [1, true, {}, [], ["text"]],
    integer: ["1", "text", 1.5, true, {}, [], 2 ** 53, -(2 ** 53), 1e300],
    number: ["1", true, {}, []],
    boolean: ["true", 1, 0, {}, []],
    array: [{}, "text", 1, { 0: "x", length: 1 }],
    object: [[], "text", 1, true],
  };
  return [
    ...(others[type ?? ""] ?? [{}]),
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

type BodyMember = { at: string[]; schema: Schema; isRequired: boolean };

/** Returns every member that a body has or may have. */
function bodyMembersIn(document: ApiDocument, schema: Schema, value: unknown, at: string[] = []): BodyMember[] {
  const it = resolveRef(document, schema);
  if (Array.isArray(value)) return value.flatMap((each, index) => bodyMembersIn(document, it.items ?? {}, each, [...at, String(index)]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(it.properties ?? {}).flatMap(([name, each]) => [
    {
      at: [...at, name],
      schema: { ...resolveRef(document, each), ...(each.nullable && { nullable: true }) },
      isRequired: it.required?.includes(name) ?? false,
    },
    ...bodyMembersIn(document, each, (value as Entity)[name], [...at, name]),
  ]);
}

/** Returns the paths of the objects in a body. */
function objectsIn(value: unknown, at: string[] = []): string[][] {
  if (Array.isArray(value)) return value.flatMap((each, index) => objectsIn(each, [...at, String(index)]));
  if (typeof value !== "object" || value === null) return [];
  return [at, ...Object.entries(value as Entity).flatMap(([name, each]) => objectsIn(each, [...at, name]))];
}

/** Corrupts one member of the body, query, path or headers. */
export function corruptMember(document: ApiDocument, sent: FuzzRequest, draw: Draw): FuzzRequest {
  const { operation } = sent;
  const mutations: (() => FuzzRequest)[] = [() => withUnknownParameter(sent, draw)];
  if (operation.body && sent.body !== undefined) {
    const members = bodyMembersIn(document, operation.body, sent.body);
    const required = members.filter(({ isRequired }) => isRequired);
    if (members.length > 0) {
      const wrong = () => {
        const { at, schema } = draw(fc.constantFrom(...members));
        return { ...sent, body: replaceAt(sent.body, at, draw(fc.constantFrom(...invalidValues(schema)))) };
      };
      mutations.push(wrong, wrong, wrong);
    }
    if (required.length > 0) mutations.push(() => ({ ...sent, body: replaceAt(sent.body, draw(fc.constantFrom(...required)).at, undefined) }));
    mutations.push(() => {
      const at = draw(fc.constantFrom(...objectsIn(sent.body)));
      return {
        ...sent,
        body: replaceAt(sent.body, [...at, draw(fc.constantFrom(...managedMembers))], draw(fc.constantFrom<unknown>(1, "posted", "admin", null, {}))),
      };
    });
    mutations.push(() => ({ ...sent, body: draw(fc.constantFrom<unknown>([], [sent.body], null, "text", 1, true)) }));
  }
  const query = paramsIn(operation, "query");
  if (query.length > 0) {
    mutations.push(() => {
      const { name, schema } = draw(fc.constantFrom(...query));
      const wrong = invalidValues(schema).filter((each) => typeof each !== "object" && each !== "1" && each !== "true");
      const text = String(draw(fc.constantFrom(...wrong, "", "text,,", "-1", "1e3", "0x10"))).slice(0, MAX_QUERY_VALUE_LENGTH);
      return { ...sent, query: { ...sent.query, [name]: chance(draw, 0.15) ? [text, text] : text } };
    });
    const required = query.filter((each) => each.required);
    if (required.length > 0)
      mutations.push(() => {
        const { [draw(fc.constantFrom(...required)).name]: _, ...rest } = sent.query;
        return { ...sent, query: rest };
      });
  }
  const names = Object.keys(sent.path);
  if (names.length > 0)
    mutations.push(() => ({ ...sent, path: { ...sent.path, [draw(fc.constantFrom(...names))]: draw(fc.constantFrom(...invalidPathValues)) } }));
  const needed = paramsIn(operation, "header").filter(({ required }) => required);
  if (needed.length > 0)
    mutations.push(() => {
      const { [draw(fc.constantFrom(...needed)).name]: _, ...rest } = sent.headers;
      return { ...sent, headers: rest };
    });
  const headers = paramsIn(operation, "header").filter(({ schema }) => schema.maxLength);
  if (headers.length > 0)
    mutations.push(() => {
      const { name, schema } = draw(fc.constantFrom(...headers));
      return { ...sent, headers: { ...sent.headers, [name]: "k".repeat(schema.maxLength! + 1) } };
    });
  return draw(fc.constantFrom(...mutations))();
}

const withUnknownParameter = (sent: FuzzRequest, draw: Draw): FuzzRequest => ({
  ...sent,
  query: { ...sent.query, [draw(fc.constantFrom("surprise", "organizationId", "limit", "__proto__", "sortBy[]", "page.size", "$where"))]: "1" },
});

/** Replaces the body by malformed or unusual bytes. */
export function corruptBytes(sent: FuzzRequest, draw: Draw): FuzzRequest {
  const json = JSON.stringify(sent.body ?? {});
  const raw = (text: string | Buffer, headers: Record<string, string> = {}): FuzzRequest => ({ ...sent, raw: text, headers: { ...sent.headers, ...headers } });
  const mutations: (() => FuzzRequest)[] = [
    () => raw(draw(fc.constantFrom("{", '{"a":1,}', "nonsense", '"text"', "{'a':1}", "[1,", "NaN", "{} {}", "\ufeff{", '{"a":01}'))),
    () => raw(json, { "Content-Type": draw(fc.constantFrom("text/plain", "application/x-www-form-urlencoded", "application/xml", "multipart/form-data")) }),
    () => raw(json, { "Content-Type": "application/json; charset=utf-16" }),
    () => raw(json, { "Content-Encoding": draw(fc.constantFrom("gzip", "br", "nonsense")) }),
    () => raw(`${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`),
    () => raw("[".repeat(20_000)),
    () => raw(`{"surprise":"${"x".repeat(1_100_000)}"}`),
    () => raw(Buffer.concat([Buffer.from(json.slice(0, -1)), Buffer.from([0xff, 0xfe, 0xc0, 0x80]), Buffer.from("}")])),
    () => raw(json.replace(/^\{("[^"]+":)/, "{$1null,$1")),
  ];
  return draw(fc.constantFrom(...mutations))();
}
