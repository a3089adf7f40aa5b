/** Leases of tenants who are current although the term of their lease has passed. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { FileWarning } from "../../import-files/file-warnings.rules.ts";

/** Maximum number of rows with a passed term that the warnings of a file name. */
const MAX_ROWS = 20;

/**
 * Gives the leases of a bundle that their rows call active, whose term has passed and whose file has no term types, a term that goes on month to month. A
 * lease of a unit for which the bundle has a later lease, and an edited row, keep their term.
 */
export async function markHoldovers(tx: OrgTx, bundleId: string, day: string): Promise<void> {
  await tx.all(sql`with passed as materialized (select c.id, c.name_key, c.data ->> 'start_date' as start_date from import_candidate c
      join import_file f on f.organization_id = c.organization_id and f.id = c.file_id
      where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundleId} and c.entity_type = 'lease' and c.original is null and c.name_key is not null
        and c.data ->> 'status' = 'active' and c.data ->> 'term_type' = 'fixed' and c.data ->> 'end_date' < ${day}
        and not exists (select from jsonb_each_text(f.mapping) as mapped (header, field) where mapped.field = 'term_type'))
    update import_candidate c set data = c.data || '{"term_type": "fixed_with_rollover"}' from passed where c.organization_id = ${tx.organizationId} and c.id = passed.id
      and not exists (select from import_candidate later where later.organization_id = ${tx.organizationId} and later.bundle_id = ${bundleId}
        and later.entity_type = 'lease' and later.name_key = passed.name_key and later.data ->> 'start_date' > passed.start_date
        and coalesce(later.data ->> 'status', 'active') not in ('draft', 'cancelled') and later.decision is distinct from 'exclude')`);
}

interface PassedTerm {
  fileId: string;
  rowNumber: number;
  endDate: string;
  goesOn: boolean;
  isEnded: boolean;
}

function messageOf({ endDate, goesOn, isEnded }: PassedTerm): string {
  const contradiction = `The status of this lease is active, but its term ended on ${endDate}`;
  if (isEnded) return `${contradiction}, and so did the lease in Freehold, which charges no rent. If the tenant stays, enter the next term in the file.`;
  if (goesOn)
    return `${contradiction}. The lease is imported as a holdover, which is charged month to month. If the tenant has left, correct status and end_date.`;
  return `${contradiction}. The lease is imported as expired, and no rent is charged. If the tenant stays, correct end_date, or set term_type to fixed_with_rollover.`;
}

/** Returns the warnings of a bundle's files about leases that their rows call active although their term has passed. */
export async function findPassedTerms(tx: OrgTx, bundleId: string, day: string): Promise<{ file_id: string; warning: FileWarning }[]> {
  const rows = await tx.all(sql<PassedTerm>`select file_id, row_number, end_date, goes_on, is_ended from (
      select c.file_id, c.row_number, c.data ->> 'end_date' as end_date, c.data ->> 'term_type' = 'fixed_with_rollover' as goes_on,
        coalesce((select m.match -> 'fields' ->> 'status' in ('expired', 'terminated', 'renewed') from jsonb_array_elements(c.matches) m (match)
          where m.match ->> 'entityId' = c.chosen_entity_id::text limit 1), false) as is_ended,
        row_number() over (partition by c.file_id order by c.position)::int as rank
      from import_candidate c where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundleId} and c.entity_type = 'lease'
        and c.data ->> 'status' = 'active' and c.data ->> 'term_type' in ('fixed', 'fixed_with_rollover') and c.data ->> 'end_date' < ${day}
        and c.merged_into_id is null and c.decision is distinct from 'exclude') passed where rank <= ${MAX_ROWS} order by file_id, rank`);
  return rows.map((row) => ({ file_id: row.fileId, warning: { row: row.rowNumber, code: "passed_term", message: messageOf(row) } }));
}
