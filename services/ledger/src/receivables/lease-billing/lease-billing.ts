/**
 * Billing of leases: their recurring charges start and end with the lease. Portfolio requests each step over gRPC after a
 * lease changed, and the event of the change repeats the request, so every step is idempotent.
 */
import { now } from "@freehold/kit/time/clock";
import { createTurns } from "@freehold/kit/jobs/in-turn";
import { maxDate } from "@freehold/kit/time/plain-date";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import type { LeaseBilling } from "@freehold/proto/ledger/v1/ledger";
import type { Lease } from "@freehold/proto/portfolio/v1/portfolio";
import { type Chart } from "../../chart/categories.ts";
import { RENT_INCOME } from "../../chart/chart.ts";
import { chargeColumns, chargeView, type ChargeRow } from "../charges/charge.view.ts";
import { RecurringChargeRule } from "../recurring-charges/recurring-charge.entity.ts";
import { recurringChargeView, ruleColumns, type RuleRow } from "../recurring-charges/recurring-charge.view.ts";
import { initialRentCents } from "./rent-schedule.rules.ts";

const publish = eventPublisher("ledger");

/**
 * Turns of the starts and ends of each lease's billing. The event of an activation or a termination arrives while its request still runs; in its
 * turn it finds nothing left to do.
 */
export const inTurnOfLeases = createTurns();

/** Marks the billing of a lease as ended. Returns false when it was marked before. */
export async function markBillingEnded(tx: OrgTx, leaseId: string): Promise<boolean> {
  const marked = await tx.first(sql`update lease_copy set billing_ended_at = ${now()}
    where organization_id = ${tx.organizationId} and id = ${leaseId} and billing_ended_at is null returning id`);
  return marked !== undefined;
}

/** Returns the first day that the ledger bills: the start of the lease, or the later day before which another system billed. */
export const billingStartDate = ({ startDate, billFrom = startDate }: Lease): string => maxDate(startDate, billFrom);

/** Returns the first day of a fee: the start of its lease, or the later day from which the fee was agreed. */
export const feeStart = ({ agreedFrom }: RecurringChargeRule, { startDate }: Lease): string => (agreedFrom ? maxDate(agreedFrom, startDate) : startDate);

type NewRule = Pick<RecurringChargeRule, "amountCents" | "categoryId" | "dayOfMonth" | "kind" | "label" | "status" | "isLeaseRent" | "proratesFirstMonth"> &
  Partial<Pick<RecurringChargeRule, "startDate" | "endDate" | "agreedFrom" | "postFrom" | "rentChangeId" | "continuesRuleId" | "isRentPart" | "leaseEnd">>;

/** Returns the row of a recurring charge of a lease, by default for the whole term of the lease. */
const ruleRow = (lease: Lease, newRule: NewRule) => ({
  id: newId(),
  leaseId: lease.id,
  propertyId: lease.propertyId,
  unitId: lease.unitId,
  tenantId: lease.tenantId,
  startDate: lease.startDate,
  endDate: lease.billedUntil ?? null,
  postFrom: billingStartDate(lease),
  ...newRule,
});

/** Creates a recurring charge of a lease, by default for the whole term of the lease. */
export async function createLeaseRule(tx: OrgTx, lease: Lease, newRule: NewRule): Promise<RecurringChargeRule> {
  const rule = tx.create(RecurringChargeRule, ruleRow(lease, newRule));
  await publish(tx, "recurring_charge.created", { entityId: rule.id, data: { leaseId: lease.id, status: newRule.status } });
  return rule;
}

/** Returns the recurring charge of a lease's initial rent, or undefined if the lease has none to charge. */
function initialRentRule(chart: Chart, lease: Lease, status: "draft" | "active"): NewRule | undefined {
  const rentCents = initialRentCents(lease);
  if (!lease.createRecurringRent || rentCents === 0) return undefined;
  return {
    amountCents: rentCents as NewRule["amountCents"],
    categoryId: chart.accountId(RENT_INCOME),
    dayOfMonth: lease.rentChargeDay,
    kind: "rent",
    label: "Rent",
    status,
    isLeaseRent: true,
    proratesFirstMonth: lease.prorateFirstMonth,
  };
}

/** Creates the recurring charge of a lease's initial rent, unless the lease has none to charge. */
export async function createInitialRentRule(tx: OrgTx, chart: Chart, lease: Lease, status: "draft" | "active"): Promise<RecurringChargeRule | undefined> {
  const rule = initialRentRule(chart, lease, status);
  return rule && createLeaseRule(tx, lease, rule);
}

/** Recurring charge that was just created. */
export type CreatedRule = ReturnType<typeof ruleRow>;

/** Creates the active recurring charges of the initial rents of leases at once, and returns them by lease. */
export async function createInitialRentRules(tx: OrgTx, chart: Chart, leases: readonly Lease[]): Promise<Map<string, CreatedRule>> {
  const rows = leases.flatMap((lease) => {
    const rule = initialRentRule(chart, lease, "active");
    return rule ? [ruleRow(lease, rule)] : [];
  });
  await tx.insertAll(RecurringChargeRule, rows);
  await publish(tx, "recurring_charge.created", ...rows.map(({ id, leaseId, status }) => ({ entityId: id, data: { leaseId, status } })));
  return new Map(rows.map((row) => [row.leaseId, row]));
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

/** Returns the recurring charges of leases that are not deleted, oldest first. A portal user receives no drafts, which are the office's. */
const selectRules = (db: OrgDb, leaseIds: readonly string[]): Promise<RuleRow[]> =>
  db.all(sql<RuleRow>`select ${ruleColumns} from recurring_charge_rule r
    where r.organization_id = ${db.organizationId} and r.lease_id = any(${[...leaseIds]}::uuid[]) and r.deleted_at is null
      and (${db.principal.subjectId === null} or r.status <> 'draft') order by r.created_at, r.id`);

/** Returns the recurring charges of leases as JSON of the public contract, oldest first, without drafts for a portal user. */
export const listLeaseRules = async (db: OrgDb, leaseIds: readonly string[]): Promise<string[]> =>
  (await selectRules(db, leaseIds)).map((row) => JSON.stringify(recurringChargeView(row)));
