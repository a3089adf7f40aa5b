/** Credit that tenants already have, applied to what they owe: only where the organization's policy asks for it. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { BookRules } from "../../settings/ledger-settings.ts";
import type { Chart } from "../../chart/categories.ts";
import { Payment } from "./payment.entity.ts";
import { lockOpenCharges } from "./payment.queries.ts";
import { allocateOldestFirst, applyAllocations, unallocated } from "./payment.rules.ts";
import { applyPayment } from "./payments.ts";

/** Applies the unallocated payments of leases, oldest first, to their open charges by the organization's order. */
export async function applyCredit(tx: OrgTx, { timezone, policies }: BookRules, chart: Chart, leaseIds: readonly string[]): Promise<void> {
  const payments = await tx.all(sql<{
    id: string;
  }>`select id from payment where organization_id = ${tx.organizationId} and lease_id = any(${[...leaseIds]}::uuid[])
    and status = 'received' and unallocated_cents > 0 order by received_at, id`);
  const order = payments.map(({ id }) => id);
  // Locked, a payment may turn out to be spent or reversed meanwhile.
  const usable = (await tx.findAllForUpdate(Payment, order)).filter(({ status, unallocatedCents }) => status === "received" && unallocatedCents > 0);
  for (const payment of usable.sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id))) {
    const payer = { leaseId: payment.leaseId ?? null, tenantId: payment.tenantId };
    const charges = await tx.all(lockOpenCharges(tx, payer.leaseId, payer.tenantId));
    const allocations = allocateOldestFirst(charges, payment.unallocatedCents, policies.allocationOrder);
    if (allocations.length === 0) continue;
    const applications = applyAllocations(allocations, charges, payer);
    await applyPayment(tx, timezone, chart, payment, applications, unallocated(payment.unallocatedCents, allocations));
  }
}
