import { describe, expect, test } from "@jest/globals";
import type { Cents } from "@freehold/contract/values";
import fc from "fast-check";
import { credit, debit, journalEntryFlow, opposite, requireBalance, totals } from "./journal.rules.ts";

const statuses = ["draft", "posted", "reversed"] as const;
const allowed = new Set(["draft posted", "posted reversed"]);
const most = Number.MAX_SAFE_INTEGER;
const refusal = (code: string) => expect.objectContaining({ status: 400, errors: [expect.objectContaining({ path: "lines", code })] });

describe("journalEntryFlow", () => {
  test.each(statuses.flatMap((from) => statuses.map((to) => [from, to] as const)))("from %s to %s", (from, to) => {
    if (allowed.has(`${from} ${to}`)) expect(journalEntryFlow.transition(from, to)).toBe(to);
    else expect(() => journalEntryFlow.transition(from, to)).toThrow(expect.objectContaining({ status: 409, code: "invalid_transition" }));
  });
});

describe("debit and credit", () => {
  test("fill one side and leave the other empty; the cash view sees the same account unless told otherwise", () => {
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

describe("totals", () => {
  test("are the two sums", () => expect(totals([debit("a", 3), debit("b", 4), credit("c", 7)])).toEqual({ debitCents: 7, creditCents: 7 }));
  test("count exactly up to 2^53 - 1, and refuse one cent more on either side", () => {
    expect(totals([debit("a", most - 1), debit("b", 1), credit("c", most)])).toEqual({ debitCents: most, creditCents: most });
    expect(() => totals([debit("a", most), debit("b", 1)])).toThrow(refusal("max"));
    expect(() => totals([credit("a", most), credit("b", 1)])).toThrow(refusal("max"));
  });
});

describe("requireBalance", () => {
  const of = (debitCents: number, creditCents: number) => ({ debitCents: debitCents as Cents, creditCents: creditCents as Cents });
  test("takes equal sides only", () => {
    expect(() => requireBalance(of(5, 5))).not.toThrow();
    expect(() => requireBalance(of(5, 4))).toThrow(refusal("mismatch"));
    expect(() => requireBalance(of(4, 5))).toThrow(refusal("mismatch"));
  });
});

describe("opposite", () => {
  const someLines = fc.array(
    fc
      .record({ account: fc.constantFrom("1000", "1100", "4000"), cents: fc.integer({ min: 1, max: 1_000_000 }), isDebit: fc.boolean() })
      .map(({ account, cents, isDebit }) => (isDebit ? debit : credit)(account, cents, { propertyId: "p", description: "a line" }, "4000")),
  );
  test("makes every account what it was, about the same subjects", () => {
    fc.assert(
      fc.property(someLines, (lines) => {
        const { debitCents, creditCents } = totals([...lines, ...opposite(lines)]);
        expect(debitCents).toBe(creditCents);
        for (const [index, line] of opposite(lines).entries()) {
          expect({ ...line, debitCents: line.creditCents, creditCents: line.debitCents }).toEqual(lines[index]);
        }
      }),
    );
  });
  test("twice is the same", () => fc.assert(fc.property(someLines, (lines) => expect(opposite(opposite(lines))).toEqual(lines))));
});
