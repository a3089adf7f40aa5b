/** Converts schemas to fast-check arbitraries of valid values: common ones, which are often accepted, or extreme ones. */
import fc from "fast-check";
import { resolveRef, type ApiDocument, type Schema } from "./document.ts";
import { Reference } from "../pool.ts";

export type Variety = "common" | "extreme";

/** Texts that break programs with careless text handling. */
const extremeTexts = [
  " leading and trailing ",
  "zero\u200bwidth\u2060joined\ufeff",
  "‮right to left",
  "Zoë Ångström, naïve, ß → SS",
  "👩‍👩‍👧‍👦 🏳️‍🌈",
  "e\u0301\u0323\u0300 combining",
  "line\nbreak\r\n\ttab",
  "nul\u0000byte",
  "\ud800 lone surrogate",
  "'; drop table payment; --",
  "1' or '1'='1",
  '"><script>alert(1)</script>',
  "${7*7} {{7*7}} #{7*7} %{7*7}",
  "../../../../etc/passwd",
  "$(id) `id` | id",
  "=1+1",
  "null",
  "undefined",
  "__proto__",
  "%s%n%x",
  "\\u0041\\",
  "\u202e\u0007\u001b[31m",
  "١٢٣٤٥",
];

/** Texts whose form the member's name suggests and the schema does not state. */
const textsByName: [RegExp, fc.Arbitrary<string>][] = [
  [/phone/i, fc.nat(9_999).map((line) => `+1212555${String(line).padStart(4, "0")}`)],
  [/timezone/i, fc.constantFrom("America/New_York", "America/Chicago", "UTC")],
  [/^locale$/i, fc.constantFrom("en-US", "es-US")],
];

const word = fc.stringMatching(/^[a-z]{3,8}\d{1,4}$/);
const hexDigits = fc.stringMatching(/^[\da-f]{8}$/);

/** Returns an arbitrary of dates in a year that the member's name suggests, so that an end date is after its start date. */
function datesFor(name: string): fc.Arbitrary<string> {
  const year = /end|before|until|expire|(^|[a-z])To$|^to$/i.test(name) ? "2027" : /start|after|from|begin|moveIn/i.test(name) ? "2025" : "2026";
  return fc
    .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 28 }))
    .map((parts) => [year, ...parts.map((part) => String(part).padStart(2, "0"))].join("-"));
}

const extremeDates = fc.constantFrom("1900-01-01", "2199-12-31", "2024-02-29", "2026-12-31", "1999-12-31", "0001-01-01", "9999-12-31");

function texts(name: string, { format, pattern, minLength = 0, maxLength = 200 }: Schema, variety: Variety): fc.Arbitrary<unknown> {
  if (format === "uuid") return fc.nat().map((pick) => new Reference(name, pick));
  if (format === "date") return variety === "common" ? datesFor(name) : extremeDates;
  if (format === "date-time")
    return variety === "common" ? datesFor(name).map((day) => `${day}T12:00:00.000Z`) : extremeDates.map((day) => `${day}T23:59:59.999Z`);
  if (format === "email") return fc.tuple(word, hexDigits).map((parts) => `${parts.join(".")}@example.com`);
  if (format === "uri") return word.map((host) => `https://${host}.example.com/`);
  if (pattern) return fc.stringMatching(new RegExp(pattern)).map((text) => text.slice(0, maxLength));
  const withinLimits = (text: string) => text.padEnd(minLength, "x").slice(0, Math.max(maxLength, minLength));
  if (variety === "common") return (textsByName.find(([namePattern]) => namePattern.test(name))?.[1] ?? word).map(withinLimits);
  const longTexts = fc.constantFrom("x", "é", "字", "🙂", " ").map((letter) => letter.repeat(maxLength));
  return fc.oneof(fc.constantFrom(...extremeTexts), longTexts, fc.string({ unit: "binary", maxLength: Math.min(maxLength, 40) })).map(withinLimits);
}

function numbers({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, type }: Schema, variety: Variety): fc.Arbitrary<number> {
  const min = (minimum ?? -1_000_000) + (exclusiveMinimum ? 1 : 0);
  const max = (maximum ?? 1_000_000) - (exclusiveMaximum ? 1 : 0);
  const common = [min, 0, 1, 2, 100, 100, 100, 2_500].filter((each) => each >= min && each <= max);
  if (variety === "common") return fc.constantFrom(...common);
  const edges = fc.constantFrom(min, max, Math.max(min, max - 1));
  return type === "number"
    ? fc.oneof(
        edges,
        fc.double({ min, max, noNaN: true }).map((each) => (multipleOf ? Math.round(each / multipleOf) * multipleOf : each)),
      )
    : fc.oneof(edges, fc.integer({ min, max }));
}

/** Returns an arbitrary of valid values of a schema for a member or parameter. */
export function arbitraryOf(document: ApiDocument, schema: Schema, name = "", variety: Variety = "common"): fc.Arbitrary<unknown> {
  const resolved = resolveRef(document, schema);
  const nonNullValues = nonNullArbitrary(document, resolved, name, variety);
  return resolved.nullable || schema.nullable ? fc.oneof({ weight: 4, arbitrary: nonNullValues }, { weight: 1, arbitrary: fc.constant(null) }) : nonNullValues;
}

function nonNullArbitrary(document: ApiDocument, schema: Schema, name: string, variety: Variety): fc.Arbitrary<unknown> {
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return fc.oneof(...alternatives.map((each) => arbitraryOf(document, each, name, variety)));
  if (schema.allOf)
    return fc.tuple(...schema.allOf.map((each) => arbitraryOf(document, each, name, variety))).map((parts) => Object.assign({}, ...parts) as unknown);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case "object":
      return objects(document, schema, variety);
    case "array": {
      const minLength = schema.minItems ?? 0;
      const maxLength = Math.min(schema.maxItems ?? minLength + 3, minLength + (variety === "common" ? 1 : 3));
      return fc.array(arbitraryOf(document, schema.items ?? {}, name, variety), { minLength, maxLength: Math.max(minLength, maxLength) });
    }
    case "integer":
    case "number":
      return numbers(schema, variety);
    case "boolean":
      return fc.boolean();
    case "string":
      return texts(name, schema, variety);
    default:
      return fc.constantFrom("text", 1, true, {});
  }
}

/** Returns an arbitrary of objects with the required members and none, some or all of the others. */
function objects(document: ApiDocument, { properties = {}, required = [] }: Schema, variety: Variety): fc.Arbitrary<unknown> {
  const all = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, arbitraryOf(document, schema, name, variety)]));
  const requiredMembers = Object.fromEntries(Object.entries(all).filter(([name]) => required.includes(name)));
  return fc.oneof(
    { weight: 3, arbitrary: fc.record(requiredMembers, { noNullPrototype: true }) },
    { weight: 4, arbitrary: fc.record(all, { requiredKeys: required, noNullPrototype: true }) },
    { weight: 1, arbitrary: fc.record(all, { noNullPrototype: true }) },
  );
}
