/** Cells that are longer than any value. Each parser refuses or cuts them, before its patterns read them. */
import { expect, test } from "@jest/globals";
import { dateInTitle } from "../validation/read-candidates.ts";
import { parsePhones } from "./contact.ts";
import { parseDate } from "./date.ts";
import { splitNames } from "./name.ts";

const COUNT = 200_000;

test("a date, phone numbers, names and a title of 200 000 characters are parsed", () => {
  expect(parseDate("T".repeat(COUNT))).toEqual({ problem: "A date has at most 60 characters. Use 2026-01-31, or 01/31/2026 with the month first." });
  expect(parsePhones("(".repeat(COUNT))).toEqual({ problem: "The phone numbers have more than 500 characters." });
  expect(splitNames(`Sam${" ".repeat(COUNT)}Hill`)).toEqual(["Sam"]);
  expect(dateInTitle({ number: 1, cells: [`as of${" ".repeat(COUNT)}x\ny`] } as never)).toBeUndefined();
  expect(dateInTitle({ number: 1, cells: ["As of:   06/30/2026"] } as never)).toBe("2026-06-30");
});
