import { describe, expect, test } from "@jest/globals";
import { changesBetween, type Match, scoreMatch, verdictOf } from "./match.rules.ts";

const match = (entityId: string, score: number, fields: Record<string, string> = {}): Match => ({
  entityId,
  displayName: entityId,
  score,
  reasons: [],
  fields,
});
const comparableFields = ["name", "phone"];

describe("verdictOf", () => {
  test.each([
    ["creates a record without matches", [], "ready_create", null],
    ["updates a certain match", [match("a", 0.9)], "ready_update", "a"],
    ["updates the better of two matches", [match("a", 0.8), match("b", 1)], "ready_update", "b"],
    ["is ambiguous with two equal matches", [match("a", 0.9), match("b", 0.9)], "ambiguous", null],
    ["is ambiguous with an uncertain match", [match("a", 0.6)], "ambiguous", null],
    ["leaves a record with equal fields unchanged", [match("a", 1, { name: "Oak", phone: "+15185550142" })], "unchanged", "a"],
  ])("%s", (_, matches, verdict, entityId) => {
    expect(verdictOf(matches, { name: "Oak", phone: "+15185550142", source_id: "P-1" }, comparableFields)).toMatchObject({ verdict, entityId });
  });
});

test("changesBetween ignores missing values and fields that are not compared", () => {
  expect(changesBetween({ name: "Oak", phone: "1" }, { name: "Elm", source_id: "P-1" }, comparableFields)).toEqual([{ field: "name", from: "Oak", to: "Elm" }]);
  expect(changesBetween({}, { name: "Elm" })).toEqual([{ field: "name", from: null, to: "Elm" }]);
});

test.each([
  ["tenant", ["email"], 0.9],
  ["tenant", ["name"], 0.6],
  ["vendor", ["name"], 0.8],
  ["owner", ["email", "name"], 1],
  ["unit", ["number"], 1],
  ["tenant", [], 0],
] as const)("scoreMatch of a %s with the reasons %j is %d", (entityType, reasons, score) => {
  expect(scoreMatch(entityType, reasons)).toBe(score);
});
