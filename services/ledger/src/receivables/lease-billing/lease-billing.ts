/**
 * Billing of leases: their recurring charges start and end with the lease. Portfolio requests each step over gRPC after a
 * lease changed, and the event of the change repeats it, so every step is idempotent.
 */
import { now, today } from "@freehold/kit/time/clock";
import { addDays, minDate, startOfMonth, endOfMonth, maxDate } from "@freehold/kit/time/plain-date";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import type { LeaseBilling } from "@freehold/proto/ledger/v1/ledger";
import type { Lease } from "@freehold/proto/portfolio/v1/portfolio";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { getChart, type Chart } from "../../chart/categories.ts";
import { RENT_INCOME } from "../../chart/chart.ts";
import { chargeColumns, chargeView, type ChargeRow } from "../charges/charge.view.ts";
import { postCharges } from "../charges/post-charges.ts";
import type { Clients } from "../../clients.ts";
import { findProjectedLeases, saveLeases } from "../../projections/projections.ts";
import { lockLease } from "../../projections/lock-leases.ts";
import { RecurringChargeRule } from "../recurring-charges/recurring-charge.entity.ts";
import { transitionRecurringCharge } from "../recurring-charges/recurring-charges.ts";
import { recurringChargeView, ruleColumns, type RuleRow } from "../recurring-charges/recurring-charge.view.ts";
import { ownEndDateOf } from "./predecessor-rules.ts";
import { lockRulesWithCharges, ofLeasesOrTheirUnits } from "./lock-billing.ts";
import { rebillRules, rebillUnitRules } from "./rebill-rules.ts";
import { initialRentCents } from "./rent-schedule.rules.ts";

const publish = eventPublisher("ledger");
/** Rent of the month of termination: up to the termination date, the full month, or none. */
export type FinalRent = "prorate" | "full" | "none";

interface TerminationTerms {
  terminationDate: string;
  finalRent: FinalRent;
  terminationFeeCents?: number | undefined;
}

/** Ends the billing of a terminated lease: ends its recurring charges, settles its last month and charges the termination fee. */
export async function endLeaseBilling(db: OrgDb, clients: Clients, lease: Lease, terms: TerminationTerms): Promise<LeaseBilling> {
  await saveLeases(db, clients.portfolio, [lease]);
  const [chart, settings, leases] = await Promise.all([getChart(db), getLedgerSettings(db), findProjectedLeases(db, clients.portfolio, [lease.id])]);
  const { terminationDate, terminationFeeCents: amountCents } = terms;
  const projectedLease = leases.get(lease.id)!;
  await transaction(db, async (tx) => {
    await lockLease(tx, lease.id);
    if ((await markBillingStep(tx, [lease.id], "billing_ended_at")).size === 0) return;
    // Includes ended rules: those of an expired lease may have charged days after the termination date.
    const locked = await lockRulesWithCharges(tx, ofLeasesOrTheirUnits(tx, [lease.id]));
    const rules = locked.filter(({ leaseId }) => leaseId === lease.id);
    for (const rule of rules) {
      const lastDay = rule.isLeaseRent ? lastDayOfRent(terms) : terminationDate;
      // A renewal that has not begun is cancelled by the termination, and must not reinstate the rule.
      const endDate = ownEndDateOf(rule);
      tx.assign(rule, { endDate: endDate ? minDate(endDate, lastDay) : lastDay, followedByLeaseId: null, ownEndDate: null });
    }
    const context = { settings, chart, projectedLease, voidReason: "The lease was terminated." };
    await rebillRules(tx, context, rules);
    await rebillUnitRules(tx, context, locked, terminationDate);
    const isOver = ({ status, startDate, endDate }: RecurringChargeRule) => status === "draft" || endDate! < maxDate(today(settings.timezone), startDate);
    for (const rule of rules) if (rule.status !== "ended" && isOver(rule)) await transitionRecurringCharge(tx, rule, "ended");
    if (amountCents)
      await postCharges(tx, settings, chart, [{ lease: projectedLease, amountCents, dueDate: terminationDate, chargeType: "fee", name: "Termination fee" }]);
  });
  return getLeaseBilling(db, lease.id, await findChargesSinceBillingEnd(db, lease.id));
}

const lastDayOfRent = ({ terminationDate, finalRent }: TerminationTerms): string =>
  ({ prorate: terminationDate, full: endOfMonth(terminationDate), none: addDays(startOfMonth(terminationDate), -1) })[finalRent];

/** Marks a billing step of leases as done, and returns the ids of the leases for which it was not done before. */
export async function markBillingStep(tx: OrgTx, leaseIds: readonly string[], step: "billing_started_at" | "billing_ended_at"): Promise<Set<string>> {
  const marked = await tx.all(sql<{ id: string }>`update lease_copy set ${sql.ref(step)} = ${now()}
    where organization_id = ${tx.organizationId} and id = any(${[...leaseIds]}::uuid[]) and ${sql.ref(step)} is null returning id`);
  return new Set(marked.map(({ id }) => id));
}

/** Returns the ids of the charges posted since the billing of the lease ended, so that a repeated request gets the same response. */
async function findChargesSinceBillingEnd(db: OrgDb, leaseId: string): Promise<string[]> {
  const rows = await db.all(sql<{ id: string }>`select c.id from charge c join lease_copy l on l.organization_id = c.organization_id and l.id = c.lease_id
    where c.organization_id = ${db.organizationId} and c.lease_id = ${leaseId} and c.created_at >= l.billing_ended_at`);
  return rows.map(({ id }) => id);
}

/** Returns the first day that the ledger bills: the start of the lease, or the later day until which another system billed. */
export const billingStartDate = ({ startDate, billFrom = startDate }: Lease): string => maxDate(startDate, billFrom);

/**
 * Returns the start of a fee after the start of its lease moved. A fee from the start of the lease on moves with it; a fee that was
 * agreed from a later day on keeps that day, but never starts before the lease.
 */
export function movedFeeStart(fee: RecurringChargeRule, previousLeaseStart: string | undefined, lease: Lease) {
  const { startDate } = lease;
  if (previousLeaseStart === startDate) return {};
  const startsWithLease = previousLeaseStart !== undefined && fee.startDate <= previousLeaseStart;
  return startsWithLease ? { startDate, postFrom: billingStartDate(lease) } : { startDate: maxDate(fee.startDate, startDate) };
}

type NewRule = Pick<RecurringChargeRule, "amountCents" | "categoryId" | "dayOfMonth" | "kind" | "label" | "status" | "isLeaseRent" | "proratesFirstMonth"> &
  Partial<Pick<RecurringChargeRule, "startDate" | "endDate" | "postFrom" | "rentChangeId">>;

/** Creates a recurring charge of a lease, by default for the whole term of the lease. */
export async function createLeaseRule(tx: OrgTx, lease: Lease, newRule: NewRule): Promise<RecurringChargeRule> {
  const { id, propertyId, unitId, tenantId, startDate, billedUntil } = lease;
  const rule = tx.create(RecurringChargeRule, {
    id: newId(),
    leaseId: id,
    propertyId,
    unitId,
    tenantId,
    startDate,
    endDate: billedUntil ?? null,
    postFrom: billingStartDate(lease),
    ...newRule,
  });
  await publish(tx, "recurring_charge.created", { entityId: rule.id, data: { leaseId: id, status: newRule.status } });
  return rule;
}

/** Creates the recurring charge of a lease's initial rent, unless the lease has none to charge. */
export async function createInitialRentRule(tx: OrgTx, chart: Chart, lease: Lease, status: "draft" | "active"): Promise<RecurringChargeRule | undefined> {
  const rentCents = initialRentCents(lease);
  if (!lease.createRecurringRent || rentCents === 0) return undefined;
  return createLeaseRule(tx, lease, {
    amountCents: rentCents as NewRule["amountCents"],
    categoryId: chart.accountId(RENT_INCOME),
    dayOfMonth: lease.rentChargeDay,
    kind: "rent",
    label: "Rent",
    status,
    isLeaseRent: true,
    proratesFirstMonth: lease.prorateFirstMonth,
  });
}

/** Returns the recurring charges of a lease and the given charges of it. */
export const getLeaseBilling = async (db: OrgDb, leaseId: string, chargeIds: readonly string[]): Promise<LeaseBilling> =>
  (await getLeaseBillings(db, [leaseId], chargeIds))[0]!;

/** Returns the recurring charges of leases and the given charges of them, in the order of the leases. */
export async function getLeaseBillings(db: OrgDb, leaseIds: readonly string[], chargeIds: readonly string[]): Promise<LeaseBilling[]> {
  const rulesByLease = Map.groupBy(await selectRules(db, leaseIds), ({ leaseId }) => leaseId);
  const charges =
    chargeIds.length === 0
      ? []
      : await db.all(
          sql<ChargeRow>`select ${chargeColumns} from charge c where c.organization_id = ${db.organizationId} and c.id = any(${[...chargeIds]}::uuid[]) order by c.due_date, c.id`,
        );
  const chargesByLease = Map.groupBy(charges, ({ leaseId }) => leaseId);
  return leaseIds.map((id) => ({
    recurringChargeRules: (rulesByLease.get(id) ?? []).map((row) => JSON.stringify(recurringChargeView(row))),
    charges: (chargesByLease.get(id) ?? []).map((row) => JSON.stringify(chargeView(row, db.principal.timezone))),
  }));
}

const selectRules = (db: OrgDb, leaseIds: readonly string[]): Promise<RuleRow[]> =>
  db.all(sql<RuleRow>`select ${ruleColumns} from recurring_charge_rule r
    where r.organization_id = ${db.organizationId} and r.lease_id = any(${[...leaseIds]}::uuid[]) order by r.created_at, r.id limit 5000`);

/** Returns the recurring charges of leases as JSON of the public contract, oldest first. */
export const listLeaseRules = async (db: OrgDb, leaseIds: readonly string[]): Promise<string[]> =>
  (await selectRules(db, leaseIds)).map((row) => JSON.stringify(recurringChargeView(row)));
