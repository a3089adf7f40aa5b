import { describe, expect, test } from "@jest/globals";
import type { Cents } from "@freehold/contract/values";
import fc from "fast-check";
import { credit, debit, exactTotals, journalEntryStateMachine, reverseLines, requireBalanced, sumLines } from "./journal.rules.ts";

const statuses = ["draft", "posted", "reversed"] as const;
const allowedTransitions = new Set(["draft posted", "posted reversed"]);
const MAX = Number.MAX_SAFE_INTEGER;
const validationError = (code: string) => expect.objectContaining({ status: 400, errors: [expect.objectContaining({ path: "lines", code })] });

describe("journalEntryStateMachine", () => {
  test.each(statuses.flatMap((from) => statuses.map((to) => [from, to] as const)))("from %s to %s", (from, to) => {
    if (allowedTransitions.has(`${from} ${to}`)) expect(journalEntryStateMachine.transition(from, to)).toBe(to);
    else expect(() => journalEntryStateMachine.transition(from, to)).toThrow(expect.objectContaining({ status: 409, code: "invalid_transition" }));
  });
});

describe("debit and credit", () => {
  test("set the other side to 0 and the cash-basis account, by default, to the same account", () => {
    expect(debit("bank", 5)).toEqual({ accountId: "bank", cashAccountId: "bank", debitCents: 5, creditCents: 0 });
    expect(credit("receivable", 5, { propertyId: "p" }, "rent")).toEqual({
      accountId: "receivable",
      cashAccountId: "rent",
      debitCents: 0,
      creditCents: 5,
      propertyId: "p",
    });
    expect(debit("receivable", 5, {}, null).cashAccountId).toBeNull();
  });
});

describe("sumLines", () => {
  test("returns total debits and credits", () => expect(sumLines([debit("a", 3), debit("b", 4), credit("c", 7)])).toEqual({ debitCents: 7, creditCents: 7 }));
  test("accepts totals up to 2^53 - 1 and refuses one cent more on either side", () => {
    expect(sumLines([debit("a", MAX - 1), debit("b", 1), credit("c", MAX)])).toEqual({ debitCents: MAX, creditCents: MAX });
    expect(() => sumLines([debit("a", MAX), debit("b", 1)])).toThrow(validationError("max"));
    expect(() => sumLines([credit("a", MAX), credit("b", 1)])).toThrow(validationError("max"));
  });
});

describe("exactTotals", () => {
  test("returns totals beyond 2^53 - 1", () =>
    expect(exactTotals([debit("a", MAX), debit("b", MAX), credit("c", 3)])).toEqual({ debitCents: 2n * BigInt(MAX), creditCents: 3n }));
});

describe("requireBalanced", () => {
  const totals = (debitCents: number, creditCents: number) => ({ debitCents: debitCents as Cents, creditCents: creditCents as Cents });
  test("requires equal totals", () => {
    expect(() => requireBalanced(totals(5, 5))).not.toThrow();
    expect(() => requireBalanced(totals(5, 4))).toThrow(validationError("mismatch"));
    expect(() => requireBalanced(totals(4, 5))).toThrow(validationError("mismatch"));
  });
});

describe("reverseLines", () => {
  const arbitraryLines = fc.array(
    fc
      .record({ account: fc.constantFrom("1000", "1100", "4000"), cents: fc.integer({ min: 1, max: 1_000_000 }), isDebit: fc.boolean() })
      .map(({ account, cents, isDebit }) => (isDebit ? debit : credit)(account, cents, { propertyId: "p", description: "a line" }, "4000")),
  );
  test("balances the original lines and keeps their dimensions", () => {
    fc.assert(
      fc.property(arbitraryLines, (lines) => {
        const { debitCents, creditCents } = sumLines([...lines, ...reverseLines(lines)]);
        expect(debitCents).toBe(creditCents);
        for (const [index, line] of reverseLines(lines).entries()) {
          expect({ ...line, debitCents: line.creditCents, creditCents: line.debitCents }).toEqual(lines[index]);
        }
      }),
    );
  });
  test("applied twice returns the original lines", () =>
    fc.assert(fc.property(arbitraryLines, (lines) => expect(reverseLines(reverseLines(lines))).toEqual(lines))));
});
