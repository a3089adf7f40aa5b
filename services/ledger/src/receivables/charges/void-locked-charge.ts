import { now, startOfDay, today } from "@freehold/kit/time/clock";
import { maxDate } from "@freehold/kit/time/plain-date";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { getChart } from "../../chart/categories.ts";
import { PREPAID_RENT } from "../../chart/chart.ts";
import { reverseEntries } from "../../journal/posting.ts";
import { chargeEvents } from "./charge-event.ts";
import type { Charge } from "./charge.entity.ts";
import { requireAdjustable, requireVoidable } from "./charge.rules.ts";

const publish = eventPublisher("ledger");

/**
 * Voids a locked charge: reverses its journal entry on a day, by default today, stores the reason and requests the review of its
 * late fees. Throws 409 when payments are allocated to it, and for a charge that balances the refund of a returned payment.
 */
export async function voidLockedCharge(tx: OrgTx, timezone: string, charge: Charge, reason: string, voidedOn: string = today(timezone)): Promise<void> {
  const status = requireVoidable(charge);
  requireAdjustable(charge, (await getChart(tx)).accountId(PREPAID_RENT));
  // A payment that was reversed settles the charge until the day of the reversal, so the charge is not voided earlier.
  const reversedOn = maxDate(voidedOn, charge.reopenedOn ?? voidedOn);
  const occurredAt = reversedOn === today(timezone) ? now() : startOfDay(reversedOn, timezone);
  await reverseEntries(tx, timezone, [charge.entryId], { occurredAt, memo: `Voided: ${charge.name}` });
  tx.assign(charge, { status, balanceCents: 0 as Charge["balanceCents"], voidedAt: now(), voidReason: reason });
  if (charge.lateFeeTerms) await scheduleNow(tx, "reviewLateFees");
  await publish(tx, "charge.voided", ...(await chargeEvents(tx, [charge], () => ({}))));
}
