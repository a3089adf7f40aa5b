/** Batch writer for operations of the same kind in one commit: one statement for all of them instead of one for each. */
import type { OrgTx } from "../org-tx.ts";

/** Writes several inputs in as few statements as possible. The results, in input order, equal those of sequential writes. */
export type BatchWriter<Input, Result> = (tx: OrgTx, inputs: readonly Input[]) => Promise<readonly Result[]>;

/** A write that can share a batch with others of the same writer. */
export interface BatchWrite {
  write: BatchWriter<unknown, unknown>;
  input: unknown;
}

/** Groups adjacent units of the same writer; every other unit is a group of its own. */
export function groupAdjacentBatches<U extends { batch?: BatchWrite | undefined }>(units: readonly U[]): [U, ...U[]][] {
  const groups: [U, ...U[]][] = [];
  for (const unit of units) {
    const last = groups.at(-1);
    if (last && unit.batch && unit.batch.write === last[0].batch?.write) last.push(unit);
    else groups.push([unit]);
  }
  return groups;
}

/** Writes the inputs one after the other, for those that depend on the effects of the earlier ones. */
export async function writeSequentially<Input, Result>(tx: OrgTx, inputs: readonly Input[], write: BatchWriter<Input, Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (const input of inputs) results.push(...(await write(tx, [input])));
  return results;
}
