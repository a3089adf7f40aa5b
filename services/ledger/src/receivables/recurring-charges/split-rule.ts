/** Split of a recurring charge whose terms change from a month on, with its posted charges and the events of its changes. */
import { addDays, maxDate } from "@freehold/kit/time/plain-date";
import { newId } from "@freehold/kit/db/entity";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { RecurringChargeRule } from "./recurring-charge.entity.ts";

const publish = eventPublisher("ledger");

/** Terms that a change sets, besides the end date. */
export type ChangedTerms = Partial<Pick<RecurringChargeRule, "amountCents" | "categoryId" | "dayOfMonth" | "label">>;

/** Publishes that the terms or the end date of a recurring charge changed. */
export const publishChange = (tx: OrgTx, { id, leaseId = null, status }: RecurringChargeRule): Promise<void> =>
  publish(tx, "recurring_charge.terms_changed", { entityId: id, data: { leaseId, status } });

/** Returns the end dates of recurring charges by id. */
export const endDatesOf = (rules: readonly RecurringChargeRule[]): Map<string, string | null> => new Map(rules.map(({ id, endDate = null }) => [id, endDate]));

/** Publishes the change of each recurring charge that has another end date than before. That of an ended one has been published with its status. */
export async function publishMovedEnds(tx: OrgTx, rules: readonly RecurringChargeRule[], formerEnds: ReadonlyMap<string, string | null>): Promise<void> {
  for (const rule of rules) if (rule.status !== "ended" && formerEnds.get(rule.id) !== (rule.endDate ?? null)) await publishChange(tx, rule);
}

/** Publishes that a recurring charge was created. */
export const publishCreated = (tx: OrgTx, { id, leaseId = null, status }: RecurringChargeRule): Promise<void> =>
  publish(tx, "recurring_charge.created", { entityId: id, data: { leaseId, status } });

/** Returns the charged periods of a recurring charge, voided charges included, and the last due date of a charge that is not voided. */
export async function findPosted(tx: OrgTx, ruleId: string): Promise<{ chargedPeriods: string[]; lastDueDate: string | null }> {
  const charges = await tx.all(sql<{ periodStart: string; dueDate: string; status: string }>`select period_start, due_date, status from charge
    where organization_id = ${tx.organizationId} and recurring_charge_rule_id = ${ruleId} and not is_superseded order by due_date`);
  return {
    chargedPeriods: charges.map(({ periodStart }) => periodStart),
    lastDueDate: charges.findLast(({ status }) => status !== "voided")?.dueDate ?? null,
  };
}

/**
 * Ends a rule before a month and returns the new rule that continues it from that month on. If the rule starts in that month or later,
 * its first part charges nothing, unless its start date is moved before that month.
 */
export function splitRule(tx: OrgTx, rule: RecurringChargeRule, month: string): RecurringChargeRule {
  const { leaseId, unitId, propertyId, tenantId, amountCents, categoryId, dayOfMonth, kind, label, status, startDate, endDate } = rule;
  const { continuesRuleId, followedByLeaseId, ownEndDate, isRentPart, leaseEnd } = rule;
  const target = { leaseId, unitId, propertyId, tenantId };
  const terms = { amountCents, categoryId, dayOfMonth, kind, label, status, endDate, continuesRuleId, followedByLeaseId, ownEndDate, isRentPart, leaseEnd };
  tx.assign(rule, { endDate: addDays(month, -1), followedByLeaseId: null, ownEndDate: null });
  return tx.create(RecurringChargeRule, {
    id: newId(),
    ...target,
    ...terms,
    startDate: maxDate(month, startDate),
    agreedFrom: month,
    postFrom: maxDate(month, startDate),
    isLeaseRent: false,
    proratesFirstMonth: isRentPart,
  });
}
