/** Change of a charge's name, memo and due date while it is unpaid. */
import { truncate } from "@freehold/kit/truncate";
import type { Charge as View, charges } from "@freehold/contract/ledger/charges";
import type { BodyOf } from "@freehold/contract/operation";
import { startOfDay, today } from "@freehold/kit/time/clock";
import { newId } from "@freehold/kit/db/entity";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict } from "@freehold/kit/errors";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { PREPAID_RENT } from "../../chart/chart.ts";
import { getChart, type Chart } from "../../chart/categories.ts";
import { lockOpenDate, postEntries, reverseEntries } from "../../journal/posting.ts";
import { requireOpenDate } from "../../periods/accounting-period.rules.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { chargeEvents } from "./charge-event.ts";
import { Charge } from "./charge.entity.ts";
import { requireAdjustable, requireUnsettled } from "./charge.rules.ts";
import { getCharge } from "./charges.ts";
import { chargeEntry } from "./post-charges.ts";

const publish = eventPublisher("ledger");

/**
 * Changes a charge to which nothing is allocated or credited. A changed due date also changes the date of the journal entry. Throws a 409
 * for a charge that is due in a closed accounting period.
 */
export async function updateCharge(
  db: OrgDb,
  id: string,
  { dueDate, ...texts }: BodyOf<typeof charges.operations.updateCharge>,
): Promise<{ charge: View; allocations: [] }> {
  const chart = await getChart(db);
  return transaction(db, async (tx) => {
    const charge = await tx.getForUpdate(Charge, id, "Charge");
    requireUnsettled(charge);
    requireOpenDate((await getLedgerSettings(tx)).softClosedThrough, charge.dueDate);
    tx.assign(charge, omitUndefined(texts));
    if (dueDate !== undefined && dueDate !== charge.dueDate) await moveDueDate(tx, chart, charge, dueDate);
    await publish(tx, "charge.updated", ...(await chargeEvents(tx, [charge], ({ dueDate }) => ({ dueDate }))));
    return { charge: await getCharge(tx, id), allocations: [] };
  });
}

/** Reverses the entry of a charge on the entry's own date and posts another one on the new due date. Throws 409 in a closed period. */
async function moveDueDate(tx: OrgTx, chart: Chart, charge: Charge, dueDate: string): Promise<void> {
  // Keeps periods from being closed until the commit, so that both entries have exactly these dates.
  await lockOpenDate(tx, dueDate);
  const { timezone, softClosedThrough } = await getLedgerSettings(tx);
  for (const date of [charge.dueDate, dueDate]) requireOpenDate(softClosedThrough, date);
  requireAdjustable(charge, chart.accountId(PREPAID_RENT));
  if (charge.reopenedOn) {
    const message = `The charge was settled until ${charge.reopenedOn}, so its due date cannot change. Void the charge and create it with the other due date.`;
    throw conflict(message, "already_allocated");
  }
  const occurredAt = startOfDay(charge.dueDate, timezone);
  await reverseEntries(tx, timezone, [charge.entryId], { occurredAt, memo: truncate(`Due date changed to ${dueDate}: ${charge.name}`, 500) });
  const entryId = newId();
  const { leaseId, tenantId, propertyId, unitId, name, categoryId, amountCents } = charge;
  const moved = { id: charge.id, entryId, leaseId, tenantId, propertyId, unitId, name, categoryId, amountCents, dueDate };
  await postEntries(tx, timezone, [{ ...chargeEntry(moved, timezone, chart), isDateFixed: true }]);
  tx.assign(charge, { dueDate, entryId, overdueAnnouncedAt: null });
  if (charge.lateFeeTerms) await scheduleNow(tx, "reviewLateFees");
  if (dueDate < today(timezone)) await scheduleNow(tx, "announceOverdueCharges");
}
