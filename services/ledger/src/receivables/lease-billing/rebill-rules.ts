/** Rebilling of recurring charges after their terms changed. */
import { now, today } from "@freehold/kit/time/clock";
import { minDate, startOfMonth } from "@freehold/kit/time/plain-date";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import type { LedgerSettings } from "../../settings/ledger-settings.ts";
import type { Chart } from "../../chart/categories.ts";
import type { Charge } from "../charges/charge.entity.ts";
import type { ChargeRow } from "../charges/charge.view.ts";
import { postUnsettledCharges, settleFromCredit, type NewCharge } from "../charges/post-charges.ts";
import { voidLockedCharge } from "../charges/void-locked-charge.ts";
import { carryPayments } from "../allocations/carry-payments.ts";
import { carryCredits, releaseCredits } from "../credits/carry-credits.ts";
import type { ProjectedLease } from "../../projections/projections.ts";
import { reassessLateFees, reassignLateFees } from "../late-fees/reassign-late-fees.ts";
import { reassignSettledLateFees } from "../late-fees/reassign-settled-late-fees.ts";
import type { RecurringChargeRule } from "../recurring-charges/recurring-charge.entity.ts";
import { ruleTerms } from "../recurring-charges/recurring-charge.rules.ts";
import { lockChargesOfRules } from "./lock-billing.ts";
import { reportShortages } from "../../trust/diagnostics/posted-shortages.ts";
import { releasePayments } from "./release-payments.ts";
import { rebilledCharge } from "./rebilled-charge.ts";
import { rebill, type PostedPeriod } from "./rebilling.rules.ts";

/** Lease whose charges are rebilled, and why. */
export interface RebillingContext {
  settings: LedgerSettings;
  chart: Chart;
  projectedLease: ProjectedLease;
  /** Reason that is stored with superseded charges. */
  voidReason: string;
  /**
   * True after a change of rent, start, tenant or unit before the start of the lease: supersedes charges with other terms,
   * and voided charges, because the office has to void charges before such a change.
   */
  comparesTerms?: boolean;
  /** True if `comparesTerms` keeps voided charges: the start of the lease moved with its activation, and the office voided them for another reason. */
  keepsVoided?: boolean;
  /** True after a rent change, before which the office has to void charges: supersedes voided charges for days that the rule no longer charges. */
  replacesVoided?: boolean;
}

/**
 * Supersedes the charges of a lease by locked recurring charges on its unit that are due after its last day. Their periods are posted
 * again for the lease that occupies the unit then.
 */
export async function rebillUnitRules(tx: OrgTx, context: RebillingContext, rules: readonly RecurringChargeRule[], lastDay: string): Promise<void> {
  const unitRules = rules.filter(({ leaseId, unitId }) => !leaseId && unitId === context.projectedLease.unitId);
  // Raises the version of the rules, so that a concurrent posting that already chose the lease of the unit posts nothing.
  for (const rule of unitRules) tx.assign(rule, { updatedAt: now() });
  const superseded = await rebillWithin(tx, context, unitRules, lastDay);
  if (superseded.length > 0) await scheduleNow(tx, "postDueCharges");
}

/**
 * Brings the charges of locked recurring charges in line with their terms: voids charges for days that are no longer charged, as
 * if they had not been posted, charges the days that this leaves uncharged, and posts the due periods of active rules. The credits
 * of a voided charge, and then its payments, are carried to the charges that are posted for its month instead, at once or later, up to
 * their amounts; money that is left is credit. Late fees of a voided charge are reassigned to the charge that replaces it. With
 * `lastDay`, charges up to that day only. Requests the check of the diagnostics when the owners have used money that has become credit.
 */
export const rebillRules = async (
  tx: OrgTx,
  context: RebillingContext,
  rules: readonly RecurringChargeRule[],
  lastDay: string | null = null,
): Promise<void> => {
  await rebillWithin(tx, context, rules, lastDay);
};

/** Rebills recurring charges up to the last day of their lease, if given. Returns the superseded charges. */
async function rebillWithin(
  tx: OrgTx,
  { settings, chart, projectedLease, voidReason, comparesTerms = false, keepsVoided = false, replacesVoided = false }: RebillingContext,
  rules: readonly RecurringChargeRule[],
  lastDay: string | null,
): Promise<Charge[]> {
  const { timezone, policies } = settings;
  const charges = await lockChargesOfRules(tx, rules);
  if (comparesTerms && !keepsVoided) for (const charge of charges.filter(({ status }) => status === "voided")) tx.assign(charge, { isSuperseded: true });
  const live = charges.filter(({ isSuperseded, leaseId }) => !isSuperseded && leaseId === projectedLease.id);
  const superseded: Charge[] = [];
  const newCharges: NewCharge[] = [];
  for (const rule of rules) {
    const chargesOfRule = live.filter(({ recurringChargeRuleId }) => recurringChargeRuleId === rule.id);
    const terms = ruleTerms(rule);
    const { supersededIds, newPeriods } = rebill(
      { ...terms, endDate: lastDay && terms.endDate ? minDate(lastDay, terms.endDate) : (lastDay ?? terms.endDate) },
      chargesOfRule.map((charge) => postedPeriod(charge, projectedLease, replacesVoided)),
      { method: policies.prorationMethod, today: today(timezone), postsDuePeriods: rule.status === "active" && Boolean(rule.leaseId), comparesTerms },
    );
    superseded.push(...chargesOfRule.filter(({ id }) => supersededIds.includes(id)));
    newCharges.push(...newPeriods.map((period) => rebilledCharge(rule, projectedLease, period, chargesOfRule)));
  }
  const releasedPaymentIds = await releasePayments(
    tx,
    timezone,
    chart,
    superseded.map(({ id }) => id),
  );
  await releaseCredits(tx, timezone, superseded);
  for (const charge of superseded) {
    if (charge.status !== "voided") await voidLockedCharge(tx, timezone, charge, voidReason, charge.dueDate);
    tx.assign(charge, { isSuperseded: true });
  }
  await tx.flush();
  const posted = await postUnsettledCharges(tx, settings, chart, newCharges);
  const replacementIds = replacementIdsOf(superseded, posted);
  const lateFees = await reassignLateFees(tx, replacementIds);
  await reassignSettledLateFees(tx, timezone, posted);
  await carryCredits(tx, timezone, chart, posted);
  await carryPayments(tx, timezone, chart, posted);
  // Before credit is applied, which may settle the fees.
  await reassessLateFees(tx, { settings, chart, lease: projectedLease }, lateFees);
  await settleFromCredit(tx, settings, chart, posted);
  const propertyIds = superseded.flatMap(({ propertyId }) => propertyId ?? []);
  await reportShortages(tx, settings, chart, releasedPaymentIds, propertyIds);
  return superseded;
}

/** Returns the id of the charge that replaces each superseded charge, of the same rule and month. */
function replacementIdsOf(superseded: readonly Charge[], replacements: readonly ChargeRow[]): Map<string, string> {
  const keyOf = ({ recurringChargeRuleId, periodStart }: Pick<ChargeRow, "recurringChargeRuleId" | "periodStart">) =>
    `${recurringChargeRuleId} ${startOfMonth(periodStart!)}`;
  const byMonth = new Map(replacements.map((charge) => [keyOf(charge), charge.id]));
  return new Map(
    superseded.flatMap(({ id, recurringChargeRuleId = null, periodStart = null }) => {
      const replacementId = byMonth.get(keyOf({ recurringChargeRuleId, periodStart }));
      return replacementId === undefined ? [] : [[id, replacementId] as const];
    }),
  );
}

const postedPeriod = (charge: Charge, { tenantId, unitId }: ProjectedLease, replacesVoided: boolean): PostedPeriod => ({
  id: charge.id,
  periodStart: charge.periodStart!,
  periodEnd: charge.periodEnd!,
  dueDate: charge.dueDate,
  amountCents: charge.amountCents,
  isReplaceable: replacesVoided || charge.status !== "voided",
  isOfLease: charge.tenantId === tenantId && charge.unitId === unitId,
});
