/** What a row below the header is: data, or one of the things that reports put between data. */
import { clean } from "../parsing/parsed.ts";
import { normalized } from "../parsing/text.ts";
import type { Row } from "./csv-rows.ts";

export type RowKind = "data" | "blank" | "total" | "remark" | "heading" | "header";

const TOTAL =
  /^(?:(?:grand|sub|report|property|portfolio)?[\s-]*totals?(?:\s*:|\s+(?:for|of|units?|rents?|due|balance)\b.*|\s+-\s.*|\s+\d.*)?|sub-?totals?\b.*|.+\s(?:sub-?)?totals?:?|\d+\s+units?(?:[\s,].*)?|averages?:?|counts?:?|sum:?)$/i;
/** What stands beside a total: numbers, and how many units of how many are let. */
const FIGURE = /^[\d\s.,$%()/:-]*(?:units?|occupied|vacant|leased)?$/i;
/** What reports say of themselves at the head or the foot of a page. */
const REMARK =
  /^(?:page\s+\d+(?:\s+of\s+\d+)?|(?:printed|generated|exported|created|run)\s+(?:on|at|by)\b.*|as of:?\s.*|[=_*\s-]{2,}|\*+\s*end of report.*|end of report)$/i;

/** Tells data from blank rows, totals, remarks, headings of sections and the header repeated on a new page. */
export function kindOfRow({ cells }: Row, header: readonly string[], hasSections: boolean): RowKind {
  const filled = cells.flatMap((cell, index) => (clean(cell) === "" ? [] : [index]));
  if (filled.length === 0) return "blank";
  const first = clean(cells[filled[0]!]!);
  if (TOTAL.test(first) && filled.slice(1).every((index) => FIGURE.test(clean(cells[index]!)))) return "total";
  if (filled.length === 1 && REMARK.test(first)) return "remark";
  if (filled.length > 1 && filled.every((index) => header[index] !== undefined && normalized(cells[index]!) === normalized(header[index]))) return "header";
  return hasSections && header.length > 2 && filled.length === 1 && filled[0] === 0 ? "heading" : "data";
}
