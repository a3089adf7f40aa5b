/** Money of superseded charges: it settles the charges that are posted for the same month instead, at once or later. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { Chart } from "../../chart/categories.ts";
import { leasesOfTenancies } from "../../projections/tenancy.queries.ts";
import type { ChargeRow } from "../charges/charge.view.ts";
import { joinReplacingCharges } from "../recurring-charges/replacing-charges.queries.ts";
import { Payment } from "../payments/payment.entity.ts";
import { lockCharges } from "../payments/payment.queries.ts";
import { postAllocations } from "./post-allocations.ts";

/** Selects the ids of the payments whose money is carried from superseded charges of the tenancies of leases. */
export const selectCarriedPayments = (db: StatementRunner, leaseIds: readonly string[]): RawBuilder<{ id: string }> => sql<{ id: string }>`
  select p.id from payment_allocation a join payment p on p.organization_id = a.organization_id and p.id = a.payment_id
    join charge s on s.organization_id = a.organization_id and s.id = a.charge_id and s.lease_id = any(${leasesOfTenancies(db, leaseIds)})
  where a.organization_id = ${db.organizationId} and a.carryable_cents > 0 and p.unallocated_cents > 0`;

/** Locks the payments whose money is carried to charges of recurring charges, for a caller that has not locked any charge or period yet. */
export async function lockCarriedPayments(tx: OrgTx, leaseIds: readonly string[]): Promise<void> {
  if (leaseIds.length === 0) return;
  const rows = await tx.all(selectCarriedPayments(tx, leaseIds));
  if (rows.length > 0) await tx.findAllForUpdate(Payment, [...new Set(rows.map(({ id }) => id))]);
}

/**
 * Allocates money that had settled superseded charges to the posted charges that replace them, oldest first, up to the amount of each
 * payment that is still unallocated, in the order of the receipts. The rest stays credit of the payment. Money that settled a charge also
 * settles its replacement, even if the payer is no longer on the lease.
 */
export async function carryPayments(
  tx: OrgTx,
  timezone: string,
  chart: Chart,
  posted: readonly Pick<ChargeRow, "id" | "recurringChargeRuleId">[],
): Promise<void> {
  const ids = posted.flatMap(({ id, recurringChargeRuleId }) => (recurringChargeRuleId ? [id] : []));
  if (ids.length === 0) return;
  const pairs = await tx.all(sql<{ chargeId: string; allocationId: string; paymentId: string; carryableCents: number }>`
    select c.id as charge_id, a.id as allocation_id, p.id as payment_id, a.carryable_cents from payment_allocation a
      join payment p on p.organization_id = a.organization_id and p.id = a.payment_id and p.status <> 'reversed' and p.unallocated_cents > 0
      join charge s on s.organization_id = a.organization_id and s.id = a.charge_id and s.is_superseded ${joinReplacingCharges(tx, ids)}
    where a.organization_id = ${tx.organizationId} and a.carryable_cents > 0 order by c.period_start, c.id, p.received_at, p.id, a.id`);
  const carryable = new Map(pairs.map(({ allocationId, carryableCents }) => [allocationId, carryableCents]));
  for (const { chargeId, allocationId, paymentId } of pairs) {
    const payment = await tx.getForUpdate(Payment, paymentId, "Payment");
    const [charge] = await tx.all(lockCharges(tx, [chargeId], payment));
    const amountCents = Math.min(carryable.get(allocationId)!, payment.unallocatedCents, charge!.balanceCents);
    if (amountCents === 0) continue;
    await postAllocations(tx, timezone, chart, payment, [{ chargeId, amountCents }], [{ ...charge!, isOfPayer: true }]);
    carryable.set(allocationId, carryable.get(allocationId)! - amountCents);
    await tx.all(sql`update payment_allocation set carryable_cents = carryable_cents - ${amountCents}
      where organization_id = ${tx.organizationId} and id = ${allocationId}`);
    await tx.flush();
  }
}
