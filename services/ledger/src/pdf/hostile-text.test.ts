import { expect, test } from "@jest/globals";
import { BOTTOM, startLetter } from "./letter.ts";
import { drawHeader, placeRow } from "./table.ts";
import { createPdf, layOut } from "./text-block.ts";

test.each([
  ["Hangul jamo", "\u1100".repeat(160)],
  ["a Devanagari conjunct", "\u0915\u094d".repeat(80)],
])("a line is never wider than its column, even if a single grapheme is: %s", (_name, text) => {
  const document = createPdf({ title: "Statement", author: "Office" }, 54);
  const { lines } = layOut(document, text, { width: 188, size: 9 });
  expect(Math.max(...lines.map(({ width }) => width))).toBeLessThanOrEqual(188);
});

test("a row of three allocations to charges with the longest names fits on a page", () => {
  const columns = [
    { header: "Date", width: 64 },
    { header: "Description", width: 194 },
  ];
  const letter = startLetter("Office", "Statement", "Statement", []);
  drawHeader(letter, columns);
  const texts = Array.from({ length: 3 }, () => `Applied $1.00 to ${"\u2031".repeat(160)} due 01/01/2026`);
  placeRow(letter, columns, { cells: ["01/01/2026", `Payment from ${"\u2031".repeat(100)}`], notes: { column: 1, texts } });
  expect(letter.y).toBeLessThanOrEqual(BOTTOM);
});
