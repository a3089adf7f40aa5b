/** Lists as CSV (RFC 4180), without cells that a spreadsheet would evaluate as formulas. */
import { stringify } from "csv-stringify";
import type { Response } from "express";
import { pipeline, Readable } from "node:stream";
import { pipeline as sendStream } from "node:stream/promises";
import pLimit from "p-limit";
import { z } from "zod";
import type { OrgDb } from "../db/org-db.ts";
import { spool } from "./spool.ts";

type Row = Record<string, unknown>;
const PAGE_SIZE = 100;

/** Limit of the lists that hold a connection of the pool at once: reading them takes further connections, here and in other services. */
const limitSnapshots = pLimit(2);

/** Formula prefixes that `escape_formulas` misses: the full-width forms. */
const FULL_WIDTH_FORMULA = /^[＝＋－＠]/;

const castText = (text: string) => (FULL_WIDTH_FORMULA.test(text) ? `'${text}` : text);

async function* encode(columns: readonly string[], rows: AsyncIterable<Row>): AsyncIterable<Uint8Array> {
  const format = stringify({
    bom: true,
    header: true,
    columns: [...columns],
    record_delimiter: "windows",
    escape_formulas: true,
    cast: { boolean: String, string: castText, object: (value) => JSON.stringify(value) },
  });
  // An error of the rows is passed on by `format`.
  pipeline(Readable.from(rows), format, () => undefined);
  yield* format;
}

/**
 * Sends CSV as an attachment. An error before the first bytes is thrown, so that it can still be answered; a later one ends the
 * connection.
 */
async function sendAttachment(res: Response, fileName: string, chunks: AsyncGenerator<Uint8Array>): Promise<void> {
  const first = await chunks.next();
  res.setHeader("Content-Type", "text/csv; charset=utf-8");
  res.setHeader("Content-Disposition", `attachment; filename="${fileName}"`);
  async function* all(): AsyncIterable<Uint8Array> {
    if (first.value) yield first.value;
    yield* chunks;
  }
  await sendStream(Readable.from(all()), res);
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

/**
 * Sends every row of a list as it was at one moment, with the members of its JSON as columns. `readPage` reads a page from a snapshot of the
 * database; what it fetches from other services is as of the moment of the page.
 */
export async function sendListAsCsv(
  res: Response,
  { key, columns }: CsvList,
  db: OrgDb,
  readPage: (db: OrgDb, page: { page: number; pageSize: number }) => Promise<Row>,
): Promise<void> {
  async function* rows(): AsyncIterable<Row> {
    const snapshot = await db.openSnapshot();
    try {
      for (let page = 1, totalPages = 1; page <= totalPages; page++) {
        const result = await readPage(snapshot.db, { page, pageSize: PAGE_SIZE });
        totalPages = result["totalPages"] as number;
        yield* result[key] as Row[];
      }
    } finally {
      await snapshot.close();
    }
  }
  await sendAttachment(res, `${key}.csv`, spool(encode(columns, rows()), limitSnapshots));
}

/** Sends rows as CSV as they are produced. */
export async function sendCsv(
  res: Response,
  fileName: string,
  columns: readonly string[],
  chunks: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>,
): Promise<void> {
  async function* rows(): AsyncIterable<Row> {
    for await (const chunk of chunks) yield* chunk;
  }
  await sendAttachment(res, fileName, spool(encode(columns, rows())));
}
