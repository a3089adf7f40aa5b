/** Change of a recurring charge's terms. What is posted stays; later months are charged with the new terms. */
import type { RecurringChargeRule as View, recurringCharges } from "@freehold/contract/ledger/recurring-charges";
import type { BodyOf } from "@freehold/contract/operation";
import { today } from "@freehold/kit/time/clock";
import { addDays, minDate } from "@freehold/kit/time/plain-date";
import { newId } from "@freehold/kit/db/entity";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { getChart, requireIncomeAccount } from "../../chart/categories.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { lockLease } from "../../projections/lock-leases.ts";
import { RecurringChargeRule } from "./recurring-charge.entity.ts";
import { getRecurringCharge } from "./recurring-charges.ts";
import { changeStart, requireEndAfterPosted } from "./rule-change.rules.ts";

type Body = BodyOf<typeof recurringCharges.operations.updateRecurringCharge>;
const publish = eventPublisher("ledger");

/**
 * Changes the terms of a recurring charge. When months before `applyFrom` are still to be charged, the rule is split: it charges
 * these months with the previous terms, and a new rule the later ones.
 */
export async function updateRecurringCharge(db: OrgDb, id: string, body: Body): Promise<{ recurringChargeRule: View; previousRule: View | null }> {
  const { applyFrom, endDate: requestedEndDate, ...terms } = body;
  if (terms.categoryId) requireIncomeAccount(await getChart(db), terms.categoryId, "categoryId");
  return transaction(db, async (tx) => {
    const rule = await lockOfficeRule(tx, id, "The rent of a lease is changed by a rent change: POST /api/leases/{id}/rent-changes.");
    if (rule.status === "ended") throw conflict("The recurring charge has ended and cannot be changed. Create a new one.", "invalid_transition");
    const { chargedPeriods, lastDueDate } = await findPosted(tx, id);
    const endDate = requestedEndDate === undefined ? (rule.endDate ?? null) : requestedEndDate;
    if (endDate !== null && requestedEndDate !== undefined) requireEndAfterPosted(endDate, rule, lastDueDate);
    const { timezone } = await getLedgerSettings(tx);
    // A draft charges nothing yet, so its terms are replaced.
    const dayOfMonth = rule.status === "draft" ? undefined : terms.dayOfMonth;
    const { month, isSplit } = changeStart(rule, endDate, chargedPeriods, { applyFrom, dayOfMonth }, today(timezone));
    const hasNewTerms = Object.values(omitUndefined(terms)).length > 0;
    const changed = isSplit && hasNewTerms ? splitRule(tx, rule, month) : rule;
    if (requestedEndDate !== undefined) tx.assign(changed, await endDateChange(tx, changed, requestedEndDate));
    tx.assign(changed, omitUndefined(terms));
    // The month is charged with the new due date, even when that is before the day from which the rule posted.
    if (terms.dayOfMonth !== undefined) tx.assign(changed, { postFrom: month });
    await tx.flush();
    await publishChange(tx, rule);
    if (changed === rule) return { recurringChargeRule: await getRecurringCharge(tx, id), previousRule: null };
    await publish(tx, "recurring_charge.created", { entityId: changed.id, data: { leaseId: changed.leaseId ?? null, status: changed.status } });
    return { recurringChargeRule: await getRecurringCharge(tx, changed.id), previousRule: await getRecurringCharge(tx, id) };
  });
}

/** Publishes that the terms or the end date of a recurring charge changed. */
export const publishChange = (tx: OrgTx, { id, leaseId = null, status }: RecurringChargeRule): Promise<void> =>
  publish(tx, "recurring_charge.terms_changed", { entityId: id, data: { leaseId, status } });

/**
 * Locks a recurring charge that the office may change, and its lease, so that a termination meanwhile sees the change. Throws 409 with
 * the given remedy for the rent of a lease, which changes with the lease.
 */
export async function lockOfficeRule(tx: OrgTx, id: string, remedy: string): Promise<RecurringChargeRule> {
  const { leaseId } = await getRecurringCharge(tx, id);
  if (leaseId) await lockLease(tx, leaseId);
  const rule = await tx.getForUpdate(RecurringChargeRule, id, "Recurring charge");
  if (rule.isLeaseRent) throw conflict(`This recurring charge is the rent of its lease. ${remedy}`, "resource_in_use");
  return rule;
}

/** Returns the periods that a recurring charge has charged, including charges that the office voided, and the last due date of a charge that is not voided. */
export async function findPosted(tx: OrgTx, ruleId: string): Promise<{ chargedPeriods: string[]; lastDueDate: string | null }> {
  const charges = await tx.all(sql<{ periodStart: string; dueDate: string; status: string }>`select period_start, due_date, status from charge
    where organization_id = ${tx.organizationId} and recurring_charge_rule_id = ${ruleId} and not is_superseded order by due_date`);
  return {
    chargedPeriods: charges.map(({ periodStart }) => periodStart),
    lastDueDate: charges.findLast(({ status }) => status !== "voided")?.dueDate ?? null,
  };
}

/** Ends a rule before a month and returns the new rule that continues it from that month on. */
function splitRule(tx: OrgTx, rule: RecurringChargeRule, month: string): RecurringChargeRule {
  const { leaseId, unitId, propertyId, tenantId, amountCents, categoryId, dayOfMonth, kind, label, status, endDate, followedByLeaseId, ownEndDate } = rule;
  const target = { leaseId, unitId, propertyId, tenantId };
  const terms = { amountCents, categoryId, dayOfMonth, kind, label, status, endDate, followedByLeaseId, ownEndDate };
  tx.assign(rule, { endDate: addDays(month, -1), followedByLeaseId: null, ownEndDate: null });
  return tx.create(RecurringChargeRule, {
    id: newId(),
    ...target,
    ...terms,
    startDate: month,
    postFrom: month,
    isLeaseRent: false,
    proratesFirstMonth: false,
  });
}

/** Returns the columns of a new end date. A rule of a lease with a renewal still ends before the renewal starts. */
export async function endDateChange(
  tx: OrgTx,
  { followedByLeaseId }: Pick<RecurringChargeRule, "followedByLeaseId">,
  endDate: string | null,
): Promise<Partial<Pick<RecurringChargeRule, "endDate" | "ownEndDate">>> {
  if (!followedByLeaseId) return { endDate };
  const renewal = await tx.first(
    sql<{ startDate: string }>`select start_date from lease_copy where organization_id = ${tx.organizationId} and id = ${followedByLeaseId}`,
  );
  const lastDay = renewal ? addDays(renewal.startDate, -1) : null;
  return { ownEndDate: endDate, endDate: endDate && lastDay ? minDate(endDate, lastDay) : (lastDay ?? endDate) };
}
