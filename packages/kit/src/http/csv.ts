/** Lists as CSV (RFC 4180), without cells that a spreadsheet would evaluate as formulas. */
import { stringify } from "csv-stringify";
import type { Response } from "express";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

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

/** Sends every row of a list, read page by page, with the members of its JSON as columns. */
export async function sendListAsCsv(res: Response, key: string, readPage: (page: number, pageSize: number) => Promise<Row>): Promise<void> {
  const firstPage = await readPage(1, PAGE_SIZE);
  const firstRows = firstPage[key] as Row[];
  async function* allRows(): AsyncIterable<Row> {
    yield* firstRows;
    for (let page = 2, totalPages = firstPage["totalPages"] as number; page <= totalPages; page++) {
      const next = await readPage(page, PAGE_SIZE);
      totalPages = next["totalPages"] as number;
      yield* next[key] as Row[];
    }
  }
  await sendAttachment(res, `${key}.csv`, Object.keys(firstRows[0] ?? {}), allRows());
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
