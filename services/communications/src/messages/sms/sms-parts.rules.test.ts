import { describe, expect, test } from "@jest/globals";
import { splitSms } from "./sms-parts.rules.ts";

/** Returns the text of parts without their numbers. */
const contentOf = (parts: readonly string[]): string[] => parts.map((part) => part.replace(/^\(\d+\/\d+\) /, ""));

describe("splitSms", () => {
  test("leaves a text that the provider takes as it is", () => {
    expect(splitSms("x".repeat(1_600))).toEqual(["x".repeat(1_600)]);
  });

  test("divides a longer text after white space, and numbers its parts", () => {
    const words = Array.from({ length: 1_000 }, (_, index) => `word${index}`);
    const parts = splitSms(words.join(" "));
    expect(parts.map((part) => part.slice(0, 6))).toEqual(parts.map((_, index) => `(${index + 1}/${parts.length}) `));
    expect(contentOf(parts).join(" ").split(" ")).toEqual(words);
    for (const part of parts) expect(part.length).toBeLessThanOrEqual(1_600);
  });

  test.each([
    ["without white space", "x".repeat(8_161)],
    ["of characters with two code units", "a".concat("\u{1F6BF}".repeat(4_000))],
  ])("divides a text %s, and no character", (_, text) => {
    const parts = splitSms(text);
    expect(contentOf(parts).join("")).toBe(text);
    for (const part of parts) {
      expect(part.length).toBeLessThanOrEqual(1_600);
      expect(part.isWellFormed()).toBe(true);
    }
  });

  test("has no empty part for long white space", () => {
    const parts = splitSms(`${"x".repeat(1_590)}${" ".repeat(3_000)}y`);
    expect(contentOf(parts)).toEqual(["x".repeat(1_590), "y"]);
  });
});
