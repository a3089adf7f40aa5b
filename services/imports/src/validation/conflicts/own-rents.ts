/** Changed rows of the rent that a lease charges by itself: it changes with the row of the lease. */
import type { FieldError } from "@freehold/contract/errors";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { CandidateRow } from "../candidates.queries.ts";
import type { FieldValues } from "../draft.ts";
import type { KnownIdentity } from "../find-matches.ts";
import { ownRentError } from "./own-rents.rules.ts";

/** Returns the error of each row, by id, that changes the rent of its lease alone. `identityOf` are the records of earlier imports. */
export async function findOwnRentChanges(
  tx: OrgTx,
  namespace: string,
  rows: readonly CandidateRow[],
  identityOf: (row: CandidateRow) => KnownIdentity | undefined,
): Promise<Map<string, FieldError>> {
  const rents = rows.flatMap((row) => {
    const identity = identityOf(row);
    const { lease } = row.links;
    return row.entityType === "recurring_charge" && row.data["kind"] === "rent" && row.decision === null && identity && lease ? [{ row, identity, lease }] : [];
  });
  if (rents.length === 0) return new Map();
  const candidateIds = rents.flatMap(({ lease }) => ("candidateId" in lease ? [lease.candidateId] : []));
  const entityIds = rents.flatMap(({ lease }) => ("entityId" in lease ? [lease.entityId] : []));
  const leases = await tx.all(sql<{ id: string; current: FieldValues; imported: FieldValues }>`select c.id, c.data as current, i.data as imported
      from import_candidate c join import_identity i on i.organization_id = c.organization_id and i.namespace = ${namespace} and i.entity_type = 'lease'
        and i.source_id = c.source_id and not i.is_deleted
      where c.organization_id = ${tx.organizationId} and c.id = any(${candidateIds}::uuid[])
    union all select i.entity_id, i.data, i.data from import_identity i
      where i.organization_id = ${tx.organizationId} and i.namespace = ${namespace} and i.entity_type = 'lease' and i.entity_id = any(${entityIds}::uuid[])`);
  const byId = new Map(leases.map((lease) => [lease.id, lease]));
  return new Map(
    rents.flatMap(({ row, identity, lease: link }): [string, FieldError][] => {
      const lease = byId.get("candidateId" in link ? link.candidateId : link.entityId);
      const error = lease && ownRentError(row.data, identity.data, lease);
      return error ? [[row.id, error]] : [];
    }),
  );
}
