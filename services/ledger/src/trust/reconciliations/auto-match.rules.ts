/** Matches of statement lines with transactions that can only mean each other. */
import type { matchReasons } from "@freehold/contract/trust/reconciliations";

/** Transaction that is not cleared. */
export interface OpenTransaction {
  entryId: string;
  entryDate: string;
  cents: number;
  reference: string | null;
}

/** Statement line that is not matched. */
export interface OpenLine {
  id: string;
  date: string;
  cents: number;
  reference: string | null;
}

/** Statement line with the transactions that add up to it. */
export interface Match {
  line: OpenLine;
  transactions: readonly OpenTransaction[];
  reason: (typeof matchReasons)[number];
}

/** Number of days within which a reference means the same: a check may be presented for half a year. */
const REFERENCE_WINDOW_DAYS = 180;
const DAY_MS = 86_400_000;

/** Returns a reference without case, spaces and leading zeros, as banks print check numbers; null for none. */
const normalized = (reference: string | null): string | null => reference?.toLowerCase().replaceAll(/\s/g, "").replace(/^0+/, "") || null;

/** Transactions that a line can mean together. */
interface Unit {
  transactions: readonly OpenTransaction[];
  date: string;
  cents: number;
  reference: string | null;
}

const single = (transaction: OpenTransaction): Unit => {
  const { entryDate, cents, reference } = transaction;
  return { transactions: [transaction], date: entryDate, cents, reference };
};

/** Returns the totals of the deposits and of the withdrawals of each group that has several of them. */
function totals(transactions: readonly OpenTransaction[], groupOf: (transaction: OpenTransaction) => string | null): Unit[] {
  const grouped = transactions.filter((transaction) => groupOf(transaction) !== null);
  return [...Map.groupBy(grouped, (transaction) => `${Math.sign(transaction.cents)} ${groupOf(transaction)}`).values()]
    .filter((group) => group.length > 1)
    .map((group) => ({ ...single(group[0]!), transactions: group, cents: group.reduce((sum, { cents }) => sum + cents, 0) }));
}

interface Step {
  reason: Match["reason"];
  unitsOf: (transactions: readonly OpenTransaction[]) => Unit[];
  isByReference: boolean;
  windowDays: number;
}

/** Returns the steps from the most to the least certain. Each sees only what the ones before it have left. */
const stepsWithin = (windowDays: number): Step[] => [
  { reason: "reference", unitsOf: (all) => all.map(single), isByReference: true, windowDays: REFERENCE_WINDOW_DAYS },
  { reason: "same_day", unitsOf: (all) => all.map(single), isByReference: false, windowDays: 0 },
  { reason: "date_window", unitsOf: (all) => all.map(single), isByReference: false, windowDays },
  {
    reason: "reference_total",
    unitsOf: (all) => totals(all, ({ reference }) => normalized(reference)),
    isByReference: true,
    windowDays: REFERENCE_WINDOW_DAYS,
  },
  { reason: "day_total", unitsOf: (all) => totals(all, ({ entryDate }) => entryDate), isByReference: false, windowDays },
];

/**
 * Yields the matches of lines with transactions of the same amount within a number of days, step by step: by reference, by day, within
 * the days, and with all deposits or withdrawals of a reference or day. A line that can mean several of them, and one of them that
 * several lines can mean, is left out.
 */
export function* matchStatementLines(transactions: readonly OpenTransaction[], lines: readonly OpenLine[], windowDays: number): Generator<Match[]> {
  let [openTransactions, openLines] = [transactions, lines];
  for (const { reason, unitsOf, isByReference, windowDays: days } of stepsWithin(windowDays)) {
    const matches = findPairs(unitsOf(openTransactions), openLines, isByReference, days).map(({ unit, line }) => ({
      line,
      transactions: unit.transactions,
      reason,
    }));
    yield matches;
    const matchedLines = new Set(matches.map(({ line }) => line));
    const matchedTransactions = new Set(matches.flatMap((match) => match.transactions));
    openLines = openLines.filter((line) => !matchedLines.has(line));
    openTransactions = openTransactions.filter((transaction) => !matchedTransactions.has(transaction));
  }
}

/** Item of one side with its day as a number. */
interface Dated<T> {
  item: T;
  day: number;
}

/** Returns the units and lines of equal amounts, and references if they count, that have only each other within the window. */
function findPairs(units: readonly Unit[], lines: readonly OpenLine[], isByReference: boolean, windowDays: number): { unit: Unit; line: OpenLine }[] {
  const keyOf = ({ cents, reference }: Pick<Unit, "cents" | "reference">) => `${cents} ${isByReference ? normalized(reference) : ""}`;
  const counts = ({ reference }: Pick<Unit, "reference">) => !isByReference || normalized(reference) !== null;
  const unitsByKey = datedByKey(units.filter(counts), keyOf);
  const pairs: { unit: Unit; line: OpenLine }[] = [];
  for (const [key, datedLines] of datedByKey(lines.filter(counts), keyOf)) {
    const datedUnits = unitsByKey.get(key) ?? [];
    for (const line of datedLines) {
      const unit = onlyOneNear(datedUnits, line.day, windowDays);
      if (unit && onlyOneNear(datedLines, unit.day, windowDays)) pairs.push({ unit: unit.item, line: line.item });
    }
  }
  return pairs;
}

/** Returns items by key, each group in the order of its days. */
function datedByKey<T extends { date: string }>(items: readonly T[], keyOf: (item: T) => string): Map<string, Dated<T>[]> {
  const groups = Map.groupBy(
    items.map((item) => ({ item, day: Date.parse(item.date) / DAY_MS })),
    ({ item }) => keyOf(item),
  );
  for (const group of groups.values()) group.sort((one, other) => one.day - other.day);
  return groups;
}

/** Returns the item within a number of days of a day, if there is exactly one. The items are in the order of their days. */
function onlyOneNear<T>(items: readonly Dated<T>[], day: number, windowDays: number): Dated<T> | undefined {
  const index = firstIndexFrom(items, day - windowDays);
  const [item, next] = [items[index], items[index + 1]];
  if (!item || item.day > day + windowDays) return undefined;
  return next && next.day <= day + windowDays ? undefined : item;
}

/** Returns the index of the first item of a day or later, by binary search. */
function firstIndexFrom(items: readonly Dated<unknown>[], day: number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (items[middle]!.day < day) low = middle + 1;
    else high = middle;
  }
  return low;
}
