import { expect, test } from "@jest/globals";
import type { ReadLine } from "./reading/statement.ts";
import { withKeys } from "./line-key.rules.ts";

const line = (change: Partial<ReadLine> = {}): ReadLine =>
  ({ lineNumber: 1, date: "2026-01-31", amountCents: 100, description: "Rent", reference: null, bankTransactionId: null, ...change }) as ReadLine;
const keysOf = (...lines: ReadLine[]) => withKeys(lines).map(({ key }) => key);

test("equal lines without an ID are counted, so that each has the same key in every file", () => {
  const [first, second, other] = keysOf(line(), line({ lineNumber: 2 }), line({ description: "Other" }));
  expect(new Set([first, second, other]).size).toBe(3);
  expect(keysOf(line({ lineNumber: 7 }), line({ description: "Other" }), line({ lineNumber: 9 }))).toEqual([first, other, second]);
});

test("lines with an ID are equal by it, their date and their amount", () => {
  const [first, again, otherAmount, otherDay] = keysOf(
    line({ bankTransactionId: "A" }),
    line({ bankTransactionId: "A", description: "Renamed by the bank" }),
    line({ bankTransactionId: "A", amountCents: 200 as ReadLine["amountCents"] }),
    line({ bankTransactionId: "A", date: "2026-02-28" }),
  );
  expect(again).toBe(first);
  expect(new Set([first, otherAmount, otherDay]).size).toBe(3);
});
