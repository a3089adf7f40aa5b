/** Automatic allocation of unallocated credit to open charges. The caller checks the policy `autoAllocatePayments`. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { LedgerSettings } from "../../settings/ledger-settings.ts";
import type { Chart } from "../../chart/categories.ts";
import { Payment } from "./payment.entity.ts";
import { lockOpenCharges } from "./payment.queries.ts";
import { allocateOldestFirst, applyAllocations, remainingCents } from "./payment.rules.ts";
import { postAllocations } from "./payments.ts";

/**
 * Allocates the credit of the payments recorded for each lease, oldest payment first, to the open charges of the lease by due
 * date. Charges due on the same day follow the policy `allocationOrder`. Payments without a lease keep their credit.
 */
export async function applyCredit(tx: OrgTx, { timezone, policies }: LedgerSettings, chart: Chart, leaseIds: readonly string[]): Promise<void> {
  const payments = await tx.all(sql<{
    id: string;
  }>`select id from payment where organization_id = ${tx.organizationId} and lease_id = any(${[...leaseIds]}::uuid[])
    and status = 'received' and unallocated_cents > 0 order by received_at, id`);
  const ids = payments.map(({ id }) => id);
  // A payment may have been allocated or reversed before it was locked.
  const allocatable = (await tx.findAllForUpdate(Payment, ids)).filter(({ status, unallocatedCents }) => status === "received" && unallocatedCents > 0);
  for (const payment of allocatable.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))) {
    const payer = { leaseId: payment.leaseId ?? null, tenantId: payment.tenantId };
    const charges = await tx.all(lockOpenCharges(tx, payer.leaseId, payer.tenantId));
    const allocations = allocateOldestFirst(charges, payment.unallocatedCents, policies.allocationOrder);
    if (allocations.length === 0) continue;
    const applied = applyAllocations(allocations, charges, payer);
    await postAllocations(tx, timezone, chart, payment, applied, remainingCents(payment.unallocatedCents, allocations));
  }
}
