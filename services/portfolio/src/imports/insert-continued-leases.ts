/** Insertion of imported leases, of which those that continue a tenancy renew the lease before them. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { insertLeases, type NewLease } from "../leases/insert-leases.ts";
import { Lease } from "../leases/lease.entity.ts";
import { activate } from "../leases/lifecycle/activate-lease.ts";

export interface ImportedLease extends NewLease {
  /** Tenants of other leases of the unit with the same people in another order. */
  continuedTenantIds: readonly string[];
  /** Leases with the same people in another order. */
  continuedLeaseIds: readonly string[];
}

/**
 * Inserts leases like `insertLeases` and returns their ids. An activated lease of a tenant, or of a couple in another order, whose lease of the unit ends on the day before, or goes on month
 * to month, is the renewal of that lease, with which the deposit and the credit go.
 */
export async function insertContinuedLeases(tx: OrgTx, newLeases: readonly ImportedLease[]): Promise<string[]> {
  const inOrder = newLeases.toSorted((one, other) => (one.input.startDate < other.input.startDate ? -1 : 1));
  const units = new Set<string>();
  const first = inOrder.filter(({ input: { unitId } }) => !units.has(unitId) && units.add(unitId));
  const predecessors = await findPredecessors(tx, first);
  const unrelated = first.filter((lease) => !predecessors.has(lease));
  const inserted = await insertLeases(tx, unrelated);
  const ids = new Map(unrelated.map((lease, index) => [lease, inserted[index]!]));
  for (const lease of inOrder) {
    if (ids.has(lease)) continue;
    const predecessorId = (await findPredecessors(tx, [lease])).get(lease);
    ids.set(lease, predecessorId ? await insertRenewal(tx, lease, predecessorId) : (await insertLeases(tx, [lease]))[0]!);
  }
  return newLeases.map((lease) => ids.get(lease)!);
}

/** Returns the ids of the leases that these continue: active or expired, of the same unit and people, and without another renewal. */
async function findPredecessors(tx: OrgTx, newLeases: readonly ImportedLease[]): Promise<Map<ImportedLease, string>> {
  const terms = newLeases.map(({ input: { unitId, tenantId, startDate, activate: isActivated }, continuedTenantIds, continuedLeaseIds }, place) => ({
    place,
    unitId,
    tenantIds: [tenantId, ...continuedTenantIds],
    leaseIds: continuedLeaseIds,
    startDate,
    isActivated,
  }));
  const rows = await tx.all(sql<{ place: number; id: string }>`select input.place, l.id
    from jsonb_to_recordset(${JSON.stringify(terms)}::jsonb) as input (place int, "unitId" uuid, "tenantIds" uuid[], "leaseIds" uuid[], "startDate" date, "isActivated" boolean)
    cross join lateral (select * from lease where organization_id = ${tx.organizationId} and unit_id = input."unitId" and deleted_at is null
      and status not in ('draft', 'cancelled') and start_date < input."startDate" order by start_date desc limit 1) l
    where input."isActivated" and (l.tenant_id = any(input."tenantIds") or l.id = any(input."leaseIds")) and l.status in ('active', 'expired') and l.renewed_to_lease_id is null
      and case when l.status = 'active' and l.term_type = 'month_to_month' then true else l.end_date = input."startDate" - 1 end`);
  return new Map(rows.map(({ place, id }) => [newLeases[place]!, id]));
}

/** Inserts the renewal of a lease as a draft and activates it, by which it takes over from the lease before. */
async function insertRenewal(tx: OrgTx, { input, occupants }: NewLease, predecessorId: string): Promise<string> {
  const predecessor = await tx.getForUpdate(Lease, predecessorId, "Lease", { deletedAt: null });
  const terms = { ...input, ...billingOf(input, predecessor), activate: false };
  const [id] = await insertLeases(tx, [{ input: terms, occupants, renewedFromLeaseId: predecessorId }]);
  predecessor.renewedToLeaseId = id!;
  await activate(tx, [await tx.getForUpdate(Lease, id!, "Lease")]);
  await tx.flush();
  return id!;
}

/** Returns the first day that a renewal bills. Freehold has billed a lease that goes on month to month, and stops on the first day of the renewal. */
function billingOf(
  { startDate }: NewLease["input"],
  { status, termType, billFrom }: Lease,
): Pick<NewLease["input"], "billFrom" | "prorateFirstMonth"> | undefined {
  if (status !== "active" || termType !== "month_to_month") return undefined;
  const isBilledLater = typeof billFrom === "string" && billFrom > startDate;
  return { billFrom: isBilledLater ? billFrom : startDate, prorateFirstMonth: !isBilledLater };
}
