/** Keys by which the lines of a bank statement are recognized in another upload. */
import { createHash } from "node:crypto";
import type { ReadLine } from "./reading/statement.ts";

/** Line with its key in hexadecimal. */
export type KeyedLine = ReadLine & { key: string };

const digest = (parts: readonly unknown[]): string => createHash("sha256").update(JSON.stringify(parts)).digest("hex");

/**
 * Returns the lines of a file with their keys. A line has the key of its ID at the bank with its date and amount, because some banks
 * use an ID again. Without an ID, equal lines are counted: the second of a day has another key than the first, and the same in each file.
 */
export function withKeys(lines: readonly ReadLine[]): KeyedLine[] {
  const counts = new Map<string, number>();
  return lines.map((line) => {
    const { date, amountCents, reference, description, bankTransactionId } = line;
    if (bankTransactionId !== null) return { ...line, key: digest(["id", bankTransactionId, date, amountCents]) };
    const content = digest(["line", date, amountCents, reference, description]);
    const count = (counts.get(content) ?? 0) + 1;
    counts.set(content, count);
    return { ...line, key: digest([content, count]) };
  });
}
