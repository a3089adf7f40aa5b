/** Lists as CSV: RFC 4180, and no cell that a spreadsheet would take for a formula. */
import type { Response } from "express";

const FORMULA = /^[=+\-@\t\r＝＋－＠]/;

function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

type Row = Record<string, unknown>;
const PAGE = 100;

/** Begins the answer, and answers how rows are added to it: each call resolves when there is room for more. */
function beginCsv(res: Response, fileName: string, columns: readonly string[]): (rows: readonly Row[]) => Promise<void> {
  res.setHeader("Content-Type", "text/csv; charset=utf-8");
  res.setHeader("Content-Disposition", `attachment; filename="${fileName}"`);
  res.write(`\uFEFF${columns.map(cell).join()}\r\n`);
  return async (rows) => {
    const lines = rows.map((row) => `${columns.map((name) => cell(row[name])).join()}\r\n`).join("");
    if (!res.write(lines)) await new Promise((resolve) => res.once("drain", resolve));
  };
}

/** Streams every row of a list, page by page, under the names that the JSON has. */
export async function answerCsv(res: Response, key: string, readPage: (page: number, pageSize: number) => Promise<Row>): Promise<void> {
  let add: ReturnType<typeof beginCsv> | undefined;
  for (let page = 1; ; page++) {
    const answer = await readPage(page, PAGE);
    const rows = answer[key] as Row[];
    add ??= beginCsv(res, `${key}.csv`, Object.keys(rows[0] ?? {}));
    await add(rows);
    if (page >= (answer["totalPages"] as number)) break;
  }
  res.end();
}

/** Streams rows as they come, with columns that do not depend on them. */
export async function answerRows(res: Response, fileName: string, columns: readonly string[], chunks: AsyncIterable<readonly Row[]>): Promise<void> {
  const add = beginCsv(res, fileName, columns);
  for await (const rows of chunks) await add(rows);
  res.end();
}
