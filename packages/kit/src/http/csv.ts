/** Lists as CSV (RFC 4180), without cells that a spreadsheet would evaluate as formulas. */
import { stringify } from "csv-stringify";
import type { Response } from "express";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { z } from "zod";

type Row = Record<string, unknown>;
/** Rows that are read at once. */
const PAGE_SIZE = 1_000;

/**
 * Characters before which a cell gets an apostrophe. A text that begins with one would be a formula. Spreadsheets whose list
 * separator is the semicolon also split a cell there, and at line breaks, since quotation marks inside of a line quote nothing
 * for them: a formula may begin after each.
 */
const FORMULA_START = /^[=+\-@＝＋－＠;\t\r\n]|(?<=[;\t\r\n])[=+\-@＝＋－＠]/g;

/** Returns the text of a cell that no spreadsheet evaluates as a formula. */
export const neutralizeFormulas = (text: string): string => text.replaceAll(FORMULA_START, "'$&");

/** Streams rows to the response as an attachment. */
async function sendAttachment(res: Response, fileName: string, columns: readonly string[], rows: AsyncIterable<Row>): Promise<void> {
  res.setHeader("Content-Type", "text/csv; charset=utf-8");
  res.setHeader("Content-Disposition", `attachment; filename="${fileName}"`);
  const format = stringify({
    bom: true,
    header: true,
    columns: [...columns],
    record_delimiter: "windows",
    // A single line feed or carriage return ends a row for many readers, too.
    quoted_match: /[\r\n]/,
    // Numbers are not cast, so that negative ones stay numbers.
    cast: { boolean: String, string: neutralizeFormulas, object: (value) => neutralizeFormulas(JSON.stringify(value)) },
  });
  await pipeline(Readable.from(rows), format, res);
}

/** Returns the names of the members of a list's items, in the order of the schema. */
export const csvColumns = (list: z.ZodType): string[] => [...new Set(memberNames(list))];

function memberNames(schema: z.ZodType): string[] {
  if (schema instanceof z.ZodArray) return memberNames(schema.element as z.ZodType);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => memberNames(option as z.ZodType));
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** List of an operation: the member of the response that holds it, and its columns. */
export interface CsvList {
  key: string;
  columns: readonly string[];
}

/** Sends every row of a list, read page by page, with the members of its JSON as columns. */
export async function sendListAsCsv(res: Response, { key, columns }: CsvList, readPage: (page: number, pageSize: number) => Promise<Row>): Promise<void> {
  // Before the response begins, so that an error has its status.
  const firstPage = await readPage(1, PAGE_SIZE);
  async function* allRows(): AsyncIterable<Row> {
    yield* firstPage[key] as Row[];
    for (let page = 2, totalPages = firstPage["totalPages"] as number; page <= totalPages; page++) {
      const next = await readPage(page, PAGE_SIZE);
      totalPages = next["totalPages"] as number;
      yield* next[key] as Row[];
    }
  }
  await sendAttachment(res, `${key}.csv`, columns, allRows());
}

/** Sends rows in chunks as they are produced. */
export async function sendCsv(
  res: Response,
  fileName: string,
  columns: readonly string[],
  chunks: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>,
): Promise<void> {
  async function* rows(): AsyncIterable<Row> {
    for await (const chunk of chunks) yield* chunk;
  }
  await sendAttachment(res, fileName, columns, rows());
}
