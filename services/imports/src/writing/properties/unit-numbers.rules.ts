/** Order in which units are written: each after those whose numbers it takes. */
import type { ReadyCandidate } from "../writing.queries.ts";

type Row = Pick<ReadyCandidate, "data" | "changes" | "linkedIds">;

const keyOf = ({ linkedIds }: Row, number: string | null | undefined): string | undefined =>
  number === null || number === undefined ? undefined : `${linkedIds["property"]} ${number.toLowerCase()}`;

/** Returns the number that a unit has until its row is written, if the row gives it another one. */
const formerKey = (row: Row): string | undefined => keyOf(row, row.changes.find(({ field }) => field === "unit_number")?.from);

/** Divides units into groups: none takes the number of a unit of its own or a later group. Units that exchange their numbers are the last group. */
export function inOrderOfNumbers<R extends Row>(rows: readonly R[]): R[][] {
  const groups: R[][] = [];
  let remaining = [...rows];
  while (remaining.length > 0) {
    const taken = new Map(remaining.flatMap((row) => [[formerKey(row), row] as const]).filter(([key]) => key !== undefined));
    const isFree = (row: R) => (taken.get(keyOf(row, row.data["unit_number"])) ?? row) === row;
    const free = remaining.filter(isFree);
    groups.push(free.length > 0 ? free : remaining);
    remaining = free.length > 0 ? remaining.filter((row) => !isFree(row)) : [];
  }
  return groups;
}
