import { expect, test } from "@jest/globals";
import { parseBathrooms, parseBedrooms, parseDecimal, parseInteger, parsePercent } from "./number.ts";
import type { Parsed } from "./parsed.ts";

const valid: [name: string, text: string, value: string, parse: (text: string) => Parsed][] = [
  ["parseInteger", "850", "850", parseInteger],
  ["parseInteger", "1,250", "1250", parseInteger],
  ["parseInteger", "850.00", "850", parseInteger],
  ["parseInteger", "850 sq ft", "850", parseInteger],
  ["parseInteger", "-3", "-3", parseInteger],
  ["parseInteger", "1,250 square feet", "1250", parseInteger],
  ["parseBedrooms", "Two Bedrooms", "2", parseBedrooms],
  ["parseBedrooms", "Efficiency", "0", parseBedrooms],
  ["parseBathrooms", "1½", "1.5", parseBathrooms],
  ["parseBathrooms", "2 1/2", "2.5", parseBathrooms],
  ["parseDecimal", "1.50", "1.5", parseDecimal],
  ["parseDecimal", ".5", "0.5", parseDecimal],
  ["parseBedrooms", "Studio", "0", parseBedrooms],
  ["parseBedrooms", "TwoBed", "2", parseBedrooms],
  ["parseBedrooms", "NineBedPlus", "9", parseBedrooms],
  ["parseBedrooms", "2", "2", parseBedrooms],
  ["parseBedrooms", "2 bd", "2", parseBedrooms],
  ["parseBedrooms", "2.0", "2", parseBedrooms],
  ["parseBathrooms", "OnePointFiveBath", "1.5", parseBathrooms],
  ["parseBathrooms", "2.50", "2.5", parseBathrooms],
  ["parseBathrooms", "1 ba", "1", parseBathrooms],
  ["parsePercent", "50", "50", parsePercent],
  ["parsePercent", "33.33%", "33.33", parsePercent],
  ["parsePercent", "100.00 %", "100", parsePercent],
  ["parsePercent", ".5", "0.5", parsePercent],
];
test.each(valid)("%s converts %j to %s", (_, text, value, parse) => {
  expect(parse(text)).toEqual({ value });
});

const invalid: [name: string, text: string, parse: (text: string) => Parsed][] = [
  ["parseInteger", "1.5", parseInteger],
  ["parseInteger", "many", parseInteger],
  ["parseDecimal", "1e3", parseDecimal],
  ["parseBedrooms", "2.5", parseBedrooms],
  ["parseBathrooms", "1.25", parseBathrooms],
  ["parsePercent", "101", parsePercent],
  ["parsePercent", "-1", parsePercent],
  ["parsePercent", "33.333", parsePercent],
];
test.each(invalid)("%s refuses %j, quoting it", (_, text, parse) => {
  expect(parse(text)).toEqual({ problem: expect.stringContaining(text) });
});
