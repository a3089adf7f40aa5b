/** Search for the existing record of each row of a bulk import: by id, and by the fields that are unique to a record. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import type { Clients } from "../../clients.ts";
import type { CandidateRow } from "../../validation/candidates.queries.ts";
import { findIdentities, matchCriteriaOf } from "../../validation/find-matches.ts";
import type { Match } from "../../validation/match.rules.ts";
import { BULK_NAMESPACE, type BulkRowType, type BulkSettings } from "../bulk-import.rules.ts";
import { findPortfolioRecords, isMatchedByIdOnly, isUuid, readRecordsById } from "./fetch-records.ts";

/** Returns the matches of rows of one type by row id. Calls other services, so it must not run in a transaction. */
export async function findBulkMatches(
  db: OrgDb,
  clients: Clients,
  bulk: BulkSettings,
  type: ImportEntityType,
  rows: readonly CandidateRow[],
): Promise<Map<string, Match[]>> {
  if (rows.length === 0) return new Map();
  const entityType = type as BulkRowType;
  // Identities of bundles are not used: the same source id may denote another record in another system.
  const sourceIds = rows.map(({ sourceId }) => sourceId);
  const identities = await findIdentities(db, BULK_NAMESPACE, entityType, sourceIds);
  const idCriteria = rows.flatMap(({ id: rowId, sourceId }) => {
    const entityId = identities.get(sourceId)?.entityId ?? (isUuid(sourceId) ? sourceId.toLowerCase() : undefined);
    return entityId === undefined ? [] : [{ key: rowId, id: entityId }];
  });
  if (isMatchedByIdOnly(entityType)) {
    const records = await readRecordsById(
      db,
      clients,
      bulk,
      entityType,
      idCriteria.map(({ id }) => id),
    );
    const matches = idCriteria.flatMap(({ key, id }) => (records.has(id) ? [{ key, match: records.get(id)! }] : []));
    return new Map([...Map.groupBy(matches, ({ key }) => key)].map(([key, group]) => [key, group.map(({ match }) => match)]));
  }
  const fieldCriteria = rows.flatMap((row) => matchCriteriaOf(row, new Map()) ?? []);
  return new Map(await findPortfolioRecords(db, clients, entityType, [...idCriteria, ...fieldCriteria]));
}
