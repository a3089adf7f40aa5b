/** Change of a recurring charge's terms. What is posted stays; later months are charged with the new terms. */
import type { RecurringChargeRule as View, recurringCharges } from "@freehold/contract/ledger/recurring-charges";
import type { BodyOf } from "@freehold/contract/operation";
import { today } from "@freehold/kit/time/clock";
import { addDays, minDate } from "@freehold/kit/time/plain-date";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { getChart, requireIncomeAccount } from "../../chart/categories.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { lockLease } from "../../projections/lock-leases.ts";
import { RecurringChargeRule } from "./recurring-charge.entity.ts";
import { getRecurringCharge } from "./recurring-charges.ts";
import { findPosted, publishChange, publishCreated, splitRule, type ChangedTerms } from "./split-rule.ts";
import { changeEndOfRenewalFees, changeTermsOfRenewalFees, lockRenewalFees, previousTerms } from "./renewal-fees.ts";
import { changeStart, requireEndAfterPosted } from "./rule-change.rules.ts";

type Body = BodyOf<typeof recurringCharges.operations.updateRecurringCharge>;

/**
 * Changes the terms of a recurring charge. When months before `applyFrom` are still to be charged, the rule is split: it charges
 * these months with the previous terms, and a new rule the later ones.
 */
export async function updateRecurringCharge(db: OrgDb, id: string, body: Body): Promise<{ recurringChargeRule: View; previousRule: View | null }> {
  const { applyFrom, endDate: requestedEndDate, ...requestedTerms } = body;
  const terms: ChangedTerms = omitUndefined(requestedTerms);
  if (terms.categoryId) requireIncomeAccount(await getChart(db), terms.categoryId, "categoryId");
  return transaction(db, async (tx) => {
    const { rule, renewalFees } = await lockRule(tx, id);
    if (!isOnlyNamed(body)) requireOfficeRule(rule, "The rent of a lease is changed by a rent change: POST /api/leases/{id}/rent-changes.");
    const previous = previousTerms(rule);
    if (rule.status === "ended") throw conflict("The recurring charge has ended and cannot be changed. Create a new one.", "invalid_transition");
    if (rule.isLeaseRent) return nameRent(tx, rule, terms);
    const { chargedPeriods, lastDueDate } = await findPosted(tx, id);
    const endDate = requestedEndDate === undefined ? (rule.endDate ?? null) : requestedEndDate;
    if (endDate !== null && requestedEndDate !== undefined) requireEndAfterPosted(endDate, rule, lastDueDate);
    const { timezone } = await getLedgerSettings(tx);
    // A draft charges nothing yet, so its terms are replaced unless they are to apply from a later day.
    const dayOfMonth = rule.status === "draft" && applyFrom === undefined ? undefined : terms.dayOfMonth;
    const { month, isSplit } = changeStart(rule, endDate, chargedPeriods, { applyFrom, dayOfMonth }, today(timezone));
    const hasNewTerms = Object.keys(terms).length > 0;
    const hasNewDueDay = dayOfMonth !== undefined && dayOfMonth !== rule.dayOfMonth;
    const changed = isSplit && hasNewTerms ? splitRule(tx, rule, month) : rule;
    if (requestedEndDate !== undefined) tx.assign(changed, await endDateChange(tx, changed, requestedEndDate));
    tx.assign(changed, terms);
    // The month is charged with the new due date, even when that is before the day from which the rule posted.
    if (hasNewDueDay) tx.assign(changed, { postFrom: month });
    await tx.flush();
    if (requestedEndDate !== undefined) await changeEndOfRenewalFees(tx, renewalFees, rule, previous, requestedEndDate);
    if (hasNewTerms) await changeTermsOfRenewalFees(tx, renewalFees, changed, previous, { month, isSplit, terms });
    await publishChange(tx, rule);
    if (changed === rule) return { recurringChargeRule: await getRecurringCharge(tx, id), previousRule: null };
    await publishCreated(tx, changed);
    return { recurringChargeRule: await getRecurringCharge(tx, changed.id), previousRule: await getRecurringCharge(tx, id) };
  });
}

/** Tells whether a change concerns only the name and the account of the charges, which the rent of a lease has as well. */
const isOnlyNamed = ({ label: _label, categoryId: _categoryId, ...others }: Body): boolean => Object.keys(omitUndefined(others)).length === 0;

/** Changes the name and the account of the rent of a lease. A later rent change takes them over. */
async function nameRent(tx: OrgTx, rule: RecurringChargeRule, terms: ChangedTerms): Promise<{ recurringChargeRule: View; previousRule: null }> {
  tx.assign(rule, terms);
  await tx.flush();
  await publishChange(tx, rule);
  return { recurringChargeRule: await getRecurringCharge(tx, rule.id), previousRule: null };
}

interface LockedRule {
  rule: RecurringChargeRule;
  /** Fees that continue the rule on renewals that have not begun. */
  renewalFees: RecurringChargeRule[];
}

/** Locks the lease of a recurring charge, so that a concurrent termination sees the change, then the recurring charge and its renewals' fees in id order. */
export async function lockRule(tx: OrgTx, id: string): Promise<LockedRule> {
  const { leaseId } = await getRecurringCharge(tx, id);
  if (leaseId) await lockLease(tx, leaseId);
  const renewalFees = await lockRenewalFees(tx, id);
  return { rule: await tx.getForUpdate(RecurringChargeRule, id, "Recurring charge", { deletedAt: null }), renewalFees };
}

/** Like `lockRule`, for a change by the office. Throws 409 with the given remedy for the rent of a lease, which changes with the lease. */
export async function lockOfficeRule(tx: OrgTx, id: string, remedy: string): Promise<LockedRule> {
  const locked = await lockRule(tx, id);
  requireOfficeRule(locked.rule, remedy);
  return locked;
}

function requireOfficeRule({ isLeaseRent }: RecurringChargeRule, remedy: string): void {
  if (isLeaseRent) throw conflict(`This recurring charge is the rent of its lease. ${remedy}`, "resource_in_use");
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
