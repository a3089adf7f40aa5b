/** The row that names the columns: reports put titles and dates above it. */
import { normalized } from "../parsing/text.ts";
import type { Row } from "./csv-rows.ts";
import { Unreadable } from "./unreadable-file.ts";

/** So far down a header is looked for. */
export const HEADER_WITHIN = 25;
const COLUMNS_AT_MOST = 500;
const NAME_AT_MOST = 200;

const filled = ({ cells }: Row): number => cells.filter((cell) => cell.trim() !== "").length;

/** The row with the most names that are known; where none has two, the first that is as wide as the widest. */
export function findHeader(rows: readonly Row[], isKnown: (name: string) => boolean): Row {
  const scored = rows.map((row) => ({ row, known: new Set(row.cells.map(normalized).filter(isKnown)).size, width: filled(row) }));
  const best = scored.reduce((one, other) => (other.known > one.known ? other : one), scored[0] ?? nothing());
  if (best.known >= 2) return best.row;
  const widest = Math.max(...scored.map(({ width }) => width));
  if (widest === 0) return nothing();
  return (best.known === 1 && best.width === widest ? best : scored.find(({ width }) => width >= Math.max(1, 0.8 * widest))!).row;
}

function nothing(): never {
  throw new Unreadable("The file has no row with the names of its columns.");
}

/** The names of the columns, each once: one that stands twice is numbered, and one that is empty bears its place. */
export function columnNames({ cells, number }: Row): string[] {
  const last = cells.findLastIndex((cell) => cell.trim() !== "");
  if (last + 1 > COLUMNS_AT_MOST) throw new Unreadable(`There are ${last + 1} columns. At most ${COLUMNS_AT_MOST} are read.`, number);
  const taken = new Set<string>();
  return cells.slice(0, last + 1).map((cell, index) => {
    const given = cell.replaceAll(/\s+/g, " ").trim();
    if (given.length > NAME_AT_MOST) throw new Unreadable(`The name of column ${index + 1} is longer than ${NAME_AT_MOST} characters.`, number);
    const base = given || `Column ${index + 1}`;
    let name = base;
    for (let time = 2; taken.has(name.toLowerCase()); time++) name = `${base} (${time})`;
    taken.add(name.toLowerCase());
    return name;
  });
}
