/** Payments of superseded charges: released before the void, and allocated to the charges that are posted instead. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { Chart } from "../../chart/categories.ts";
import { openDate } from "../../journal/posting.ts";
import { postAllocations } from "../allocations/post-allocations.ts";
import { removeAllocation } from "../allocations/remove-allocation.ts";
import { Payment, PaymentAllocation } from "../payments/payment.entity.ts";
import { lockCharges } from "../payments/payment.queries.ts";

/** Amount of a payment that was released from a superseded charge. */
export interface ReleasedPayment {
  paymentId: string;
  chargeId: string;
  amountCents: number;
}

/**
 * Takes back all allocations to charges on the days on which they settled them, as if they had not been made; in a closed
 * accounting period from the first open day. Returns them in the order in which the money was received.
 */
export async function releasePayments(tx: OrgTx, timezone: string, chart: Chart, chargeIds: readonly string[]): Promise<ReleasedPayment[]> {
  if (chargeIds.length === 0) return [];
  const allocations = await tx.all(sql<ReleasedPayment & { id: string; settledOn: string }>`
    select a.id, a.payment_id, a.charge_id, a.amount_cents, e.entry_date as settled_on from payment_allocation a
      join payment p on p.organization_id = a.organization_id and p.id = a.payment_id
      join journal_entry e on e.organization_id = a.organization_id and e.id = a.entry_id
    where a.organization_id = ${tx.organizationId} and a.charge_id = any(${[...chargeIds]}::uuid[]) and a.released_at is null order by p.received_at, p.id, a.id`);
  const payments = new Map((await tx.findAllForUpdate(Payment, [...new Set(allocations.map(({ paymentId }) => paymentId))])).map((each) => [each.id, each]));
  const entities = new Map(
    (
      await tx.findAllForUpdate(
        PaymentAllocation,
        allocations.map(({ id }) => id),
      )
    ).map((each) => [each.id, each]),
  );
  for (const { id, paymentId, settledOn } of allocations)
    await removeAllocation(tx, timezone, chart, payments.get(paymentId)!, entities.get(id)!, await openDate(tx, settledOn));
  return allocations;
}

/**
 * Allocates released amounts to charges: each to the charge that replaces the one it settled, at most its balance. The rest stays
 * credit of the payment. What settled a charge also settles its replacement, even if the payer is not on the lease any more.
 */
export async function reallocatePayments(
  tx: OrgTx,
  timezone: string,
  chart: Chart,
  released: readonly ReleasedPayment[],
  replacementIds: ReadonlyMap<string, string>,
): Promise<void> {
  for (const { paymentId, chargeId, amountCents: releasedCents } of released) {
    const replacementId = replacementIds.get(chargeId);
    if (replacementId === undefined) continue;
    const payment = await tx.getForUpdate(Payment, paymentId, "Payment");
    const [replacement] = await tx.all(lockCharges(tx, [replacementId], payment));
    const amountCents = Math.min(releasedCents, payment.unallocatedCents, replacement!.balanceCents);
    if (amountCents === 0) continue;
    await postAllocations(tx, timezone, chart, payment, [{ chargeId: replacementId, amountCents }], [{ ...replacement!, isOfPayer: true }]);
    await tx.flush();
  }
}
