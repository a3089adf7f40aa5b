/** Withdrawal of late fees that turned out not to be owed. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { transaction } from "@freehold/kit/db/transaction";
import { eventPublisher } from "@freehold/kit/db/outbox";
import type { Job } from "@freehold/kit/jobs/scheduler";
import { today } from "@freehold/kit/time/clock";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { Charge } from "../charges/charge.entity.ts";
import { nextMidnight } from "../charges/overdue-charges.ts";
import { voidLockedCharge } from "../charges/void-charge.ts";
import { ChargeCredit } from "../credits/charge-credit.entity.ts";
import { takeCreditBack } from "../credits/post-credit.ts";
import { findUnfoundedLateFees, scheduleAssessments, type LateFeeOfCharge } from "./late-fee.queries.ts";

const publish = eventPublisher("ledger");
const REASON = "The charge was voided, is due on another day, or was settled before the late fee was due.";

/** Charges per transaction: large enough for throughput, small enough to hold locks briefly. */
const BATCH_SIZE = 50;

/**
 * Voids the unpaid late fees, also those that were waived in part, of charges that were voided, that are due on another day since,
 * or that money or credit recorded later had settled before the day of the fee. Their days can be charged again, when the charge is
 * open on them after all. The database requests the job whenever money or credit is applied to a charge with a late fee. A batch
 * that fails does not hold up the others; the job then fails, and its next run reviews the rest.
 */
export const reviewLateFees: Job = async (db) => {
  const { timezone } = await getLedgerSettings(db);
  const unfounded = await findUnfoundedLateFees(db);
  const chargeIds = [...new Set(unfounded.map(({ chargeId }) => chargeId))];
  const failures: unknown[] = [];
  for (let start = 0; start < chargeIds.length; start += BATCH_SIZE) {
    // All fees of a charge are in one batch: those that stayed would count toward the limits of the fees that replace the others.
    const batch = new Set(chargeIds.slice(start, start + BATCH_SIZE));
    const fees = unfounded.filter(({ chargeId }) => batch.has(chargeId));
    await transaction(db, (tx) => reviewBatch(tx, timezone, fees)).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} batches of late fees could not be reviewed.`);
  return nextMidnight(timezone);
};

/** Voids those of the fees that are still unfounded once they and their charges are locked. */
async function reviewBatch(tx: OrgTx, timezone: string, found: readonly LateFeeOfCharge[]): Promise<void> {
  const locked = await tx.findAllForUpdate(Charge, [...new Set(found.flatMap(({ id, chargeId }) => [id, chargeId]))]);
  // A fee may have been paid, or its charge may be open again, before they were locked.
  const unfoundedIds = new Set((await findUnfoundedLateFees(tx, found)).map(({ id }) => id));
  const fees = locked.filter(({ id }) => unfoundedIds.has(id));
  for (const fee of fees) await withdraw(tx, timezone, fee);
  await scheduleAssessments(
    tx,
    fees.map(({ lateFeeForChargeId }) => lateFeeForChargeId!),
  );
}

/** Voids a locked late fee after taking back its credits, so that its day can be charged again. */
async function withdraw(tx: OrgTx, timezone: string, fee: Charge): Promise<void> {
  const credits = fee.creditedCents > 0 ? await tx.find(ChargeCredit, { chargeId: fee.id, reversedAt: null }) : [];
  for (const credit of credits) await takeCreditBack(tx, timezone, fee, credit, today(timezone));
  await voidLockedCharge(tx, timezone, fee, REASON);
  tx.assign(fee, { isSuperseded: true });
  const { id, leaseId, tenantId, propertyId, unitId, lateFeeForChargeId } = fee;
  const data = { leaseId, tenantId, propertyId, unitId, lateFeeForChargeId: lateFeeForChargeId! };
  await publish(tx, "charge.late_fee_voided", { entityId: id, data, audience: { tenantIds: [tenantId] } });
}
