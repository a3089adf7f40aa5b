/** Lists as CSV (RFC 4180), without cells that a spreadsheet would evaluate as formulas. */
import type { CsvListMember } from "@freehold/contract/operation";
import { stringify } from "csv-stringify/sync";
import type { Response } from "express";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { z } from "zod";

type Row = Record<string, unknown>;
/** Rows that are read at once. */
const PAGE_SIZE = 1_000;
/** Rows that are formatted at once, in about a millisecond. */
const ROWS_AT_ONCE = 100;
/** Tells spreadsheets that the text is UTF-8. */
const BYTE_ORDER_MARK = "\ufeff";

/**
 * Characters before which a cell gets an apostrophe. A text that begins with one would be a formula. Spreadsheets whose list
 * separator is the semicolon also split a cell there, and at line breaks, since quotation marks inside of a line quote nothing
 * for them: a formula may begin after each.
 */
const FORMULA_START = /^[=+\-@＝＋－＠;\t\r\n]|(?<=[;\t\r\n])[=+\-@＝＋－＠]/g;
/** Matches every text in which a formula may begin, and few others. */
const MAY_BE_FORMULA = /^[=+\-@＝＋－＠]|[;\t\r\n]/;

/** Returns the text of a cell that no spreadsheet evaluates as a formula. */
export const neutralizeFormulas = (text: string): string => (MAY_BE_FORMULA.test(text) ? text.replaceAll(FORMULA_START, "'$&") : text);

/** Returns the cell of a value. Numbers stay numbers, so that negative ones are no formulas. */
function cellOf(value: unknown): unknown {
  if (typeof value === "string") return neutralizeFormulas(value);
  if (typeof value === "boolean") return String(value);
  return typeof value === "object" && value !== null ? neutralizeFormulas(JSON.stringify(value)) : value;
}

const formatRows = (rows: readonly (readonly unknown[])[]): string =>
  // A single line feed or carriage return ends a row for many readers, too.
  stringify(rows as unknown[][], { record_delimiter: "windows", quoted_match: /[\r\n]/ });

/** Sends chunks of rows as an attachment, each as it is produced. */
export async function sendCsv(
  res: Response,
  fileName: string,
  columns: readonly string[],
  chunks: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>,
): Promise<void> {
  res.setHeader("Content-Type", "text/csv; charset=utf-8");
  res.setHeader("Content-Disposition", `attachment; filename="${fileName}"`);
  async function* text(): AsyncIterable<string> {
    yield BYTE_ORDER_MARK + formatRows([columns.map(cellOf)]);
    for await (const rows of chunks)
      for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
        yield formatRows(rows.slice(start, start + ROWS_AT_ONCE).map((row) => columns.map((column) => cellOf(row[column]))));
        // Other requests, and the reading of the next rows, go on meanwhile.
        await nextTurn();
      }
  }
  await pipeline(Readable.from(text(), { highWaterMark: 1 }), res);
}

/** Returns the names of the members of a list's items, in the order of the schema. */
export const csvColumns = (list: z.ZodType): string[] => [...new Set(memberNames(list))];

function memberNames(schema: z.ZodType): string[] {
  if (schema instanceof z.ZodArray) return memberNames(schema.element as z.ZodType);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => memberNames(option as z.ZodType));
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** List of an operation: the member of the response that holds it, and its columns. */
export interface CsvList extends CsvListMember {
  columns: readonly string[];
}

/** Sends every row of a list, read page by page, with the members of its JSON as columns. */
export async function sendListAsCsv(res: Response, { key, columns }: CsvList, readPage: (page: number, pageSize: number) => Promise<Row>): Promise<void> {
  // Before the response begins, so that an error has its status.
  const firstPage = await readPage(1, PAGE_SIZE);
  async function* pages(): AsyncIterable<readonly Row[]> {
    let [page, next] = [1, Promise.resolve(firstPage)];
    for (let current = await next; ; current = await next) {
      const hasNext = page++ < (current["totalPages"] as number);
      // The database works on the next page while this one is formatted and sent.
      if (hasNext) next = readPage(page, PAGE_SIZE);
      // Awaited, unless the client leaves meanwhile.
      next.catch(() => undefined);
      yield current[key] as Row[];
      if (!hasNext) return;
    }
  }
  await sendCsv(res, `${key}.csv`, columns, pages());
}
