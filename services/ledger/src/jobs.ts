/** Scheduled jobs of an organization. The daily ones run at the start of its day. */
import { now, today } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { Job } from "@freehold/kit/jobs/scheduler";
import { sql } from "@freehold/kit/db/statement";
import { getLedgerSettings, inLedgerTimezone } from "./settings/ledger-settings.ts";
import { nextMidnight, publishOverdueCharges } from "./receivables/charges/overdue-charges.ts";
import { postDueCharges, REASON_RULE_CHANGED } from "./receivables/charges/post-due-charges.ts";
import { assessLateFees } from "./receivables/late-fees/assess-late-fees.ts";
import { reviewLateFees } from "./receivables/late-fees/review-late-fees.ts";
import type { Clients } from "./clients.ts";
import { applyPostponedCredit } from "./receivables/allocations/apply-credit.ts";
import { REASSIGN_MERGED_TENANTS_JOB, reassignMergedTenantsJob } from "./receivables/tenant-merges/tenant-merges.ts";
import { RAISE_DIAGNOSTICS_JOB, raiseDiagnostics } from "./trust/diagnostics/raise-diagnostics.ts";
import { lockRecurringCharges, transitionRecurringCharge } from "./receivables/recurring-charges/recurring-charges.ts";

/** Returns the jobs by the name under which they are scheduled. */
export const jobs = (clients: Clients): Record<string, Job> => ({
  postDueCharges: async (db) => {
    try {
      return await postChargesAndEndRules(db, clients);
    } finally {
      // Also after a failed recurring charge, so that it does not delay the late fees of other charges.
      await assessLateFees(db, clients, { dryRun: false }, true);
    }
  },
  announceOverdueCharges: publishOverdueCharges,
  reviewLateFees,
  applyPostponedCredit,
  [REASSIGN_MERGED_TENANTS_JOB]: reassignMergedTenantsJob,
  [RAISE_DIAGNOSTICS_JOB]: (db) => raiseDiagnostics(db, clients),
});

/** Posts the charges that are due and ends the recurring charges that are over. Returns the time of the next run. */
async function postChargesAndEndRules(db: OrgDb, clients: Clients): Promise<Date> {
  // Portfolio finds the active lease of a unit as of today in the principal's time zone.
  const { posting } = await postDueCharges(await inLedgerTimezone(db), clients, { dryRun: false });
  const { timezone } = await getLedgerSettings(db);
  const changedRuleIds = posting.lines.filter(({ reason }) => reason === REASON_RULE_CHANGED).map(({ ruleId }) => ruleId);
  await endExpiredRules(db, today(timezone), changedRuleIds);
  return changedRuleIds.length > 0 ? now() : nextMidnight(timezone);
}

/**
 * Ends the recurring charges whose end date has passed. Skips those that changed during the run, since they may have charges to post, and
 * those that a renewal ends which has not begun: it may continue them when it begins, and they continue when it is cancelled.
 */
const endExpiredRules = (db: OrgDb, day: string, changedRuleIds: readonly string[]): Promise<void> =>
  transaction(db, async (tx) => {
    const expired = await lockRecurringCharges(
      tx,
      sql`status in ('active', 'paused') and end_date < ${day} and id <> all(${[...changedRuleIds]}::uuid[])
        and not exists (select from lease_copy renewal where renewal.organization_id = recurring_charge_rule.organization_id
          and renewal.id = recurring_charge_rule.followed_by_lease_id and renewal.status <> 'cancelled' and coalesce(renewal.billing_started_as, 'pending') = 'pending')`,
    );
    for (const rule of expired) await transitionRecurringCharge(tx, rule, "ended");
  });
