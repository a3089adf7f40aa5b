import { now, startOfDay, today } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { getChart } from "../../chart/categories.ts";
import { PREPAID_RENT } from "../../chart/chart.ts";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { reverseEntries } from "../../journal/posting.ts";
import type { Charge } from "./charge.entity.ts";
import { requireAdjustable, requireVoidable } from "./charge.rules.ts";

const publish = eventPublisher("ledger");

/**
 * Voids a locked charge: reverses its journal entry, stores the reason and requests the review of its late fees. Throws 409 when payments are allocated to it, and for a
 * charge that balances the refund of a returned payment.
 */
export async function voidLockedCharge(tx: OrgTx, timezone: string, charge: Charge, reason: string): Promise<void> {
  const status = requireVoidable(charge);
  requireAdjustable(charge, (await getChart(tx)).accountId(PREPAID_RENT));
  const { reopenedOn } = charge;
  // A payment whose reversal is dated ahead settles the charge until that day, so the charge is not voided earlier.
  const occurredAt = reopenedOn && reopenedOn > today(timezone) ? startOfDay(reopenedOn, timezone) : now();
  await reverseEntries(tx, timezone, [charge.entryId], { occurredAt, memo: `Voided: ${charge.name}` });
  tx.assign(charge, { status, balanceCents: 0 as Charge["balanceCents"], voidedAt: now(), voidReason: reason });
  if (charge.lateFeeTerms) await scheduleNow(tx, "reviewLateFees");
  const { id, leaseId, tenantId, propertyId, unitId } = charge;
  await publish(tx, "charge.voided", { entityId: id, data: { leaseId, tenantId, propertyId, unitId }, audience: { tenantIds: [tenantId] } });
}
