/** Candidates that somebody sets right: their fields change, and with them what follows from those. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { invalid } from "@freehold/kit/errors";
import { sql } from "@freehold/kit/db/statement";
import { candidatesOf, type CandidateRow, type Original } from "../validation/candidates.queries.ts";
import { finished } from "../validation/draft-rows.ts";
import { edited } from "./edit.rules.ts";

/** Sets fields of a candidate; what its row said stays beside it. */
export async function editCandidate(tx: OrgTx, bundleId: string, id: string, changes: Record<string, string | null>): Promise<void> {
  const [row] = await candidatesOf(tx, bundleId, sql`c.id = ${id}`);
  const { data, parseErrors, original } = row!;
  const after = edited(row!.entityType, data, changes);
  const left = parseErrors.filter(({ path }) => !(path in changes));
  await rewrite(tx, bundleId, row!, { data: after, parseErrors: left }, original ?? { data, parseErrors });
}

/** Takes back what was edited, if anything was. */
export async function restoreCandidate(tx: OrgTx, bundleId: string, id: string): Promise<void> {
  const [row] = await candidatesOf(tx, bundleId, sql`c.id = ${id} and c.original is not null`);
  if (row) await rewrite(tx, bundleId, row, row.original!, null);
}

/** Gives a candidate other fields, and with them another id or name where those follow from its fields. */
async function rewrite(tx: OrgTx, bundleId: string, row: CandidateRow, { data, parseErrors }: Original, original: Original | null): Promise<void> {
  const draft = finished(row.entityType, data, row.extra, parseErrors, row.rowNumber);
  const other = await tx.first(sql<{
    rowNumber: number;
  }>`select row_number from import_candidate where organization_id = ${tx.organizationId} and bundle_id = ${bundleId}
    and entity_type = ${row.entityType} and source_id = ${draft.sourceId} and id <> ${row.id} and merged_into_id is distinct from ${row.id} limit 1`);
  if (other && draft.sourceId !== row.sourceId)
    throw invalid([
      {
        path: "data.source_id",
        code: "unique",
        message: `Row ${other.rowNumber} is "${draft.sourceId}" already. Exclude this one, or give it another source_id.`,
      },
    ]);
  await tx.all(sql`update import_candidate set data = ${JSON.stringify(draft.data)}::jsonb, parse_errors = ${JSON.stringify(parseErrors)}::jsonb,
      refs = ${JSON.stringify(draft.refs)}::jsonb, source_id = ${draft.sourceId}, is_derived = ${draft.isDerived}, display_name = ${draft.displayName},
      original = ${original === null ? null : JSON.stringify(original)}::jsonb
    where organization_id = ${tx.organizationId} and id = ${row.id}`);
}
