/** Late fees of superseded rent: they follow the charge that replaces it, which was not paid in time either. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { maxDate } from "@freehold/kit/time/plain-date";
import type { Chart } from "../../chart/categories.ts";
import type { ProjectedLease } from "../../projections/projections.ts";
import type { LedgerSettings } from "../../settings/ledger-settings.ts";
import { Charge } from "../charges/charge.entity.ts";
import { voidLockedCharge } from "../charges/void-charge.ts";
import { postLateFees, type LateFeeToPost } from "./assess-late-fees.ts";
import { readChargesToAssess, saveNextAssessments } from "./late-fee.queries.ts";
import { assessCharge } from "./late-fee.rules.ts";

const publish = eventPublisher("ledger");
const REASON = "The rent was replaced, and its late fee has another amount.";

/**
 * Reassigns the late fees of superseded rent to the charges that replace it, so that no day bears a second fee, and returns them
 * locked. Of two fees for one day, the unsettled one stays with its charge, and `reviewLateFees` voids it.
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
  const byDay = new Map(fees.toSorted((a, b) => Number(isUnsettled(b)) - Number(isUnsettled(a))).map((fee) => [keyOf(fee), fee]));
  for (const fee of byDay.values()) tx.assign(fee, { lateFeeForChargeId: replacementIds.get(fee.lateFeeForChargeId!)! });
  await tx.flush();
  return [...byDay.values()];
}

const isUnsettled = ({ status }: Charge): boolean => status === "pending";

interface Context {
  settings: LedgerSettings;
  chart: Chart;
  lease: ProjectedLease;
}

/**
 * Assesses charges that replace superseded rent through the last day for which it was assessed: of its unsettled late fees, those that
 * the new amount bears stay as they are, and the others are replaced. The daily job goes on after that day.
 */
export async function reassessLateFees(tx: OrgTx, { settings, chart, lease }: Context, reassigned: readonly Charge[]): Promise<void> {
  const feesByCharge = Map.groupBy(reassigned, ({ lateFeeForChargeId }) => lateFeeForChargeId!);
  if (feesByCharge.size === 0) return;
  const lastDayOf = (fees: readonly Charge[]) => fees.map(({ lateFeeAssessedFor }) => lateFeeAssessedFor!).reduce(maxDate);
  const charges = await readChargesToAssess(tx, [...feesByCharge.keys()], { through: lastDayOf(reassigned), isLocking: false });
  const missing: LateFeeToPost[] = [];
  for (const charge of charges) {
    const ofCharge = feesByCharge.get(charge.id)!;
    const previous = ofCharge.filter(isUnsettled);
    const others = charge.fees.filter(({ dayIndex }) => !previous.some((fee) => fee.lateFeeDayIndex === dayIndex));
    const { fees, nextDay } = assessCharge({ ...charge, fees: others }, lastDayOf(ofCharge));
    const owed = fees.filter(({ amountCents }) => amountCents > 0);
    const isOwed = (fee: Charge) => owed.some(({ date, amountCents }) => date === fee.lateFeeAssessedFor && amountCents === fee.amountCents);
    const kept = previous.filter(isOwed);
    for (const fee of previous.filter((each) => !isOwed(each))) await supersedeLateFee(tx, settings.timezone, fee);
    missing.push(...owed.filter(({ date }) => !kept.some((fee) => fee.lateFeeAssessedFor === date)).map((fee) => ({ charge, fee, lease })));
    await saveNextAssessments(tx, [{ id: charge.id, day: nextDay }]);
  }
  await tx.flush();
  await postLateFees(tx, { settings, chart }, missing);
}

/** Voids a late fee on its own day, as if it had not been assessed, so that its day can be charged again. */
async function supersedeLateFee(tx: OrgTx, timezone: string, fee: Charge): Promise<void> {
  await voidLockedCharge(tx, timezone, fee, REASON, fee.dueDate);
  tx.assign(fee, { isSuperseded: true });
  const { id, leaseId, tenantId, propertyId, unitId, lateFeeForChargeId } = fee;
  const data = { leaseId, tenantId, propertyId, unitId, lateFeeForChargeId: lateFeeForChargeId! };
  await publish(tx, "charge.late_fee_voided", { entityId: id, data, audience: { tenantIds: [tenantId] } });
}
