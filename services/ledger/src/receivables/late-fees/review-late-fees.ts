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
import { findUnfoundedLateFees, scheduleAssessments } from "./late-fee.queries.ts";

const publish = eventPublisher("ledger");
const REASON = "The charge was voided, is due on another day, or was settled before the late fee was due.";

/**
 * Voids the unpaid late fees, also those that were waived in part, of charges that were voided, that are due on another day since,
 * or that money or credit recorded later had settled before the day of the fee. Their days can be charged again, when the charge is
 * open on them after all. The database requests the job whenever money or credit is applied to a charge with a late fee.
 */
export const reviewLateFees: Job = (db) =>
  transaction(db, async (tx) => {
    const { timezone } = await getLedgerSettings(tx);
    // A fee may have been paid before it was locked.
    const unfounded = await findUnfoundedLateFees(tx);
    const feeIds = new Set(unfounded.map(({ id }) => id));
    const locked = await tx.findAllForUpdate(Charge, [...new Set(unfounded.flatMap(({ id, chargeId }) => [id, chargeId]))]);
    const fees = locked.filter(({ id, allocatedCents, status }) => feeIds.has(id) && allocatedCents === 0 && status !== "voided");
    for (const fee of fees) {
      const credits = fee.creditedCents > 0 ? await tx.find(ChargeCredit, { chargeId: fee.id, reversedAt: null }) : [];
      for (const credit of credits) await takeCreditBack(tx, timezone, fee, credit, today(timezone));
      await voidLockedCharge(tx, timezone, fee, REASON);
      tx.assign(fee, { isSuperseded: true });
      const { id, leaseId, tenantId, propertyId, unitId, lateFeeForChargeId } = fee;
      const data = { leaseId, tenantId, propertyId, unitId, lateFeeForChargeId: lateFeeForChargeId! };
      await publish(tx, "charge.late_fee_voided", { entityId: id, data, audience: { tenantIds: [tenantId] } });
    }
    await scheduleAssessments(
      tx,
      fees.map(({ lateFeeForChargeId }) => lateFeeForChargeId!),
    );
    return nextMidnight(timezone);
  });
