/** Lists as CSV (RFC 4180), without cells that a spreadsheet would evaluate as formulas. */
import { stringify } from "csv-stringify";
import type { Response } from "express";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { z } from "zod";

type Row = Record<string, unknown>;
const PAGE_SIZE = 100;

/** Formula prefixes that `escape_formulas` misses: the full-width forms. */
const FULL_WIDTH_FORMULA = /^[＝＋－＠]/;

const castText = (text: string) => (FULL_WIDTH_FORMULA.test(text) ? `'${text}` : text);

/** Streams rows to the response as an attachment. */
async function sendAttachment(res: Response, fileName: string, columns: readonly string[], rows: AsyncIterable<Row>): Promise<void> {
  res.setHeader("Content-Type", "text/csv; charset=utf-8");
  res.setHeader("Content-Disposition", `attachment; filename="${fileName}"`);
  const format = stringify({
    bom: true,
    header: true,
    columns: [...columns],
    record_delimiter: "windows",
    escape_formulas: true,
    cast: { boolean: String, string: castText, object: (value) => JSON.stringify(value) },
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
