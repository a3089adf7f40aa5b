import { expect, test } from "@jest/globals";
import { findDuplicateName } from "./json-body.ts";

test.each([
  ['{"name":"a","name":"b"}', "name"],
  ['{"a":{"b":[{"c":1},{"c":1,"d":"}","c":2}]}}', "a.b.1.c"],
  [String.raw`{"name":"a","na\u006de":"b"}`, "name"],
  [String.raw`{"a\"":1,"a\"":1}`, 'a"'],
])("finds the second member of a name in %s", (text, path) => expect(findDuplicateName(text)).toBe(path));

test.each(['{"a":{"a":1},"b":[{"a":1},{"a":1}]}', '{"a":"\\"a\\":1","b":"a"}', '["a","a"]', '"a"', "}]:", '{"a', ""])("finds none in %s", (text) =>
  expect(findDuplicateName(text)).toBeUndefined(),
);

test("reads a text of a megabyte in one string, one of many levels, and one of quotation marks that are not closed", () => {
  expect(findDuplicateName(`{"a":"${"x\\\\".repeat(400_000)}","a":1}`)).toBe("a");
  expect(findDuplicateName(`${'{"a":'.repeat(100_000)}`)).toBeUndefined();
  expect(findDuplicateName(String.raw`{"a":"${String.raw`\"`.repeat(500_000)}`)).toBeUndefined();
  expect(findDuplicateName(`{"a":"${"\\".repeat(999_999)}`)).toBeUndefined();
});
