import type { importBundles } from "@freehold/contract/import-bundles";
import type { Output, QueryOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { findBundle } from "../import-bundles/import-bundles.queries.ts";
import { pageOfCandidates } from "./import-candidates.queries.ts";

type Operations = (typeof importBundles)["operations"];

/** What the rows of a bundle would become. */
export async function listImportCandidates(
  db: OrgDb,
  bundleId: string,
  query: QueryOf<Operations["listImportCandidates"]>,
): Promise<Output<Operations["listImportCandidates"]>> {
  const { counts } = await findBundle(db, bundleId);
  const { rows, paging } = await pageOfCandidates(db, bundleId, query);
  return { candidates: rows, ...paging, counts };
}
