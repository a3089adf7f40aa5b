/** Activation, pause, end and deletion of recurring charges. */
import type { RecurringChargeRule as View } from "@freehold/contract/ledger/recurring-charges";
import { now, today } from "@freehold/kit/time/clock";
import { maxDate } from "@freehold/kit/time/plain-date";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict } from "@freehold/kit/errors";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { endDateChange, lockOfficeRule, lockRule } from "./change-recurring-charge.ts";
import { RecurringChargeRule } from "./recurring-charge.entity.ts";
import { duePeriods, recurringChargeStateMachine, ruleTerms } from "./recurring-charge.rules.ts";
import {
  findLease,
  getRecurringCharge,
  lockRecurringCharges,
  requireActiveOrPendingLease,
  setRecurringChargeStatus,
  transitionRecurringCharge,
} from "./recurring-charges.ts";
import { changeEndOfRenewalFees, previousTerms } from "./renewal-fees.ts";
import { findPosted, publishChange } from "./split-rule.ts";
import { requireEndAfterPosted } from "./rule-change.rules.ts";

type RuleResponse = { recurringChargeRule: View };
const publish = eventPublisher("ledger");

/** Throws 409 `lease_not_active` for a rule of a drafted lease. */
async function requireLeaseNotDraft(tx: OrgTx, { leaseId }: Pick<RecurringChargeRule, "leaseId">): Promise<void> {
  if (leaseId && (await findLease(tx, leaseId))?.status === "draft") throw conflict("The lease is draft. Activate the lease first.", "lease_not_active");
}

/** Activates a draft. Charges that were due before today are posted only with `postMissed`. */
export const activateRecurringCharge = (db: OrgDb, id: string, postMissed: boolean): Promise<RuleResponse> =>
  transaction(db, async (tx) => {
    const { timezone } = await getLedgerSettings(tx);
    const { rule } = await lockOfficeRule(tx, id, "Activate the lease to activate it.");
    if (rule.status !== "draft") throw conflict(`The recurring charge is ${rule.status}; only a draft can be activated.`, "invalid_transition");
    await requireActiveOrPendingLease(tx, rule);
    await transitionRecurringCharge(tx, rule, "active", { postFrom: postMissed ? rule.startDate : maxDate(rule.startDate, today(timezone)) });
    return { recurringChargeRule: await getRecurringCharge(tx, id) };
  });

/** Pauses a recurring charge, and its continuation on a renewal that has not begun. Periods due while it is paused are not charged. */
export const pauseRecurringCharge = (db: OrgDb, id: string): Promise<RuleResponse> =>
  transaction(db, async (tx) => {
    const { rule, renewalFees } = await lockRule(tx, id);
    await transitionRecurringCharge(tx, rule, "paused");
    for (const fee of renewalFees) if (fee.status !== "paused") await setRecurringChargeStatus(tx, fee, "paused");
    return { recurringChargeRule: await getRecurringCharge(tx, id) };
  });

/**
 * Resumes a paused recurring charge from today, or with `postMissed` including the periods missed while it was paused. Its continuation
 * on a renewal that has not begun is resumed, too, on a drafted one as a draft.
 */
export const resumeRecurringCharge = (db: OrgDb, id: string, postMissed: boolean): Promise<RuleResponse> =>
  transaction(db, async (tx) => {
    const { timezone } = await getLedgerSettings(tx);
    const { rule, renewalFees } = await lockRule(tx, id);
    if (rule.status !== "paused") throw conflict(`The recurring charge is ${rule.status}; only a paused one can be resumed.`, "invalid_transition");
    await requireLeaseNotDraft(tx, rule);
    await transitionRecurringCharge(tx, rule, "active", postMissed ? {} : { postFrom: today(timezone) });
    for (const fee of renewalFees.filter(({ status }) => status === "paused"))
      await setRecurringChargeStatus(tx, fee, (await findLease(tx, fee.leaseId!))?.status === "draft" ? "draft" : "active");
    return { recurringChargeRule: await getRecurringCharge(tx, id) };
  });

/**
 * Sets the end date of a recurring charge. A draft, and a rule that has nothing left to post up to an end date in the past, ends
 * at once; any other rule ends after its last charges are posted and its end date has passed.
 */
export const endRecurringCharge = (db: OrgDb, id: string, endDate: string): Promise<RuleResponse> =>
  transaction(db, async (tx) => {
    const { timezone, policies } = await getLedgerSettings(tx);
    const { rule, renewalFees } = await lockOfficeRule(tx, id, "It ends with the lease: terminate the lease, or change its end date.");
    recurringChargeStateMachine.transition(rule.status, "ended");
    const { chargedPeriods, lastDueDate } = await findPosted(tx, id);
    requireEndAfterPosted(endDate, rule, lastDueDate);
    const previous = previousTerms(rule);
    tx.assign(rule, await endDateChange(tx, rule, endDate));
    await changeEndOfRenewalFees(tx, renewalFees, rule, previous, endDate);
    const isOver = endDate < today(timezone);
    const unposted = rule.status === "active" ? duePeriods(ruleTerms(rule), endDate, policies.prorationMethod, new Set(chargedPeriods)) : [];
    const hasUnpostedCharges = unposted.length > 0;
    if (rule.status === "draft" || (isOver && !hasUnpostedCharges)) await transitionRecurringCharge(tx, rule, "ended");
    else await publishChange(tx, rule);
    if (isOver && hasUnpostedCharges) await scheduleNow(tx, "postDueCharges");
    return { recurringChargeRule: await getRecurringCharge(tx, id) };
  });

/** Ends the recurring charges on deleted units. Idempotent. */
export const endRecurringChargesOnUnits = (db: OrgDb, unitIds: readonly string[]): Promise<void> =>
  transaction(db, async (tx) => {
    const rules = await lockRecurringCharges(tx, sql`lease_id is null and unit_id = any(${[...unitIds]}::uuid[]) and status <> 'ended'`);
    for (const rule of rules) await transitionRecurringCharge(tx, rule, "ended");
  });

/** Soft-deletes a draft. Throws 409 for a rule that was active, because its charges refer to it. */
export const deleteRecurringCharge = (db: OrgDb, id: string): Promise<RuleResponse> =>
  transaction(db, async (tx) => {
    const { rule } = await lockOfficeRule(tx, id, "Delete or cancel the lease instead.");
    if (rule.status !== "draft")
      throw conflict(`The recurring charge is ${rule.status}; only a draft can be deleted. End the recurring charge instead.`, "invalid_transition");
    tx.assign(rule, { deletedAt: now() });
    await publish(tx, "recurring_charge.deleted", { entityId: id, data: { leaseId: rule.leaseId ?? null, status: rule.status } });
    return { recurringChargeRule: await getRecurringCharge(tx, id, { includeDeleted: true }) };
  });
