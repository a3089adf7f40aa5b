/** Manual edits of candidates and their reversal. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { invalid } from "@freehold/kit/errors";
import { sql } from "@freehold/kit/db/statement";
import { type CandidateRow, findCandidatesWhere, type OriginalRow } from "../validation/candidates.queries.ts";
import { completeDraft } from "../validation/draft-rows.ts";
import { deriveSourceId } from "../validation/entity.rules.ts";
import { hasKey, isRepeatable } from "../validation/source-ids/equal-rows.rules.ts";
import { numberEditedRow } from "../validation/source-ids/number-rows.ts";
import { parseTenancySourceId } from "../validation/tenancies/tenancy-id.rules.ts";
import { applyEdits } from "./edit.rules.ts";

/** Edits fields of a candidate and keeps the original values of its row. */
export async function editCandidate(tx: OrgTx, bundleId: string, id: string, edits: Record<string, string | null>): Promise<void> {
  const [row] = await findCandidatesWhere(tx, bundleId, sql`c.id = ${id}`);
  const { data, parseErrors, original } = row!;
  const edited = applyEdits(row!.entityType, data, edits);
  const remainingErrors = parseErrors.filter(({ path }) => !(path in edits));
  await rewrite(tx, bundleId, row!, { data: edited, parseErrors: remainingErrors }, original ?? { data, parseErrors });
}

/** Restores the original values of an edited candidate. */
export async function revertEdits(tx: OrgTx, bundleId: string, id: string): Promise<void> {
  const [row] = await findCandidatesWhere(tx, bundleId, sql`c.id = ${id} and c.original is not null`);
  if (row) await rewrite(tx, bundleId, row, row.original!, null);
}

/** Replaces the fields of a candidate, and the source id, name and references that derive from them. */
async function rewrite(tx: OrgTx, bundleId: string, row: CandidateRow, { data, parseErrors }: OriginalRow, original: OriginalRow | null): Promise<void> {
  const draft = completeDraft(row.entityType, data, row.extra, parseErrors, {
    firstDay: row.isDerived ? parseTenancySourceId(row.sourceId).firstDay : undefined,
  });
  const isNumbered = draft.isDerived && isRepeatable(row.entityType);
  const sourceId = isNumbered ? await keepNumber(tx, bundleId, row, draft) : draft.sourceId;
  const sameSourceId = await tx.first(sql<{
    rowNumber: number;
  }>`select row_number from import_candidate where organization_id = ${tx.organizationId} and bundle_id = ${bundleId}
    and entity_type = ${row.entityType} and source_id = ${sourceId} and id <> ${row.id} and merged_into_id is distinct from ${row.id} limit 1`);
  if (sameSourceId && sourceId !== row.sourceId && !isNumbered)
    throw invalid([
      {
        path: "data.source_id",
        code: "unique",
        message: `Row ${sameSourceId.rowNumber} already has the source_id "${sourceId}". Exclude this candidate, or give it another source_id.`,
      },
    ]);
  await tx.all(sql`update import_candidate set data = ${JSON.stringify(draft.data)}::jsonb, parse_errors = ${JSON.stringify(parseErrors)}::jsonb,
      refs = ${JSON.stringify(draft.refs)}::jsonb, source_id = ${sourceId}, is_derived = ${draft.isDerived}, display_name = ${draft.displayName},
      original = ${original === null ? null : JSON.stringify(original)}::jsonb
    where organization_id = ${tx.organizationId} and id = ${row.id}`);
}

/** Returns the derived id of an edited row: that of before if its key is the same, and otherwise one of the new key. */
const keepNumber = (
  tx: OrgTx,
  bundleId: string,
  row: CandidateRow,
  { sourceId: key, data }: { sourceId: string; data: OriginalRow["data"] },
): string | Promise<string> =>
  row.isDerived && (hasKey(row.sourceId, key) || deriveSourceId(row.entityType, row.data) === key)
    ? row.sourceId
    : numberEditedRow(tx, bundleId, row, key, data);
