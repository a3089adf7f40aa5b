import { expect, test } from "@jest/globals";
import { z } from "zod";
import { parse } from "./validation.ts";

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
