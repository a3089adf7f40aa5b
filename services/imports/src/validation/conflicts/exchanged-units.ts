/** Leases that move into a unit which another lease leaves in the same bundle: one lease is changed after the other, so the unit is not free yet. */
import type { FieldError } from "@freehold/contract/errors";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { holdsOverlap } from "../references/lease-state.rules.ts";
import { type LeaseCandidate, leaseAfterImport, stateBeforeImport } from "./lease-after-import.rules.ts";

interface MovedLease extends LeaseCandidate {
  id: string;
  rowNumber: number;
  /** Record of the unit to which the row moves the lease; null for a new unit. */
  unitId: string | null;
}

/** Returns an error for each of these leases, by id, that moves into a unit on days on which another moved lease of the bundle has held it. */
export async function findExchangedUnits(tx: OrgTx, bundleId: string, ids: readonly string[], day: string): Promise<Map<string, FieldError>> {
  const moved = await tx.all(sql<MovedLease>`select c.id, c.row_number, c.data, c.verdict, c.decision, c.errors <> '[]' as has_errors, c.changes,
      (select m.match -> 'fields' from jsonb_array_elements(c.matches) m (match) where m.match ->> 'entityId' = c.chosen_entity_id::text limit 1) as record,
      coalesce((c.links -> 'unit' ->> 'entityId')::uuid, (select u.chosen_entity_id from import_candidate u
        where u.organization_id = c.organization_id and u.id = (c.links -> 'unit' ->> 'candidateId')::uuid)) as unit_id
    from import_candidate c where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundleId} and c.entity_type = 'lease' and c.verdict = 'ready_update'
      and c.merged_into_id is null and c.changes @? '$[*] ? (@.field == "unit_source_id" || @.field == "unit_number")'`);
  const isLeaving = ({ record, unitId }: MovedLease) => record !== null && record["unit"] !== unitId;
  return new Map(
    moved.flatMap((lease): [string, FieldError][] => {
      const state = ids.includes(lease.id) && isLeaving(lease) ? leaseAfterImport(lease) : undefined;
      const other =
        state &&
        moved.find((each) => {
          const before = each.id !== lease.id && isLeaving(each) && each.record!["unit"] === lease.unitId ? stateBeforeImport(each) : undefined;
          return before !== undefined && holdsOverlap(before, state, day);
        });
      return other ? [[lease.id, exchangeError(lease.changes, other.rowNumber)]] : [];
    }),
  );
}

const exchangeError = (changes: LeaseCandidate["changes"], rowNumber: number): FieldError => ({
  path: changes.find(({ field }) => field === "unit_source_id" || field === "unit_number")!.field,
  code: "overlap",
  message:
    `The lease of row ${rowNumber} leaves this unit in the same import, and holds it until its row is written. Exclude this row, import the other one, ` +
    "and import this row after it; two leases that exchange their units move through a third unit or in Freehold.",
});
