/** Release of the payments that are allocated to superseded charges. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { Chart } from "../../chart/categories.ts";
import { lockOpenDate } from "../../journal/posting.ts";
import { removeAllocation } from "../allocations/remove-allocation.ts";
import { Payment, PaymentAllocation } from "../payments/payment.entity.ts";

/**
 * Releases all allocations to the charges. Each release is dated on the day on which the allocation settled its charge, or on the first
 * open day if the period of that day is closed. The amounts are carried to the charges that replace the superseded ones, now or later.
 * Returns the ids of the payments.
 */
export async function releasePayments(tx: OrgTx, timezone: string, chart: Chart, chargeIds: readonly string[]): Promise<string[]> {
  if (chargeIds.length === 0) return [];
  const allocations = await tx.all(sql<{ id: string; paymentId: string; settledOn: string }>`
    select a.id, a.payment_id, e.entry_date as settled_on from payment_allocation a
      join payment p on p.organization_id = a.organization_id and p.id = a.payment_id
      join journal_entry e on e.organization_id = a.organization_id and e.id = a.entry_id
    where a.organization_id = ${tx.organizationId} and a.charge_id = any(${[...chargeIds]}::uuid[]) and a.released_at is null order by p.received_at, p.id, a.id`);
  const paymentsById = new Map(
    (await tx.findAllForUpdate(Payment, [...new Set(allocations.map(({ paymentId }) => paymentId))])).map((each) => [each.id, each]),
  );
  const allocationsById = new Map(
    (
      await tx.findAllForUpdate(
        PaymentAllocation,
        allocations.map(({ id }) => id),
      )
    ).map((each) => [each.id, each]),
  );
  for (const { id, paymentId, settledOn } of allocations)
    await removeAllocation(tx, timezone, chart, paymentsById.get(paymentId)!, allocationsById.get(id)!, await lockOpenDate(tx, settledOn), true);
  return [...paymentsById.keys()];
}
