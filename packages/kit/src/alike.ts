/** Units of work of one commit that do the same: what takes a statement for each of them takes one for all. */
import type { OrgTx } from "./db.ts";

/** Writes what several requests ask for, in as few statements as it takes, and answers in their order: as if one had come after the other. */
export type Writing<A, T> = (tx: OrgTx, asked: readonly A[]) => Promise<readonly T[]>;

/** What a unit of work has in common with others, and what it asks for by itself. */
export interface Alike {
  write: Writing<unknown, unknown>;
  terms: unknown;
}

/** Those that stand one after the other and are written alike, together; any other one by itself. */
export function runsOf<U extends { alike?: Alike | undefined }>(units: readonly U[]): [U, ...U[]][] {
  const runs: [U, ...U[]][] = [];
  for (const unit of units) {
    const last = runs.at(-1);
    if (last && unit.alike && unit.alike.write === last[0].alike?.write) last.push(unit);
    else runs.push([unit]);
  }
  return runs;
}

/** Writes what is asked for one after the other, where each has to see what those before it have done. */
export async function eachByItself<A, T>(tx: OrgTx, asked: readonly A[], write: Writing<A, T>): Promise<T[]> {
  const answers: T[] = [];
  for (const one of asked) answers.push(...(await write(tx, [one])));
  return answers;
}
