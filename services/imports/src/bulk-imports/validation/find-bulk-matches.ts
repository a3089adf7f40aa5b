/** Which records the rows of a chunk could be already: by their ids, and by what no two records share. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { ImportEntityType } from "@freehold/contract/import-bundles";
import type { Clients } from "../../clients.ts";
import type { CandidateRow } from "../../validation/candidates.queries.ts";
import { findEarlier, soughtOf } from "../../validation/find-matches.ts";
import type { Match } from "../../validation/match.rules.ts";
import { askPortfolio, isKeptById, isUuid, readKept } from "./fetch-records.ts";
import { BULK_NAMESPACE, type Bulk, type RowEntityType } from "../bulk-import.rules.ts";

/** The records that each row could be, by its id. Asked before a transaction. */
export async function findRecords(db: OrgDb, ask: Clients, bulk: Bulk, type: ImportEntityType, rows: readonly CandidateRow[]): Promise<Map<string, Match[]>> {
  if (rows.length === 0) return new Map();
  const entityType = type as RowEntityType;
  // What a bundle of some other system called so may be something else.
  const sourceIds = rows.map(({ sourceId }) => sourceId);
  const given = await findEarlier(db, BULK_NAMESPACE, entityType, sourceIds);
  const own = rows.flatMap(({ id, sourceId }) => {
    const record = given.get(sourceId)?.entityId ?? (isUuid(sourceId) ? sourceId.toLowerCase() : undefined);
    return record === undefined ? [] : [{ key: id, id: record }];
  });
  if (isKeptById(entityType)) {
    const read = await readKept(
      db,
      ask,
      bulk,
      entityType,
      own.map(({ id }) => id),
    );
    const found = own.flatMap(({ key, id }) => (read.has(id) ? [{ key, match: read.get(id)! }] : []));
    return new Map([...Map.groupBy(found, ({ key }) => key)].map(([key, all]) => [key, all.map(({ match }) => match)]));
  }
  const natural = rows.flatMap((row) => soughtOf(row, new Map()) ?? []);
  return new Map(await askPortfolio(db, ask, entityType, [...own, ...natural]));
}
