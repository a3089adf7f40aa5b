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

/** Streams every row of a list, page by page, under the names that the JSON has. */
export async function answerCsv(res: Response, key: string, readPage: (page: number, pageSize: number) => Promise<Row>): Promise<void> {
  let header: string[] | undefined;
  for (let page = 1; ; page++) {
    const answer = await readPage(page, PAGE);
    const rows = answer[key] as Row[];
    if (!header) {
      res.setHeader("Content-Type", "text/csv; charset=utf-8");
      res.setHeader("Content-Disposition", `attachment; filename="${key}.csv"`);
      header = Object.keys(rows[0] ?? {});
      res.write(`\uFEFF${header.join()}\r\n`);
    }
    const columns = header;
    const lines = rows.map((row) => `${columns.map((name) => cell(row[name])).join()}\r\n`).join("");
    if (!res.write(lines)) await new Promise((resolve) => res.once("drain", resolve));
    if (page >= (answer["totalPages"] as number)) break;
  }
  res.end();
}
