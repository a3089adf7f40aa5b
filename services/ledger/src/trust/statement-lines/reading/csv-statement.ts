/** Bank statements in CSV. */
import { MAX_STATEMENT_LINES } from "@freehold/contract/trust/statement-lines";
import type { Cents } from "@freehold/contract/values";
import { parse } from "csv-parse";
import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { findColumns, type Column, type Columns } from "./csv-columns.rules.ts";
import { MAX_DESCRIPTION_LENGTH, MAX_REFERENCE_LENGTH, Problems, unreadable, type ReadLine, type ReadStatement } from "./statement.ts";
import { CURRENCY, hasMask, parseStatementAmount, parseStatementDate, singleSpaced } from "./statement-values.rules.ts";

/** Number of characters after which other requests are served. */
const SLICE_LENGTH = 16_384;
const MAX_ROW_CHARACTERS = 65_536;
/** Number of rows among which the names of the columns are searched. */
const MAX_ROWS_ABOVE_HEADER = 25;

interface Row {
  cells: string[];
  lineNumber: number;
}

/** Yields the rows of a text with the number of the line on which each ends. Other requests are served meanwhile. */
async function* readRows(text: string): AsyncGenerator<Row> {
  const delimiter = delimiterOf(text);
  const options = { bom: true, delimiter, info: true, relax_column_count: true, relax_quotes: true, max_record_size: MAX_ROW_CHARACTERS };
  const parser = Readable.from(slices(text)).pipe(parse({ ...options, skip_empty_lines: true, record_delimiter: ["\r\n", "\n", "\r"] }));
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>)
      yield { cells: record.map((cell) => cell.trim()), lineNumber: info.lines };
  } catch (error) {
    const { code, lines } = error as { code?: string; lines?: number };
    if (!code?.startsWith("CSV_")) throw error;
    throw unreadable(`Line ${lines ?? 1}: the row cannot be read as CSV. Is a quotation mark missing?`);
  }
}

async function* slices(text: string): AsyncGenerator<string> {
  for (let start = 0; start < text.length; start += SLICE_LENGTH) {
    await setImmediate();
    yield text.slice(start, start + SLICE_LENGTH);
  }
}

/** Returns the delimiter that occurs most often in the first lines of a text. */
function delimiterOf(text: string): string {
  const head = text
    .slice(0, MAX_ROW_CHARACTERS)
    .split(/\r\n|\n|\r/, MAX_ROWS_ABOVE_HEADER)
    .join("\n");
  const counts = [",", ";", "\t", "|"].map((delimiter) => ({ delimiter, count: head.split(delimiter).length }));
  return counts.reduce((best, each) => (each.count > best.count ? each : best)).delimiter;
}

/** Reads a bank statement in CSV. Throws a 400 that names each wrong line. */
export async function readCsvStatement(text: string, accountMask: string): Promise<ReadStatement> {
  const problems = new Problems();
  const lines: ReadLine[] = [];
  let columns: Columns | undefined;
  let [rows, rowsAboveHeader] = [0, 0];
  for await (const row of readRows(text)) {
    // Rows without a line count, too: reading a file ends whatever is in it.
    if (++rows > MAX_STATEMENT_LINES) {
      problems.add({ code: "too_long", message: `The file has more than ${MAX_STATEMENT_LINES} lines. Split it.` });
      break;
    }
    if (row.cells.every((cell) => cell === "")) continue;
    if (!columns) {
      columns = findColumns(row.cells);
      if (columns) rows = 0;
      if (!columns && ++rowsAboveHeader >= MAX_ROWS_ABOVE_HEADER) break;
      continue;
    }
    const line = lineOf(row, columns, accountMask, problems);
    if (line) lines.push(line);
  }
  if (rows <= MAX_STATEMENT_LINES && !columns)
    throw unreadable("The file has no row with the names of its columns. Name at least a date, and an amount or a debit and a credit.");
  problems.throwIfAny();
  return { format: "csv", lines, closingBalanceCents: null, closingDate: null };
}

/** Returns the line of a row; undefined for one of 0.00, and for one with problems, which are added. */
function lineOf({ cells, lineNumber }: Row, columns: Columns, accountMask: string, problems: Problems): ReadLine | undefined {
  const cell = (column: Column): string => {
    const index = columns[column];
    return index === undefined ? "" : (cells[index] ?? "");
  };
  const date = parseStatementDate(cell("date"));
  if (date === undefined) problems.add({ lineNumber, code: "format", message: `"${shown(cell("date"))}" is not a date. Use 2026-01-31 or 01/31/2026.` });
  const amountCents = amountOf(cell, lineNumber, problems);
  if (cell("currency") !== "" && cell("currency").toUpperCase() !== CURRENCY)
    problems.add({ lineNumber, code: "mismatch", message: `The currency is ${shown(cell("currency"))}, and the account is kept in ${CURRENCY}.` });
  if (cell("accountNumber") !== "" && !hasMask(cell("accountNumber"), accountMask))
    problems.add({ lineNumber, code: "mismatch", message: `The account number does not end with ${accountMask}. It is the statement of another account.` });
  if (date === undefined || !amountCents) return undefined;
  const reference = singleSpaced(cell("reference"), MAX_REFERENCE_LENGTH);
  const description = singleSpaced(cell("description"), MAX_DESCRIPTION_LENGTH);
  return { lineNumber, date, amountCents, description, reference: reference === "" ? null : reference, bankTransactionId: null };
}

const shown = (text: string): string => singleSpaced(text, 40);

/** Returns the amount of a row, from its amount or from its debit or credit; undefined after adding a problem. */
function amountOf(cell: (column: Column) => string, lineNumber: number, problems: Problems): Cents | undefined {
  const parts = (["amount", "debit", "credit"] as const).map((column) => ({ column, text: cell(column) })).filter(({ text }) => text !== "");
  const values = parts.map(({ column, text }) => ({ column, text, cents: parseStatementAmount(text) }));
  const wrong = values.find(({ cents }) => cents === undefined);
  if (wrong) {
    problems.add({ lineNumber, code: "format", message: `"${shown(wrong.text)}" is not an amount. Use dollars and cents, such as -1234.56.` });
    return undefined;
  }
  const others = values.filter(({ cents }) => cents !== 0);
  if (values.length === 0) problems.add({ lineNumber, code: "required", message: "The amount is missing." });
  if (others.length > 1 && !others.some(({ column }) => column === "amount")) {
    problems.add({ lineNumber, code: "not_allowed", message: "The row has both a debit and a credit. Split it." });
    return undefined;
  }
  const [value] = others;
  if (!value) return values.length === 0 ? undefined : (0 as Cents);
  // Banks write a debit with or without its sign.
  return value.column === "debit" ? (-Math.abs(value.cents!) as Cents) : value.cents;
}
