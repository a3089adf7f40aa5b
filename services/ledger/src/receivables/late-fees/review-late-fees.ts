/** Review of late fees: voids those that turned out not to be owed. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { transaction } from "@freehold/kit/db/transaction";
import { runBatches } from "@freehold/kit/jobs/batches";
import type { Job } from "@freehold/kit/jobs/scheduler";
import { today } from "@freehold/kit/time/clock";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { Charge } from "../charges/charge.entity.ts";
import { nextMidnight } from "../charges/overdue-charges.ts";
import { ChargeCredit } from "../credits/charge-credit.entity.ts";
import { reverseCreditOfCharge } from "../credits/post-credit.ts";
import { findUnfoundedLateFees, scheduleAssessments, type LateFeeOfCharge } from "./late-fee.queries.ts";
import { supersedeLateFee } from "./supersede-late-fee.ts";

const REASON = "The charge was voided, is due on another day, or was settled before the late fee was due.";

/** Charges per transaction: large enough for throughput, small enough to hold locks briefly. */
const BATCH_SIZE = 50;

/**
 * Voids unpaid late fees, also partly waived ones, whose charge was voided, has another due date since, or was settled before the day
 * of the fee by money or credit that was recorded later. The days of these fees can be charged again, less what was waived, when the
 * charge turns out to be open on them. The database requests the job whenever money or credit is applied to a charge with a late
 * fee. A batch that fails does not hold up the others; the job then fails, and its next run reviews the rest.
 */
export const reviewLateFees: Job = async (db) => {
  const { timezone } = await getLedgerSettings(db);
  const unfounded = await findUnfoundedLateFees(db);
  const feesByCharge = Map.groupBy(unfounded, ({ chargeId }) => chargeId);
  // All fees of a charge are in one batch: those that stayed would count toward the limits of the fees that replace the others.
  await runBatches([...feesByCharge.values()], { size: BATCH_SIZE }, (batch) => transaction(db, (tx) => reviewBatch(tx, timezone, batch.flat())));
  return nextMidnight(timezone);
};

/** Voids those of the fees that are still unfounded once they and their charges are locked, and returns them. */
async function reviewBatch(tx: OrgTx, timezone: string, found: readonly LateFeeOfCharge[]): Promise<Charge[]> {
  const locked = await tx.findAllForUpdate(Charge, [...new Set(found.flatMap(({ id, chargeId }) => [id, chargeId]))]);
  // A fee may have been paid, or its charge may be open again, before they were locked.
  const unfoundedIds = new Set((await findUnfoundedLateFees(tx, found)).map(({ id }) => id));
  const fees = locked.filter(({ id }) => unfoundedIds.has(id));
  const day = today(timezone);
  for (const fee of fees) {
    const credits = fee.creditedCents > 0 ? await tx.find(ChargeCredit, { chargeId: fee.id, reversedAt: null }) : [];
    for (const credit of credits) await reverseCreditOfCharge(tx, timezone, fee, credit, day, true);
    await supersedeLateFee(tx, timezone, fee, REASON, day);
  }
  await scheduleAssessments(
    tx,
    fees.map(({ lateFeeForChargeId }) => lateFeeForChargeId!),
  );
  return fees;
}
