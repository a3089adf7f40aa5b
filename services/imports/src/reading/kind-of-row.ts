/** What a row below the header is: data, or one of the things that reports put between data. */
import { clean } from "../parsing/parsed.ts";
import { normalized } from "../parsing/word.ts";
import type { Row } from "./rows.ts";

export type RowKind = "data" | "blank" | "total" | "heading" | "header";

const TOTAL = /^(?:grand|sub|report|property)?[\s-]*totals?(?:\s*:|\s+(?:for|of)\b.*|\s+\d.*)?$/i;

/** Tells data from blank rows, totals, headings of sections and the header repeated on a new page. */
export function kindOfRow({ cells }: Row, header: readonly string[], hasSections: boolean): RowKind {
  const filled = cells.flatMap((cell, index) => (clean(cell) === "" ? [] : [index]));
  if (filled.length === 0) return "blank";
  const first = clean(cells[filled[0]!]!);
  if (TOTAL.test(first) && filled.slice(1).every((index) => /^[\d\s.,$%()/-]+$/.test(clean(cells[index]!)))) return "total";
  if (filled.length > 1 && filled.every((index) => header[index] !== undefined && normalized(cells[index]!) === normalized(header[index]))) return "header";
  return hasSections && header.length > 2 && filled.length === 1 && filled[0] === 0 ? "heading" : "data";
}
