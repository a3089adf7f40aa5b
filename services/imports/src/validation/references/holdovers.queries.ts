/** Leases of tenants who are current although the term of their lease has passed. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { addDays } from "@freehold/kit/time/plain-date";
import type { FileWarning } from "../../import-files/file-warnings.rules.ts";
import type { FieldValues } from "../draft.ts";
import { haveSameTenant, type LeaseOfPeople } from "../tenancies/household.rules.ts";

/** Maximum number of rows with a passed term that the warnings of a file name. */
const MAX_ROWS = 20;

interface PassedLease extends LeaseOfPeople {
  id: string;
  /** Term type and last day that the lease had when its row was imported last; null for a new lease. */
  formerTermType: string | null;
  formerEndDate: string | null;
  endDate: string;
  /** Next lease of the unit; null for the last one. */
  next: (LeaseOfPeople & { startDate: string }) | null;
}

/**
 * Gives the leases of a bundle that their rows call active, whose term has passed and whose file has no term types, a term that goes on month to month. A
 * lease keeps its term if the bundle has a later lease of the unit that has begun or is another tenant's, and so does an edited row. A later lease of the
 * same tenant that is still to begin renews the holdover, which goes on until the day before. A lease that was imported as a holdover stays one until the
 * next lease of the unit begins.
 */
export async function markHoldovers(tx: OrgTx, bundle: { id: string; namespace: string }, day: string): Promise<void> {
  const passed = await findPassedLeases(tx, bundle, day);
  const terms = passed.flatMap((lease) => {
    const changed = termOf(lease, day);
    return changed ? [{ id: lease.id, changed }] : [];
  });
  if (terms.length === 0) return;
  await tx.all(sql`update import_candidate c set data = c.data || term.changed
    from jsonb_to_recordset(${JSON.stringify(terms)}::jsonb) as term (id uuid, changed jsonb) where c.organization_id = ${tx.organizationId} and c.id = term.id`);
}

/** Returns the changed term of a lease whose fixed term has passed, or undefined for one that has ended with its term. */
function termOf({ next, formerTermType, formerEndDate, endDate, ...lease }: PassedLease, day: string): FieldValues | undefined {
  const wasHoldover = formerTermType === "fixed_with_rollover";
  if (next === null || (haveSameTenant(next, lease) && (next.startDate > day || wasHoldover))) return { term_type: "fixed_with_rollover" };
  const lastDay = addDays(next.startDate, -1);
  const wasExtended = formerEndDate !== null && formerEndDate > endDate && (next.startDate > day || formerEndDate === lastDay);
  return wasHoldover || wasExtended ? { end_date: lastDay } : undefined;
}

/** Fields of a lease that name its people. */
const people = (lease: RawBuilder<unknown>) =>
  sql`jsonb_strip_nulls(jsonb_build_object('primary_tenant_name', ${lease}.data -> 'primary_tenant_name',
    'primary_tenant_source_id', ${lease}.data -> 'primary_tenant_source_id', 'co_tenants', ${lease}.data -> 'co_tenants'))`;

/** Returns the active leases of a bundle whose fixed term has passed, each with the next lease of its unit. */
const findPassedLeases = (tx: OrgTx, { id: bundleId, namespace }: { id: string; namespace: string }, day: string): Promise<PassedLease[]> =>
  tx.all(sql<PassedLease>`with passed as materialized (select c.id, c.source_id, c.name_key, c.data, c.links -> 'tenant' as tenant from import_candidate c
      join import_file f on f.organization_id = c.organization_id and f.id = c.file_id
      where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundleId} and c.entity_type = 'lease' and c.original is null and c.name_key is not null
        and c.data ->> 'status' = 'active' and c.data ->> 'term_type' = 'fixed' and c.data ->> 'end_date' < ${day}
        and not exists (select from jsonb_each_text(f.mapping) as mapped (header, field) where mapped.field = 'term_type'))
    select passed.id, passed.tenant, passed.data ->> 'end_date' as end_date, ${people(sql`passed`)} as data, next.lease as next,
      former.data ->> 'term_type' as former_term_type, former.data ->> 'end_date' as former_end_date
    from passed left join import_identity former on former.organization_id = ${tx.organizationId} and former.namespace = ${namespace}
      and former.entity_type = 'lease' and former.source_id = passed.source_id and not former.is_deleted
      and former.data ->> 'start_date' = passed.data ->> 'start_date'
    left join lateral (
      select jsonb_build_object('tenant', later.links -> 'tenant', 'data', ${people(sql`later`)}, 'startDate', later.data ->> 'start_date') as lease
      from import_candidate later where later.organization_id = ${tx.organizationId} and later.bundle_id = ${bundleId}
        and later.entity_type = 'lease' and later.name_key = passed.name_key and later.data ->> 'start_date' > passed.data ->> 'start_date'
        and coalesce(later.data ->> 'status', 'active') not in ('draft', 'cancelled') and later.decision is distinct from 'exclude'
      order by later.data ->> 'start_date' limit 1) next on true`);

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
