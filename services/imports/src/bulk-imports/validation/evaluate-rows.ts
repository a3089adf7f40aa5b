import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { CandidateRow } from "../../validation/candidates.queries.ts";
import { findEarlier } from "../../validation/find-matches.ts";
import { judgeCandidates } from "../../validation/evaluate-candidates.ts";
import type { Match } from "../../validation/match.rules.ts";
import { BULK_NAMESPACE, type Bulk } from "../bulk-import.rules.ts";
import { forgetIds } from "./identities.queries.ts";
import { judgeRow } from "./row.rules.ts";

/** Judges the rows of a chunk against the records that they could be. Ids whose records are not there any more are free again. */
export async function judgeBulkRows(
  tx: OrgTx,
  bundle: { id: string; namespace: string },
  { mode }: Bulk,
  rows: readonly CandidateRow[],
  found: ReadonlyMap<string, Match[]> = new Map(),
): Promise<void> {
  if (rows.length === 0) return;
  const { entityType } = rows[0]!;
  const earlier = await findEarlier(
    tx,
    BULK_NAMESPACE,
    entityType,
    rows.map(({ sourceId }) => sourceId),
  );
  const gone = rows.flatMap(({ id, sourceId }) => {
    const known = earlier.get(sourceId);
    return known && !found.get(id)?.some(({ entityId }) => entityId === known.entityId) ? [sourceId] : [];
  });
  if (gone.length > 0) await forgetIds(tx, entityType, gone);
  await judgeCandidates(tx, bundle, rows, found, (row, matches, known) =>
    judgeRow(mode, { entityType, data: row.data, belongsTo: recordsIn(row), earlier: known }, matches),
  );
}

const recordsIn = ({ links }: CandidateRow): Record<string, string> =>
  Object.fromEntries(Object.entries(links).flatMap(([name, link]) => ("entityId" in link ? [[name, link.entityId]] : [])));
