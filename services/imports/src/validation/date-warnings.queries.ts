import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { FileWarning } from "../import-files/file-warnings.rules.ts";
import { findPassedTerms } from "./references/holdovers.queries.ts";

/** Maximum number of rows with a date in the future that the warnings of a file name. */
const MAX_ROWS = 20;

/** Replaces the warnings of a bundle's files about balances of a day after today, and about active leases whose term has passed. */
export async function warnOfDates(tx: OrgTx, bundleId: string, today: string): Promise<void> {
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
  const warnings = [...future, ...(await findPassedTerms(tx, bundleId, today))];
  await tx.all(sql`update import_file f set warnings = jsonb_path_query_array(f.warnings, '$[*] ? (!exists(@.code))') ||
      coalesce((select jsonb_agg(w.warning) from jsonb_to_recordset(${JSON.stringify(warnings)}::jsonb) as w (file_id uuid, warning jsonb) where w.file_id = f.id), '[]')
    where f.organization_id = ${tx.organizationId} and f.bundle_id = ${bundleId}
      and (jsonb_path_exists(f.warnings, '$[*].code') or f.id = any(${[...new Set(warnings.map((each) => each.file_id))]}::uuid[]))`);
}
