/** Progress of blasts, published about once a second while it changes. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { Blast } from "./blast.entity.ts";
import { publishBlast } from "./blast-events.ts";
import { readStats } from "./blast.queries.ts";

/** Least time between two counts of the messages of a blast. */
const COUNT_MS = 1_000;
/** Least time after a count that found no change, as while no provider is configured. */
const UNCHANGED_MS = 10_000;

interface Count {
  stats: string;
  nextAt: number;
}

/** Latest counts of the blasts that this process sends, by blast. */
const counts = new Map<string, Count>();

/** Tells whether the messages of a blast are to be counted again. */
export const isProgressDue = (id: string): boolean => performance.now() >= (counts.get(id)?.nextAt ?? 0);

/** Publishes the progress of a blast if it has changed, and returns a function that remembers it, to be called after the commit. */
export async function publishProgress(tx: OrgTx, blast: Blast): Promise<() => void> {
  await tx.flush();
  const stats = await readStats(tx, blast.id);
  const text = JSON.stringify(stats);
  const hasChanged = text !== counts.get(blast.id)?.stats;
  if (hasChanged) await publishBlast(tx, "blast.progress", blast, stats);
  return () => counts.set(blast.id, { stats: text, nextAt: performance.now() + (hasChanged ? COUNT_MS : UNCHANGED_MS) });
}

/** Forgets the progress of a blast that has ended. */
export const forgetProgress = (id: string): void => void counts.delete(id);
