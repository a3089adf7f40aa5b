/** Release of allocations: the charges are open again, and the rows are kept. */
import { now } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { Charge } from "../charges/charge.entity.ts";
import { releaseAllocation } from "../charges/charge.rules.ts";
import { reopen, type OpenAmount, type ReleasedAmount } from "./open-amount.rules.ts";
import type { Payment } from "../payments/payment.entity.ts";

/** Allocation that was released on a day, never before the day on which it settled its charge. */
export type ReleasedAllocation = ReleasedAmount & { chargeId: string; entryId: string; releasedOn: string };

/** Selection of live allocations of a locked payment: all, or the one that an entry releases. */
interface Selection {
  paymentId: string;
  allocationId?: string;
  releaseEntryId?: string;
  /** True to keep the amount for the charges that are posted instead of the superseded charge. */
  isCarried?: boolean;
}

/** Releases live allocations of a payment on a day, or on the day of their settlement when that is later. */
export const releaseAllocations = (
  tx: OrgTx,
  { paymentId, allocationId, releaseEntryId, isCarried = false }: Selection,
  releasedOn: string,
): Promise<ReleasedAllocation[]> =>
  tx.all(sql<ReleasedAllocation>`
    update payment_allocation a set released_on = greatest(e.entry_date, ${releasedOn}::date), released_at = ${now()}, release_entry_id = ${releaseEntryId ?? null}::uuid,
      carryable_cents = case when ${isCarried} then a.amount_cents else 0 end, updated_at = ${now()}, version = a.version + 1
    from journal_entry e where a.organization_id = ${tx.organizationId} and a.payment_id = ${paymentId} and a.released_at is null
      and (${allocationId ?? null}::uuid is null or a.id = ${allocationId ?? null}::uuid) and e.organization_id = a.organization_id and e.id = a.entry_id
    returning a.charge_id, a.entry_id, a.amount_cents, a.released_on, e.entry_date as settled_on`);

/** Opens the charges of released allocations again, with their original due dates. Returns the locked charges, in the order of their ids. */
export async function reopenCharges(tx: OrgTx, released: readonly ReleasedAllocation[], releasedOn: string): Promise<Charge[]> {
  const charges = await tx.findAllForUpdate(Charge, [...new Set(released.map(({ chargeId }) => chargeId))]);
  for (const charge of charges) {
    const own = released.filter(({ chargeId }) => chargeId === charge.id);
    const { cents, since, beforeCents } = reopen(openAmountOf(charge), own, releasedOn);
    const amounts = releaseAllocation(charge, cents - charge.balanceCents);
    tx.assign(charge, { ...(amounts as Partial<Charge>), reopenedOn: since, openBeforeReopeningCents: beforeCents as Charge["balanceCents"] | null });
  }
  return charges;
}

const openAmountOf = ({ balanceCents, reopenedOn, openBeforeReopeningCents }: Charge): OpenAmount => ({
  cents: balanceCents,
  since: reopenedOn ?? null,
  beforeCents: openBeforeReopeningCents ?? null,
});

/** Returns the credit of a payment, with the day from which the whole amount is available. */
export const creditOf = ({ unallocatedCents, creditReleasedOn, creditBeforeReleaseCents }: Payment): OpenAmount => ({
  cents: unallocatedCents,
  since: creditReleasedOn ?? null,
  beforeCents: creditBeforeReleaseCents ?? null,
});

/** Adds amounts that no longer settle a charge, or were not paid out after all, to the credit of a locked payment. */
export function returnToCredit(tx: OrgTx, payment: Payment, released: readonly ReleasedAmount[], releasedOn: string): void {
  const { cents, since, beforeCents } = reopen(creditOf(payment), released, releasedOn);
  type Cents = Payment["unallocatedCents"];
  tx.assign(payment, { unallocatedCents: cents as Cents, creditReleasedOn: since, creditBeforeReleaseCents: beforeCents as Cents | null });
}
