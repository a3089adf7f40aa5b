import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { CandidateRow } from "../../validation/candidates.queries.ts";
import { evaluateCandidates } from "../../validation/evaluate-candidates.ts";
import { findIdentities } from "../../validation/find-matches.ts";
import type { Match } from "../../validation/match.rules.ts";
import { BULK_NAMESPACE, type BulkSettings } from "../bulk-import.rules.ts";
import { markIdentitiesDeleted } from "./identities.queries.ts";
import { evaluateRow } from "./row.rules.ts";

/** Evaluates rows of one type against their matches. Marks identities whose records no longer exist as deleted, so that the rows can create records again. */
export async function evaluateBulkRows(
  tx: OrgTx,
  bundle: { id: string; namespace: string },
  { mode }: BulkSettings,
  rows: readonly CandidateRow[],
  matches: ReadonlyMap<string, Match[]> = new Map(),
): Promise<string[]> {
  if (rows.length === 0) return [];
  const { entityType } = rows[0]!;
  const identities = await findIdentities(
    tx,
    BULK_NAMESPACE,
    entityType,
    rows.map(({ sourceId }) => sourceId),
  );
  const obsoleteSourceIds = rows.flatMap(({ id, sourceId }) => {
    const identity = identities.get(sourceId);
    return identity && !matches.get(id)?.some(({ entityId }) => entityId === identity.entityId) ? [sourceId] : [];
  });
  if (obsoleteSourceIds.length > 0) await markIdentitiesDeleted(tx, entityType, obsoleteSourceIds);
  return evaluateCandidates(tx, bundle, rows, matches, (row, rowMatches, identity) =>
    evaluateRow(mode, { entityType, data: row.data, referencedIds: referencedIdsOf(row), identity }, rowMatches),
  );
}

const referencedIdsOf = ({ links }: CandidateRow): Record<string, string> =>
  Object.fromEntries(Object.entries(links).flatMap(([name, link]) => ("entityId" in link ? [[name, link.entityId]] : [])));
