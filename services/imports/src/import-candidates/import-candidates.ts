import type { importBundles } from "@freehold/contract/imports/import-bundles";
import type { Output, QueryOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { getImportBundle } from "../import-bundles/import-bundles.queries.ts";
import { listCandidates } from "./import-candidates.queries.ts";

type Operations = (typeof importBundles)["operations"];

/** Returns a page of candidates with the counts of the whole bundle. */
export async function listImportCandidates(
  db: OrgDb,
  bundleId: string,
  query: QueryOf<Operations["listImportCandidates"]>,
): Promise<Output<Operations["listImportCandidates"]>> {
  const { counts } = await getImportBundle(db, bundleId);
  const { rows, paging } = await listCandidates(db, bundleId, query);
  return { candidates: rows, ...paging, counts };
}
