import { transaction } from "@freehold/kit/db/transaction";
import { eventPublisher } from "@freehold/kit/db/outbox";
import type { Job } from "@freehold/kit/jobs/scheduler";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { Charge } from "../charges/charge.entity.ts";
import { nextMidnight } from "../charges/overdue-charges.ts";
import { voidLockedCharge } from "../charges/void-charge.ts";
import { findUnfoundedLateFees } from "./late-fee.queries.ts";

const publish = eventPublisher("ledger");
const REASON = "The charge was voided, or settled before the late fee was due.";

/**
 * Voids the unpaid late fees of charges that were voided, or that money or credit recorded later had settled before the day of the
 * fee. The database requests the job whenever money or credit is applied to a charge with a late fee.
 */
export const reviewLateFees: Job = (db) =>
  transaction(db, async (tx) => {
    const { timezone } = await getLedgerSettings(tx);
    // A fee may have been paid before it was locked.
    const fees = (await tx.findAllForUpdate(Charge, await findUnfoundedLateFees(tx, timezone))).filter(({ status }) => status === "pending");
    for (const fee of fees) {
      await voidLockedCharge(tx, timezone, fee, REASON);
      const { id, leaseId, tenantId, propertyId, unitId, lateFeeForChargeId } = fee;
      const data = { leaseId, tenantId, propertyId, unitId, lateFeeForChargeId: lateFeeForChargeId! };
      await publish(tx, "charge.late_fee_voided", { entityId: id, data, audience: { tenantIds: [tenantId] } });
    }
    return nextMidnight(timezone);
  });
