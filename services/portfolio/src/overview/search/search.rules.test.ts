import { describe, expect, test } from "@jest/globals";
import { highlightedWords, likePattern, relevanceScore, parseTerms } from "./search.rules.ts";

describe("parseTerms", () => {
  test.each([
    ["  Ana   MARÍA ", ["ana", "maria"]],
    ["Straße 5", ["strasse", "5"]],
    ["Søren Łódź", ["soren", "lodz"]],
    ["Йод", ["йод"]],
    ["(518) 555-0199", ["5185550199"]],
    ["+1 518 555 0199", ["15185550199"]],
    ["1250.00", ["$125000"]],
    ["12500.00", ["$1250000"]],
    ["$1,250", ["$125000"]],
    ["1,250.50", ["$125050"]],
    ["12207", ["12207"]],
    ["#12", ["#12"]],
    ["555-01", ["555-01"]],
  ])("splits %j into %j", (query, terms) => {
    expect(parseTerms(query)).toEqual(terms);
  });
});

describe("likePattern", () => {
  test.each([
    ["elm", "%elm%"],
    ["el", "% el%"],
    ["50%", "%50\\%%"],
    ["a_c", "%a\\_c%"],
    ["$125000", "% $125000 %"],
  ])("for %j is %j", (term, pattern) => {
    expect(likePattern(term)).toBe(pattern);
  });
});

describe("results", () => {
  test("rank by exact title, start of the title, words of the title, other words", () => {
    const score = (title: string, words: string) => relevanceScore(["elm"], title, ` ${words} `);
    const scores = [
      score("Elm", "elm"),
      score("Elm Court", "elm court"),
      score("North Elm", "north elm"),
      score("Oak", "oak 12 elm street"),
      score("Helm", "helm"),
    ];
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(new Set(scores).size).toBe(scores.length);
    expect(scores[0]).toBe(1);
  });

  test("highlight the matching words", () => {
    expect(highlightedWords(["mar", "elm"], ["Ana María", "Elm Court, 12"])).toEqual(["María", "Elm"]);
  });
});
