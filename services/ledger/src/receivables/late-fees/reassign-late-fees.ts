/** Late fees of superseded rent: they follow the charge that replaces it, which was not paid in time either. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { daysBetween, maxDate } from "@freehold/kit/time/plain-date";
import type { Chart } from "../../chart/categories.ts";
import type { ProjectedLease } from "../../projections/projections.ts";
import type { LedgerSettings } from "../../settings/ledger-settings.ts";
import { Charge } from "../charges/charge.entity.ts";
import type { ChargeRow } from "../charges/charge.view.ts";
import { releaseCredits } from "../credits/carry-credits.ts";
import { postLateFees, type LateFeeToPost } from "./assess-late-fees.ts";
import { firstLateFeeDay, readChargesToAssess, saveNextAssessments } from "./late-fee.queries.ts";
import { assessCharge, isUnpaid } from "./late-fee.rules.ts";
import { supersedeLateFee } from "./supersede-late-fee.ts";

const REASON = "The rent was replaced, and its late fee has another amount.";

/**
 * Reassigns the late fees of superseded rent to the charges that replace it, so that no day bears a second fee, and returns them
 * locked. Daily fees keep their days, also when the charge is due on another day. Of two fees for one day, the unpaid one stays with its
 * charge, and `reviewLateFees` voids it.
 */
export async function reassignLateFees(tx: OrgTx, replacementIds: ReadonlyMap<string, string>): Promise<Charge[]> {
  if (replacementIds.size === 0) return [];
  const rows = await tx.all(sql<{ id: string }>`select id from charge where organization_id = ${tx.organizationId}
    and late_fee_for_charge_id = any(${[...replacementIds.keys()]}::uuid[]) and not is_superseded`);
  const locked = await tx.findAllForUpdate(
    Charge,
    rows.map(({ id }) => id),
  );
  // The review may have superseded a fee before it was locked.
  const fees = locked.filter(({ isSuperseded }) => !isSuperseded);
  const firstDays = await readFirstDays(tx, [...new Set(replacementIds.values())]);
  const reassigned = fees.map((fee) => {
    const chargeId = replacementIds.get(fee.lateFeeForChargeId!)!;
    const [kind, firstDay] = [fee.lateFeeKind, firstDays.get(chargeId)];
    return { fee, chargeId, dayIndex: kind === "daily" && firstDay ? daysBetween(firstDay, fee.lateFeeAssessedFor!) : fee.lateFeeDayIndex! };
  });
  const paidLast = reassigned.toSorted((one, other) => Number(isUnpaid(other.fee)) - Number(isUnpaid(one.fee)));
  const byDay = new Map(paidLast.map((each) => [`${each.chargeId} ${each.fee.lateFeeKind} ${each.dayIndex}`, each]));
  for (const { fee, chargeId, dayIndex } of byDay.values()) tx.assign(fee, { lateFeeForChargeId: chargeId, lateFeeDayIndex: dayIndex });
  await tx.flush();
  return [...byDay.values()].map(({ fee }) => fee);
}

/** Returns the first day of the late fees of charges that bear some. */
async function readFirstDays(tx: OrgTx, chargeIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await tx.all(sql<{ id: string; firstDay: string }>`select c.id, ${firstLateFeeDay} as first_day from charge c
    where c.organization_id = ${tx.organizationId} and c.id = any(${[...chargeIds]}::uuid[]) and c.late_fee_terms is not null`);
  return new Map(rows.map(({ id, firstDay }) => [id, firstDay]));
}

interface Context {
  settings: LedgerSettings;
  chart: Chart;
  /** Lease of the charges. */
  lease: ProjectedLease;
  /** Reason of the void of a fee that is replaced. */
  reason?: string;
}

/**
 * Assesses charges through the last day assessed by the given late fees, which are for them, such as those that replace superseded rent.
 * Unpaid late fees whose amount stays the same are kept, and the others are replaced, less what was waived. The daily job continues
 * after that day. Returns the late fees that were posted.
 */
export async function reassessLateFees(tx: OrgTx, { settings, chart, lease, reason = REASON }: Context, reassigned: readonly Charge[]): Promise<ChargeRow[]> {
  const feesByCharge = Map.groupBy(reassigned, ({ lateFeeForChargeId }) => lateFeeForChargeId!);
  if (feesByCharge.size === 0) return [];
  const lastDayOf = (fees: readonly Charge[]) => fees.map(({ lateFeeAssessedFor }) => lateFeeAssessedFor!).reduce(maxDate);
  const charges = await readChargesToAssess(tx, [...feesByCharge.keys()], { through: lastDayOf(reassigned), isLocking: false });
  const missing: LateFeeToPost[] = [];
  for (const charge of charges) {
    const feesOfCharge = feesByCharge.get(charge.id)!;
    const previous = feesOfCharge.filter(isUnpaid);
    const others = charge.fees.filter(({ dayIndex }) => !previous.some((fee) => fee.lateFeeDayIndex === dayIndex));
    const { fees, nextDay } = assessCharge({ ...charge, fees: others }, lastDayOf(feesOfCharge));
    const owed = fees.filter(({ amountCents }) => amountCents > 0);
    const isOwed = (fee: Charge) => owed.some(({ date, amountCents }) => date === fee.lateFeeAssessedFor && amountCents === fee.amountCents);
    const kept = previous.filter(isOwed);
    const replaced = previous.filter((fee) => !isOwed(fee));
    await releaseCredits(tx, settings.timezone, replaced);
    // Dated the day of the fee, as if it had not been assessed.
    for (const fee of replaced) await supersedeLateFee(tx, settings.timezone, fee, reason, fee.dueDate);
    missing.push(...owed.filter(({ date }) => !kept.some((fee) => fee.lateFeeAssessedFor === date)).map((fee) => ({ charge, fee, lease })));
    await saveNextAssessments(tx, [{ id: charge.id, day: nextDay }]);
  }
  await tx.flush();
  return postLateFees(tx, { settings, chart }, missing);
}
