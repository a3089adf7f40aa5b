import { describe, expect, test } from "@jest/globals";
import { matchStatementLines, type OpenLine, type OpenTransaction } from "./auto-match.rules.ts";

const transaction = (entryId: string, day: number, cents: number, reference: string | null = null): OpenTransaction => ({
  entryId,
  entryDate: `2026-01-${String(day).padStart(2, "0")}`,
  cents,
  reference,
});
const line = (id: string, day: number, cents: number, reference: string | null = null): OpenLine => ({
  id,
  date: `2026-01-${String(day).padStart(2, "0")}`,
  cents,
  reference,
});
const matchesOf = (transactions: OpenTransaction[], lines: OpenLine[], windowDays = 5) =>
  [...matchStatementLines(transactions, lines, windowDays)]
    .flat()
    .map((match) => [match.line.id, match.transactions.map(({ entryId }) => entryId).join("+"), match.reason]);

describe("matchStatementLines", () => {
  test.each<[string, OpenTransaction[], OpenLine[], string[][]]>([
    [
      "by amount and reference, in any form",
      [transaction("a", 1, -5, "1042"), transaction("b", 1, -5, "1043")],
      [line("x", 30, -5, "00 1043")],
      [["x", "b", "reference"]],
    ],
    ["by the day before the window", [transaction("a", 1, 5), transaction("b", 3, 5)], [line("x", 3, 5)], [["x", "b", "same_day"]]],
    ["within the window, on its last day", [transaction("a", 6, 5)], [line("x", 1, 5)], [["x", "a", "date_window"]]],
    ["not outside of the window", [transaction("a", 7, 5)], [line("x", 1, 5)], []],
    ["not by another amount", [transaction("a", 1, 5)], [line("x", 1, -5), line("y", 1, 6)], []],
    ["not when a line can mean two transactions", [transaction("a", 1, 5), transaction("b", 3, 5)], [line("x", 2, 5)], []],
    ["not when two lines can mean a transaction", [transaction("a", 2, 5)], [line("x", 1, 5), line("y", 3, 5)], []],
    ["not when equal transactions and lines could be exchanged", [transaction("a", 1, 5), transaction("b", 1, 5)], [line("x", 1, 5), line("y", 1, 5)], []],
    [
      "with what earlier steps have left",
      [transaction("a", 1, 5), transaction("b", 3, 5)],
      [line("x", 1, 5), line("y", 5, 5)],
      [
        ["x", "a", "same_day"],
        ["y", "b", "date_window"],
      ],
    ],
    [
      "one line with all deposits of a day",
      [transaction("a", 1, 2), transaction("b", 1, 3), transaction("c", 1, -9)],
      [line("x", 2, 5)],
      [["x", "a+b", "day_total"]],
    ],
    ["not with some deposits of a day", [transaction("a", 1, 2), transaction("b", 1, 3), transaction("c", 1, 4)], [line("x", 2, 5)], []],
    [
      "one line with all withdrawals of a reference",
      [transaction("a", 1, -2, "R7"), transaction("b", 9, -3, "r7")],
      [line("x", 20, -5, "R7")],
      [["x", "a+b", "reference_total"]],
    ],
    [
      "not when two days have the total",
      [transaction("a", 1, 2), transaction("b", 1, 3), transaction("c", 2, 1), transaction("d", 2, 4)],
      [line("x", 2, 5)],
      [],
    ],
  ])("matches %s", (_name, transactions, lines, expected) => expect(matchesOf(transactions, lines)).toEqual(expected));

  test("leaves twenty thousand equal ones, and matches as many different ones", () => {
    const COUNT = 20_000;
    const numbers = Array.from({ length: COUNT }, (_, index) => index);
    const transactions = [
      ...numbers.map((index) => transaction(`a${index}`, 1 + (index % 28), 1_000 + index)),
      ...numbers.map((index) => transaction(`b${index}`, 31, 1)),
    ];
    const lines = [...numbers.map((index) => line(`x${index}`, 1 + (index % 28), 1_000 + index)), ...numbers.map((index) => line(`y${index}`, 31, 1))];
    expect([...matchStatementLines(transactions, lines, 5)].flat()).toHaveLength(COUNT);
  });
});
