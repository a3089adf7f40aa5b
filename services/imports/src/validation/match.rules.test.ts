import { describe, expect, test } from "@jest/globals";
import { changesBetween, scoreOf, verdictOf, type Match } from "./match.rules.ts";

const match = (entityId: string, score: number, fields: Record<string, string> = {}): Match => ({
  entityId,
  displayName: entityId,
  score,
  reasons: [],
  fields,
});
const comparable = ["name", "phone"];

describe("the verdict over records that could be it", () => {
  test.each([
    ["none is a new one", [], "ready_create", null],
    ["one that is certain is it", [match("a", 0.9)], "ready_update", "a"],
    ["the better of two is it", [match("a", 0.8), match("b", 1)], "ready_update", "b"],
    ["two that fit as well are a question", [match("a", 0.9), match("b", 0.9)], "ambiguous", null],
    ["one that is not certain is a question", [match("a", 0.6)], "ambiguous", null],
    ["one that says the same is unchanged", [match("a", 1, { name: "Oak", phone: "+15185550142" })], "unchanged", "a"],
  ])("%s", (_, matches, verdict, entityId) => {
    expect(verdictOf(matches, { name: "Oak", phone: "+15185550142", source_id: "P-1" }, comparable)).toMatchObject({ verdict, entityId });
  });
});

test("an export that says nothing takes nothing away, and what cannot be compared is no change", () => {
  expect(changesBetween({ name: "Oak", phone: "1" }, { name: "Elm", source_id: "P-1" }, comparable)).toEqual([{ field: "name", from: "Oak", to: "Elm" }]);
  expect(changesBetween({}, { name: "Elm" })).toEqual([{ field: "name", from: null, to: "Elm" }]);
});

test.each([
  ["tenant", ["email"], 0.9],
  ["tenant", ["name"], 0.6],
  ["vendor", ["name"], 0.8],
  ["owner", ["email", "name"], 1],
  ["unit", ["number"], 1],
  ["tenant", [], 0],
] as const)("a %s with the same %j scores %d", (entityType, reasons, score) => {
  expect(scoreOf(entityType, reasons)).toBe(score);
});
