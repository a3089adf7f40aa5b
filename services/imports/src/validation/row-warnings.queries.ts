import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { FileWarning } from "../import-files/file-warnings.rules.ts";
import { repeatableTypes } from "./source-ids/equal-rows.rules.ts";
import { findPassedTerms } from "./references/holdovers.queries.ts";

/** Maximum number of rows that the warnings of one kind name in a file. */
const MAX_ROWS = 20;

interface EqualRowOfFile {
  fileId: string;
  rowNumber: number;
  entityType: string;
  keptRowNumber: number;
  keptFileName: string;
}

/** Returns the warnings about rows without ids that equal a row of another file, so that only one of the two is imported. */
async function findEqualRowsOfFiles(tx: OrgTx, bundleId: string): Promise<{ file_id: string; warning: FileWarning }[]> {
  const rows = await tx.all(sql<EqualRowOfFile>`select file_id, row_number, entity_type, kept_row_number, f.file_name as kept_file_name from (
      select c.file_id, c.row_number, c.entity_type, kept.row_number as kept_row_number, kept.file_id as kept_file_id,
        row_number() over (partition by c.file_id order by c.position)::int as rank
      from import_candidate c join import_candidate kept on kept.organization_id = c.organization_id and kept.id = c.merged_into_id
      where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundleId} and c.merged_into_id is not null and c.is_derived
        and c.entity_type = any(${[...repeatableTypes]}) and kept.file_id <> c.file_id and c.decision is distinct from 'exclude' and kept.decision is distinct from 'exclude') equal
      join import_file f on f.organization_id = ${tx.organizationId} and f.id = equal.kept_file_id where rank <= ${MAX_ROWS} order by file_id, rank`);
  return rows.map(({ fileId, rowNumber, entityType, keptRowNumber, keptFileName }) => {
    const name = entityType.replaceAll("_", " ");
    const message = `This ${name} equals row ${keptRowNumber} of ${keptFileName} and counts as one record. If there were two, give each row an id of its own.`;
    return { file_id: fileId, warning: { row: rowNumber, code: "equal_row", message } };
  });
}

/**
 * Replaces the warnings of a bundle's files about balances of a day after today, about active leases whose term has passed, and about rows that equal one of
 * another file.
 */
export async function warnOfRows(tx: OrgTx, bundleId: string, today: string): Promise<void> {
  const rows = await tx.all(sql<{ fileId: string; rowNumber: number; date: string; rank: number }>`select * from (
      select file_id, row_number, data ->> 'as_of' as date, row_number() over (partition by file_id order by position)::int as rank
      from import_candidate where organization_id = ${tx.organizationId} and bundle_id = ${bundleId} and entity_type = 'opening_balance'
        and data ->> 'as_of' > ${today} and merged_into_id is null) future where rank <= ${MAX_ROWS} order by file_id, rank`);
  const future = rows.map(({ fileId, rowNumber, date }) => ({
    file_id: fileId,
    warning: {
      row: rowNumber,
      code: "future_as_of",
      message: `as_of is ${date}, a day in the future. The balance would be due from that day on; correct the date if it is wrong.`,
    } satisfies FileWarning,
  }));
  const warnings = [...future, ...(await findPassedTerms(tx, bundleId, today)), ...(await findEqualRowsOfFiles(tx, bundleId))];
  await tx.all(sql`update import_file f set warnings = jsonb_path_query_array(f.warnings, '$[*] ? (!exists(@.code))') ||
      coalesce((select jsonb_agg(w.warning) from jsonb_to_recordset(${JSON.stringify(warnings)}::jsonb) as w (file_id uuid, warning jsonb) where w.file_id = f.id), '[]')
    where f.organization_id = ${tx.organizationId} and f.bundle_id = ${bundleId}
      and (jsonb_path_exists(f.warnings, '$[*].code') or f.id = any(${[...new Set(warnings.map((each) => each.file_id))]}::uuid[]))`);
}
