import { describe, expect, test } from "@jest/globals";
import { printable, textRuns } from "./text-runs.ts";

const texts = (line: string) => textRuns(line).map(({ text }) => text);

describe("printable", () => {
  test.each([
    ["a line\nbreak and a\ttab", "a line break and a tab"],
    ["e\u0301", "é"],
    ["zero\u200bwidth\u202e and \ufeffmarks", "zerowidth and marks"],
    ["👩\u200d👧 ❤\ufe0f", "👩👧 ❤"],
    ["می\u200cخواهم", "می\u200cخواهم"],
    ["half \ud800 of a pair", "half \ufffd of a pair"],
    ["nul \u0000 here", "nul   here"],
  ])("shows %j as %j", (text, expected) => expect(printable(text)).toBe(expected));
});

describe("textRuns", () => {
  test("keeps text that the main font has as one run", () => {
    expect(textRuns("Rent, unit 4")).toEqual([{ text: "Rent, unit 4", isFallback: false }]);
    expect(textRuns("Jiří Анна Ωμέγα")).toEqual([{ text: "Jiří Анна Ωμέγα", isFallback: false }]);
    expect(textRuns("")).toEqual([{ text: "", isFallback: false }]);
  });

  test("takes characters that the main font lacks in bold from the fallback font", () => {
    expect(textRuns("𝖠𝖼𝗆𝖾 Homes")).toEqual([
      { text: "𝖠𝖼𝗆𝖾", isFallback: true },
      { text: " Homes", isFallback: false },
    ]);
  });

  test("takes other characters from the fallback font", () => {
    expect(textRuns("Rent 王小明 🏠 due")).toEqual([
      { text: "Rent ", isFallback: false },
      { text: "王小明", isFallback: true },
      { text: " ", isFallback: false },
      { text: "🏠", isFallback: true },
      { text: " due", isFallback: false },
    ]);
  });

  test("replaces characters that no font has", () => expect(texts("𠮷 house")).toEqual(["\ufffd house"]));

  test("orders right-to-left words from right to left, and numbers in them from left to right", () => {
    expect(texts("paid by محمد علي, unit 4")).toEqual(["paid by ", "علي", " ", "محمد", ", unit 4"]);
    expect(texts("שלום 123 עולם")).toEqual(["עולם", " ", "123", " ", "שלום"]);
  });

  test("mirrors brackets in right-to-left text", () => expect(texts("محمد (علي)")).toEqual([")علي(", " ", "محمد"]));
});
