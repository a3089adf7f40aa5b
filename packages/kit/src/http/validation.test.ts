import { expect, test } from "@jest/globals";
import { z } from "zod";
import { csvEnum } from "@freehold/contract/values";
import type { ApiError } from "../errors.ts";
import { parse, parseQuery } from "./validation.ts";

const schema = z.strictObject({ name: z.string(), steps: z.record(z.string(), z.boolean()), lines: z.array(z.strictObject({ memo: z.string() })) });
const valid = { name: "Elm Street", steps: { profile: true }, lines: [{ memo: "Rent" }] };

test("returns a valid value", () => expect(parse(schema, valid)).toEqual(valid));

test.each([
  ["a text with a NUL character", { name: "Elm\0Street" }, "name"],
  ["a text with half of a surrogate pair", { lines: [{ memo: "Rent" }, { memo: "\ud83d" }] }, "lines.1.memo"],
  ["a member name with a NUL character", { steps: { "pro\0file": true } }, "steps"],
  ["a member name with half of a surrogate pair", { steps: { "\udc00": true } }, "steps"],
])("refuses %s, which cannot be stored", (_, change, path) =>
  expect(() => parse(schema, { ...valid, ...change })).toThrow(
    expect.objectContaining({ status: 400, errors: [expect.objectContaining({ path, code: "format" })] }),
  ),
);

test("refuses a member named __proto__ wherever names are free, instead of leaving it out", () =>
  expect(() => parse(schema, { ...valid, steps: JSON.parse('{"profile": true, "__proto__": false}') as object })).toThrow(
    expect.objectContaining({ status: 400, errors: [expect.objectContaining({ path: "steps.__proto__", code: "not_allowed" })] }),
  ));

test("keeps members whose names an object inherits", () => {
  const steps = { constructor: true, toString: false };
  expect(parse(schema, { ...valid, steps })).toMatchObject({ steps });
});

function refusalOf(work: () => unknown): ApiError {
  try {
    work();
  } catch (error) {
    return error as ApiError;
  }
  throw new Error("The value was not refused.");
}

test("refuses a hundred thousand unknown members, and lists the first ten thousand", () => {
  const members = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`member${index}`, 0]));
  const body = { ...valid, ...members };
  const { status, errors } = refusalOf(() => parse(schema, body));
  expect([status, errors?.length, errors?.[0]?.path]).toEqual([400, 10_000, "member0"]);
});

test("names the parameter of a query for an invalid value in its list", () => {
  const query = z.strictObject({ status: csvEnum(["open", "paid"]).optional(), page: z.string().optional() });
  expect(parseQuery(query, { status: "open,paid" })).toEqual({ status: ["open", "paid"] });
  const { errors } = refusalOf(() => parseQuery(query, { status: "open,due,late", sort: "x" }));
  expect(errors!.map(({ path, code }) => [path, code])).toEqual([
    ["status", "enum"],
    ["status", "enum"],
    ["sort", "unrecognized_key"],
  ]);
});

test("lists the first error of each field", () => {
  const fields = z.strictObject({ name: z.string().min(3).regex(/^a/), age: z.int() });
  expect(() => parse(fields, { name: "b", age: "1" })).toThrow(
    expect.objectContaining({ errors: [expect.objectContaining({ path: "name", code: "too_short" }), expect.objectContaining({ path: "age", code: "type" })] }),
  );
});

test("refuses values with so many levels that reading them would exceed the stack", () => {
  const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));
  const free = z.strictObject({ charges: z.array(z.unknown()) });
  expect(parse(free, { charges: [nested(50)] })).toEqual({ charges: [nested(50)] });
  expect(() => parse(free, { charges: [nested(100_000)] })).toThrow(
    expect.objectContaining({ status: 400, errors: [expect.objectContaining({ path: "charges" })] }),
  );
});
