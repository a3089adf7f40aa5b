/** Review of late fees: voids those that turned out not to be owed, and replaces those that are owed with another amount. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { transaction } from "@freehold/kit/db/transaction";
import { runBatches } from "@freehold/kit/jobs/batches";
import type { Job } from "@freehold/kit/jobs/scheduler";
import { today } from "@freehold/kit/time/clock";
import { getChart, type Chart } from "../../chart/categories.ts";
import { lockOpenDate } from "../../journal/posting.ts";
import { readProjectedLeases } from "../../projections/projections.ts";
import { getLedgerSettings, type LedgerSettings } from "../../settings/ledger-settings.ts";
import { Charge } from "../charges/charge.entity.ts";
import { nextMidnight } from "../charges/overdue-charges.ts";
import { settleFromCredit } from "../charges/post-charges.ts";
import { ChargeCredit } from "../credits/charge-credit.entity.ts";
import { reverseCreditOfCharge } from "../credits/post-credit.ts";
import { findWrongLateFees, saveNextAssessments, scheduleAssessments, type LateFeeOfCharge } from "./late-fee.queries.ts";
import { reassessLateFees } from "./reassign-late-fees.ts";
import { supersedeLateFee } from "./supersede-late-fee.ts";

const REASON = "The charge was voided, is due on another day, or was settled before the late fee was due.";
const REASON_OTHER_AMOUNT = "Another amount of the charge was open on the day of the late fee.";

/** Charges per transaction: large enough for throughput, small enough to hold locks briefly. */
const BATCH_SIZE = 50;

/**
 * Voids unpaid late fees, also partly waived ones, whose charge was voided, has another due date since, or was settled before the day
 * of the fee by money or credit that was recorded later. The days of these fees can be charged again, less what was waived, when the
 * charge turns out to be open on them. Unpaid percent fees follow the amount that was open on their day, also after money that settled a
 * part was recorded later or returned. The database requests the job whenever money or credit is applied to a charge with a late
 * fee. A batch that fails does not hold up the others; the job then fails, and its next run reviews the rest.
 */
export const reviewLateFees: Job = async (db) => {
  const context = { settings: await getLedgerSettings(db), chart: await getChart(db) };
  const feesByCharge = Map.groupBy(await findWrongLateFees(db), ({ chargeId }) => chargeId);
  // All fees of a charge are in one batch: those that stayed would count toward the limits of the fees that replace the others.
  await runBatches([...feesByCharge.values()], { size: BATCH_SIZE }, (batch) => transaction(db, (tx) => reviewBatch(tx, context, batch.flat())));
  return nextMidnight(context.settings.timezone);
};

interface Context {
  settings: LedgerSettings;
  chart: Chart;
}

/** Voids or replaces those of the fees that are still wrong once they and their charges are locked, and returns them. */
async function reviewBatch(tx: OrgTx, context: Context, found: readonly LateFeeOfCharge[]): Promise<Charge[]> {
  const locked = await tx.findAllForUpdate(Charge, [...new Set(found.flatMap(({ id, chargeId }) => [id, chargeId]))]);
  // Keeps periods from being closed until the commit, so that no fee of a closed period is replaced.
  await lockOpenDate(tx, today(context.settings.timezone));
  // A fee may have been paid, or its charge may be open again, before they were locked.
  const wrong = new Map((await findWrongLateFees(tx, found)).map((fee) => [fee.id, fee]));
  const fees = locked.filter(({ id }) => wrong.has(id));
  const isUnfounded = ({ id }: Charge) => wrong.get(id)!.isUnfounded;
  await voidFees(tx, context.settings.timezone, fees.filter(isUnfounded));
  const leaseIds = new Map(locked.map(({ id, leaseId }) => [id, leaseId]));
  const owed = fees.filter((fee) => !isUnfounded(fee));
  await replaceFees(
    tx,
    context,
    Map.groupBy(owed, ({ lateFeeForChargeId }) => leaseIds.get(lateFeeForChargeId!)!),
  );
  return fees;
}

async function voidFees(tx: OrgTx, timezone: string, fees: readonly Charge[]): Promise<void> {
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
}

/** Replaces percent fees by fees of the amounts that are owed for the same days, by the lease of their charges, and applies credit to these. */
async function replaceFees(tx: OrgTx, { settings, chart }: Context, feesByLease: ReadonlyMap<string, readonly Charge[]>): Promise<void> {
  await tx.flush();
  const leases = await readProjectedLeases(tx, [...feesByLease.keys()]);
  for (const [leaseId, fees] of feesByLease) {
    const lease = leases.get(leaseId);
    if (!lease || lease.isTenantDeleted) continue;
    await saveNextAssessments(
      tx,
      fees.map(({ lateFeeForChargeId, lateFeeAssessedFor }) => ({ id: lateFeeForChargeId!, day: lateFeeAssessedFor! })),
    );
    const posted = await reassessLateFees(tx, { settings, chart, lease, reason: REASON_OTHER_AMOUNT }, fees);
    await settleFromCredit(tx, settings, chart, posted);
  }
}
