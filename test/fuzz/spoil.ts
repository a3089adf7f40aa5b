/** Valid requests made wrong. The judge says by the document whether one has become invalid; nothing here needs to know. */
import fc from "fast-check";
import { followed, paramsIn, type ApiDocument, type Schema } from "./document/document.ts";
import { chance, changedAt, LONGEST_IN_QUERY, type Draw } from "./plan.ts";
import type { Thing } from "./pool.ts";
import type { Sent } from "./request.ts";

/** What a caller would like to decide and must not. */
const coveted = [
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

const wrongTexts = [
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
const wrongPaths = ["not-a-uuid", "1", "00000000-0000-0000-0000-00000000000g", "'", "\u0000", "..", "%2e%2e", " ", "*", "undefined", "x".repeat(2_000)];

/** Values that a schema does not allow, most of them by one step. */
function wrongValues(schema: Schema): unknown[] {
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
    ...(type === "string" ? wrongTexts : []),
    ...(minimum !== undefined ? [minimum - 1] : []),
    ...(maximum !== undefined ? [maximum + 1] : []),
    ...(multipleOf ? [multipleOf / 3, (minimum ?? 0) + multipleOf * 0.999_999_999_999_999] : []),
    ...(minLength ? ["x".repeat(minLength - 1)] : []),
    ...(maxLength !== undefined ? ["x".repeat(maxLength + 1), "é".repeat(maxLength + 1)] : []),
    ...(minItems ? [[]] : []),
    ...(maxItems !== undefined && maxItems <= 1_000 ? [Array.from({ length: maxItems + 1 }, () => null)] : []),
  ];
}

type Spot = { at: string[]; schema: Schema; isRequired: boolean };

/** Every member that a body has or could have. */
function spotsIn(document: ApiDocument, schema: Schema, value: unknown, at: string[] = []): Spot[] {
  const it = followed(document, schema);
  if (Array.isArray(value)) return value.flatMap((each, index) => spotsIn(document, it.items ?? {}, each, [...at, String(index)]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(it.properties ?? {}).flatMap(([name, each]) => [
    { at: [...at, name], schema: { ...followed(document, each), ...(each.nullable && { nullable: true }) }, isRequired: it.required?.includes(name) ?? false },
    ...spotsIn(document, each, (value as Thing)[name], [...at, name]),
  ]);
}

/** Places of a body that are objects. */
function objectsIn(value: unknown, at: string[] = []): string[][] {
  if (Array.isArray(value)) return value.flatMap((each, index) => objectsIn(each, [...at, String(index)]));
  if (typeof value !== "object" || value === null) return [];
  return [at, ...Object.entries(value as Thing).flatMap(([name, each]) => objectsIn(each, [...at, name]))];
}

/** A request with one thing wrong in its body, its query, its path or its headers. */
export function spoiled(document: ApiDocument, sent: Sent, draw: Draw): Sent {
  const { operation } = sent;
  const kinds: (() => Sent)[] = [() => withUnknownParameter(sent, draw)];
  if (operation.body && sent.body !== undefined) {
    const spots = spotsIn(document, operation.body, sent.body);
    const required = spots.filter(({ isRequired }) => isRequired);
    if (spots.length > 0) {
      const wrong = () => {
        const { at, schema } = draw(fc.constantFrom(...spots));
        return { ...sent, body: changedAt(sent.body, at, draw(fc.constantFrom(...wrongValues(schema)))) };
      };
      kinds.push(wrong, wrong, wrong);
    }
    if (required.length > 0) kinds.push(() => ({ ...sent, body: changedAt(sent.body, draw(fc.constantFrom(...required)).at, undefined) }));
    kinds.push(() => {
      const at = draw(fc.constantFrom(...objectsIn(sent.body)));
      return {
        ...sent,
        body: changedAt(sent.body, [...at, draw(fc.constantFrom(...coveted))], draw(fc.constantFrom<unknown>(1, "posted", "admin", null, {}))),
      };
    });
    kinds.push(() => ({ ...sent, body: draw(fc.constantFrom<unknown>([], [sent.body], null, "text", 1, true)) }));
  }
  const query = paramsIn(operation, "query");
  if (query.length > 0) {
    kinds.push(() => {
      const { name, schema } = draw(fc.constantFrom(...query));
      const wrong = wrongValues(schema).filter((each) => typeof each !== "object" && each !== "1" && each !== "true");
      const text = String(draw(fc.constantFrom(...wrong, "", "text,,", "-1", "1e3", "0x10"))).slice(0, LONGEST_IN_QUERY);
      return { ...sent, query: { ...sent.query, [name]: chance(draw, 0.15) ? [text, text] : text } };
    });
    const required = query.filter((each) => each.required);
    if (required.length > 0)
      kinds.push(() => {
        const { [draw(fc.constantFrom(...required)).name]: _, ...rest } = sent.query;
        return { ...sent, query: rest };
      });
  }
  const names = Object.keys(sent.path);
  if (names.length > 0) kinds.push(() => ({ ...sent, path: { ...sent.path, [draw(fc.constantFrom(...names))]: draw(fc.constantFrom(...wrongPaths)) } }));
  const needed = paramsIn(operation, "header").filter(({ required }) => required);
  if (needed.length > 0)
    kinds.push(() => {
      const { [draw(fc.constantFrom(...needed)).name]: _, ...rest } = sent.headers;
      return { ...sent, headers: rest };
    });
  const headers = paramsIn(operation, "header").filter(({ schema }) => schema.maxLength);
  if (headers.length > 0)
    kinds.push(() => {
      const { name, schema } = draw(fc.constantFrom(...headers));
      return { ...sent, headers: { ...sent.headers, [name]: "k".repeat(schema.maxLength! + 1) } };
    });
  return draw(fc.constantFrom(...kinds))();
}

const withUnknownParameter = (sent: Sent, draw: Draw): Sent => ({
  ...sent,
  query: { ...sent.query, [draw(fc.constantFrom("surprise", "organizationId", "limit", "__proto__", "sortBy[]", "page.size", "$where"))]: "1" },
});

/** A body in bytes that no program would write: the judge says whether it may be read. */
export function garbled(sent: Sent, draw: Draw): Sent {
  const json = JSON.stringify(sent.body ?? {});
  const raw = (text: string | Buffer, headers: Record<string, string> = {}): Sent => ({ ...sent, raw: text, headers: { ...sent.headers, ...headers } });
  const kinds: (() => Sent)[] = [
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
  return draw(fc.constantFrom(...kinds))();
}
