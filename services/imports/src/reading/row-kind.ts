/** Classification of the rows below the header: data, or one of the other kinds of rows that reports contain. */
import { cleanCell } from "../parsing/parsed.ts";
import { normalizeForMatching } from "../parsing/text.ts";
import type { CsvRow } from "./csv-rows.ts";

export type RowKind = "data" | "blank" | "total" | "remark" | "heading" | "header";

const TOTAL =
  /^(?:(?:grand|sub|report|property|portfolio)?[\s-]*totals?(?:\s*:|\s+(?:for|of|units?|rents?|due|balance)\b.*|\s+(?:tenants?|leases?|properties|owners?|vendors?|occupants?)(?:\s*:.*)?|\s+-\s.*|\s+\d.*)?|sub-?totals?\b.*|.+\s(?:sub-?)?totals?:?|\d+\s+units?(?:[\s,].*)?|averages?:?|counts?:?|sum:?)$/i;
/**
 * Cell beside the label of a total: an amount, a percentage, a date or a count, optionally followed by units, occupied, vacant or
 * leased; or one of these words alone.
 */
const TOTAL_VALUE = /^[\d\s.,$%()/:-]*(?:units?|occupied|vacant|leased)?$/i;
/** Page number, print date, horizontal rule or end mark of a report. */
const REMARK =
  /^(?:page\s+\d+(?:\s+of\s+\d+)?|(?:printed|generated|exported|created|run)\s+(?:on|at|by)\b.*|as of:?\s.*|[=_*\s-]{2,}|\*+\s*end of report.*|end of report)$/i;

/**
 * Classifies a row. A heading is a row with only its first cell filled, in a file with more than two columns; without
 * `allowHeadings` it is classified as data.
 */
export function classifyRow({ cells }: CsvRow, header: readonly string[], { allowHeadings }: { allowHeadings: boolean }): RowKind {
  const filledIndexes = cells.flatMap((cell, index) => (cleanCell(cell) === "" ? [] : [index]));
  if (filledIndexes.length === 0) return "blank";
  const first = cleanCell(cells[filledIndexes[0]!]!);
  if (TOTAL.test(first) && filledIndexes.slice(1).every((index) => TOTAL_VALUE.test(cleanCell(cells[index]!)))) return "total";
  if (filledIndexes.length === 1 && REMARK.test(first)) return "remark";
  const repeatsHeader = (index: number) => header[index] !== undefined && normalizeForMatching(cells[index]!) === normalizeForMatching(header[index]);
  if (filledIndexes.length > 1 && filledIndexes.every(repeatsHeader)) return "header";
  return allowHeadings && header.length > 2 && filledIndexes.length === 1 && filledIndexes[0] === 0 ? "heading" : "data";
}
