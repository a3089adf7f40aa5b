/** Classification of the rows below the header: data, or the other rows that reports contain. */
import { cleanCell } from "../parsing/parsed.ts";
import { normalizeForMatching } from "../parsing/text.ts";
import type { CsvRow } from "./csv-rows.ts";

export type RowKind = "data" | "blank" | "total" | "remark" | "heading" | "header";

const TOTAL =
  /^(?:(?:grand|sub|report|property|portfolio)?[\s-]*totals?(?:\s*:|\s+(?:for|of|units?|rents?|due|balance)\b.*|\s+-\s.*|\s+\d.*)?|sub-?totals?\b.*|.+\s(?:sub-?)?totals?:?|\d+\s+units?(?:[\s,].*)?|averages?:?|counts?:?|sum:?)$/i;
/** Cell beside a total: a number, or a number of units. */
const FIGURE = /^[\d\s.,$%()/:-]*(?:units?|occupied|vacant|leased)?$/i;
/** Page number, print date or other note of a report. */
const REMARK =
  /^(?:page\s+\d+(?:\s+of\s+\d+)?|(?:printed|generated|exported|created|run)\s+(?:on|at|by)\b.*|as of:?\s.*|[=_*\s-]{2,}|\*+\s*end of report.*|end of report)$/i;

/** Classifies a row. Without `allowHeadings` a section heading is classified as data. */
export function classifyRow({ cells }: CsvRow, header: readonly string[], { allowHeadings }: { allowHeadings: boolean }): RowKind {
  const filled = cells.flatMap((cell, index) => (cleanCell(cell) === "" ? [] : [index]));
  if (filled.length === 0) return "blank";
  const first = cleanCell(cells[filled[0]!]!);
  if (TOTAL.test(first) && filled.slice(1).every((index) => FIGURE.test(cleanCell(cells[index]!)))) return "total";
  if (filled.length === 1 && REMARK.test(first)) return "remark";
  if (filled.length > 1 && filled.every((index) => header[index] !== undefined && normalizeForMatching(cells[index]!) === normalizeForMatching(header[index])))
    return "header";
  return allowHeadings && header.length > 2 && filled.length === 1 && filled[0] === 0 ? "heading" : "data";
}
