/** Late fees of superseded rent: they follow the charge that replaces it, which was not paid in time either. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { maxDate } from "@freehold/kit/time/plain-date";
import type { Chart } from "../../chart/categories.ts";
import type { ProjectedLease } from "../../projections/projections.ts";
import type { LedgerSettings } from "../../settings/ledger-settings.ts";
import { Charge } from "../charges/charge.entity.ts";
import type { ChargeRow } from "../charges/charge.view.ts";
import { voidLockedCharge } from "../charges/void-charge.ts";
import { giveCredits, releaseCredits } from "../credits/carry-credits.ts";
import type { ChargeCredit } from "../credits/charge-credit.entity.ts";
import { postLateFees, type LateFeeToPost } from "./assess-late-fees.ts";
import { readChargesToAssess, saveNextAssessments } from "./late-fee.queries.ts";
import { assessCharge } from "./late-fee.rules.ts";

const publish = eventPublisher("ledger");
const REASON = "The rent was replaced, and its late fee has another amount.";

/**
 * Reassigns the late fees of superseded rent to the charges that replace it, so that no day bears a second fee, and returns them
 * locked. Of two fees for one day, the unpaid one stays with its charge, and `reviewLateFees` voids it.
 */
export async function reassignLateFees(tx: OrgTx, replacementIds: ReadonlyMap<string, string>): Promise<Charge[]> {
  if (replacementIds.size === 0) return [];
  const rows = await tx.all(sql<{ id: string }>`select id from charge where organization_id = ${tx.organizationId}
    and late_fee_for_charge_id = any(${[...replacementIds.keys()]}::uuid[]) and not is_superseded`);
  const fees = await tx.findAllForUpdate(
    Charge,
    rows.map(({ id }) => id),
  );
  const keyOf = ({ lateFeeForChargeId, lateFeeKind, lateFeeDayIndex }: Charge) =>
    `${replacementIds.get(lateFeeForChargeId!)} ${lateFeeKind} ${lateFeeDayIndex}`;
  const byDay = new Map(fees.toSorted((a, b) => Number(isUnpaid(b)) - Number(isUnpaid(a))).map((fee) => [keyOf(fee), fee]));
  for (const fee of byDay.values()) tx.assign(fee, { lateFeeForChargeId: replacementIds.get(fee.lateFeeForChargeId!)! });
  await tx.flush();
  return [...byDay.values()];
}

/** Tells whether nothing of a late fee is paid, also when a part of it was waived. */
const isUnpaid = ({ balanceCents, allocatedCents }: Charge): boolean => balanceCents > 0 && allocatedCents === 0;

interface Context {
  settings: LedgerSettings;
  chart: Chart;
  lease: ProjectedLease;
}

/**
 * Assesses charges that replace superseded rent through the last day for which it was assessed: of its unpaid late fees, those that
 * the new amount bears stay as they are, and the others are replaced, less what was waived. The daily job goes on after that day.
 */
export async function reassessLateFees(tx: OrgTx, { settings, chart, lease }: Context, reassigned: readonly Charge[]): Promise<void> {
  const feesByCharge = Map.groupBy(reassigned, ({ lateFeeForChargeId }) => lateFeeForChargeId!);
  if (feesByCharge.size === 0) return;
  const lastDayOf = (fees: readonly Charge[]) => fees.map(({ lateFeeAssessedFor }) => lateFeeAssessedFor!).reduce(maxDate);
  const charges = await readChargesToAssess(tx, [...feesByCharge.keys()], { through: lastDayOf(reassigned), isLocking: false });
  const missing: LateFeeToPost[] = [];
  const waivers: Waiver[] = [];
  for (const charge of charges) {
    const ofCharge = feesByCharge.get(charge.id)!;
    const previous = ofCharge.filter(isUnpaid);
    const others = charge.fees.filter(({ dayIndex }) => !previous.some((fee) => fee.lateFeeDayIndex === dayIndex));
    const { fees, nextDay } = assessCharge({ ...charge, fees: others }, lastDayOf(ofCharge));
    const owed = fees.filter(({ amountCents }) => amountCents > 0);
    const isOwed = (fee: Charge) => owed.some(({ date, amountCents }) => date === fee.lateFeeAssessedFor && amountCents === fee.amountCents);
    const kept = previous.filter(isOwed);
    const replaced = previous.filter((fee) => !isOwed(fee));
    const credits = await releaseCredits(tx, settings.timezone, replaced);
    waivers.push(...credits.map((credit) => ({ credit, fee: replaced.find(({ id }) => id === credit.chargeId)! })));
    for (const fee of replaced) await supersedeLateFee(tx, settings.timezone, fee);
    missing.push(...owed.filter(({ date }) => !kept.some((fee) => fee.lateFeeAssessedFor === date)).map((fee) => ({ charge, fee, lease })));
    await saveNextAssessments(tx, [{ id: charge.id, day: nextDay }]);
  }
  await tx.flush();
  const posted = await postLateFees(tx, { settings, chart }, missing);
  if (waivers.length > 0) await giveWaivers(tx, { settings, chart }, posted, waivers);
}

/** Credit of a late fee that was replaced. */
interface Waiver {
  credit: ChargeCredit;
  fee: Charge;
}

/** Gives the credits of replaced late fees on the fees that were posted for the same days instead. */
async function giveWaivers(tx: OrgTx, { settings, chart }: Pick<Context, "settings" | "chart">, posted: readonly ChargeRow[], waivers: readonly Waiver[]) {
  const ids = posted.map(({ id }) => id);
  for (const charge of await tx.findAllForUpdate(Charge, ids)) {
    const isOfDay = ({ fee }: Waiver) => fee.lateFeeForChargeId === charge.lateFeeForChargeId && fee.lateFeeAssessedFor === charge.lateFeeAssessedFor;
    const credits = waivers.filter(isOfDay).map(({ credit }) => credit);
    await giveCredits(tx, settings.timezone, chart, charge, credits);
  }
  await tx.flush();
}

/** Voids a late fee on its own day, as if it had not been assessed, so that its day can be charged again. */
async function supersedeLateFee(tx: OrgTx, timezone: string, fee: Charge): Promise<void> {
  await voidLockedCharge(tx, timezone, fee, REASON, fee.dueDate);
  tx.assign(fee, { isSuperseded: true });
  const { id, leaseId, tenantId, propertyId, unitId, lateFeeForChargeId } = fee;
  const data = { leaseId, tenantId, propertyId, unitId, lateFeeForChargeId: lateFeeForChargeId! };
  await publish(tx, "charge.late_fee_voided", { entityId: id, data, audience: { tenantIds: [tenantId] } });
}
