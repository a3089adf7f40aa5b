/** Automatic allocation of unallocated credit to open charges. The caller checks the policy `autoAllocatePayments`. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { LedgerSettings } from "../../settings/ledger-settings.ts";
import type { Chart } from "../../chart/categories.ts";
import { Payment } from "./payment.entity.ts";
import { lockOpenCharges } from "./payment.queries.ts";
import { allocateOldestFirst } from "./payment.rules.ts";
import { postAllocations } from "../allocations/post-allocations.ts";

/**
 * Allocates credit to open charges by due date: of the payments recorded for each lease or another one of its tenancy, and of those without a lease that a
 * tenant of the lease made, oldest payment first. Charges due on the same day follow the policy `allocationOrder`.
 */
export async function applyCredit(tx: OrgTx, { timezone, policies }: LedgerSettings, chart: Chart, leaseIds: readonly string[]): Promise<void> {
  const ofLeases = sql`array(select other.id from lease_copy own join lease_copy other on other.organization_id = own.organization_id and other.tenancy_id = own.tenancy_id
    where own.organization_id = ${tx.organizationId} and own.id = any(${[...leaseIds]}::uuid[]))`;
  const payments = await tx.all(sql<{ id: string }>`select id from payment
    where organization_id = ${tx.organizationId} and status = 'received' and unallocated_cents > 0 and (lease_id = any(${ofLeases}) or (lease_id is null
      and tenant_id = any(array(select unnest(tenant_id || payer_ids) from lease_copy where organization_id = ${tx.organizationId} and id = any(${ofLeases})))))
    order by received_at, id`);
  const ids = payments.map(({ id }) => id);
  // A payment may have been allocated or reversed before it was locked.
  const allocatable = (await tx.findAllForUpdate(Payment, ids)).filter(({ status, unallocatedCents }) => status === "received" && unallocatedCents > 0);
  for (const payment of allocatable.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))) {
    const charges = await tx.all(lockOpenCharges(tx, payment));
    const allocations = allocateOldestFirst(charges, payment.unallocatedCents, policies.allocationOrder);
    await postAllocations(tx, timezone, chart, payment, allocations, charges);
  }
}
