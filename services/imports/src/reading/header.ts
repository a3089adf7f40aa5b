/** Detection of the header row below the titles and dates of a report. */
import { normalizeForMatching } from "../parsing/text.ts";
import type { CsvRow } from "./csv-rows.ts";
import { UnreadableFileError } from "./unreadable-file.ts";

/** Number of rows among which the header is searched. */
export const HEADER_SEARCH_ROWS = 25;
const MAX_COLUMNS = 500;
const MAX_NAME_LENGTH = 200;

const countFilled = ({ cells }: CsvRow): number => cells.filter((cell) => cell.trim() !== "").length;

/**
 * Returns the row with the most known column names, if it has at least two, or one and as many filled cells as any row.
 * Otherwise returns the first row with at least 80 % of the filled cells of the widest row.
 */
export function detectHeader(rows: readonly CsvRow[], isColumnName: (name: string) => boolean): CsvRow {
  const scored = rows.map((row) => ({ row, knownCount: new Set(row.cells.map(normalizeForMatching).filter(isColumnName)).size, width: countFilled(row) }));
  const best = scored.reduce((left, right) => (right.knownCount > left.knownCount ? right : left), scored[0] ?? failWithoutHeader());
  if (best.knownCount >= 2) return best.row;
  const widest = Math.max(...scored.map(({ width }) => width));
  if (widest === 0) return failWithoutHeader();
  return (best.knownCount === 1 && best.width === widest ? best : scored.find(({ width }) => width >= Math.max(1, 0.8 * widest))!).row;
}

function failWithoutHeader(): never {
  throw new UnreadableFileError("The file has no row with the names of its columns.");
}

/** Returns unique column names: repeated names are numbered, empty ones are named by their position. */
export function uniqueColumnNames({ cells, number }: CsvRow): string[] {
  const lastIndex = cells.findLastIndex((cell) => cell.trim() !== "");
  if (lastIndex + 1 > MAX_COLUMNS) throw new UnreadableFileError(`There are ${lastIndex + 1} columns. At most ${MAX_COLUMNS} are supported.`, number);
  const used = new Set<string>();
  return cells.slice(0, lastIndex + 1).map((cell, index) => {
    // PostgreSQL stores no NUL characters.
    const text = cell.replaceAll("\0", "").replaceAll(/\s+/g, " ").trim();
    if (text.length > MAX_NAME_LENGTH) throw new UnreadableFileError(`The name of column ${index + 1} is longer than ${MAX_NAME_LENGTH} characters.`, number);
    const base = text || `Column ${index + 1}`;
    let name = base;
    for (let count = 2; used.has(name.toLowerCase()); count++) name = `${base} (${count})`;
    used.add(name.toLowerCase());
    return name;
  });
}
