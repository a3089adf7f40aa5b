/** Recurring charges: create, read and list. */
import type { BodyOf, QueryOf } from "@freehold/contract/operation";
import type { RecurringChargeRule as View, recurringCharges } from "@freehold/contract/ledger/recurring-charges";
import { today } from "@freehold/kit/time/clock";
import { maxDate, minDate } from "@freehold/kit/time/plain-date";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { conflict, invalid, notFound, unknownReference } from "@freehold/kit/errors";
import { listAllOrPage, listConditions } from "@freehold/kit/db/list";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { getChart, requireIncomeAccount } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { listCharges } from "../charges/charges.ts";
import { lockLease } from "../../projections/lock-leases.ts";
import { findProjectedLeases, readLeases } from "../../projections/projections.ts";
import { RecurringChargeRule } from "./recurring-charge.entity.ts";
import { recurringChargeStateMachine } from "./recurring-charge.rules.ts";
import { recurringChargeView, ruleColumns, type RuleRow } from "./recurring-charge.view.ts";

type Operations = typeof recurringCharges.operations;
const publish = eventPublisher("ledger");

/** Returns a recurring charge. Throws a 404 for an unknown or deleted one; with `includeDeleted` also returns a deleted draft. */
export async function getRecurringCharge(db: StatementRunner, id: string, { includeDeleted = false } = {}): Promise<View> {
  const row = await db.first(sql<RuleRow>`select ${ruleColumns} from recurring_charge_rule r
    where r.organization_id = ${db.organizationId} and r.id = ${id} and (${includeDeleted} or r.deleted_at is null)`);
  if (!row) throw notFound("Recurring charge");
  return recurringChargeView(row);
}

/** Returns the matching recurring charges, oldest first: all of them, or one page when the query has `page` or `pageSize`. */
export async function listRecurringCharges(db: OrgDb, { leaseId, unitId, kind, ...query }: QueryOf<Operations["listRecurringCharges"]>) {
  const { rows, paging } = await listAllOrPage<RuleRow>(
    db,
    { ...query, sortBy: "createdAt", sortDirection: "asc" },
    {
      table: "r",
      select: ruleColumns,
      from: sql`recurring_charge_rule r`,
      sorts: { createdAt: sql`r.created_at` },
      where: [
        ...listConditions(db, "r", query),
        leaseId !== undefined && sql`r.lease_id = ${leaseId}`,
        unitId !== undefined && sql`r.unit_id = ${unitId}`,
        kind !== undefined && sql`r.kind = any(${kind})`,
      ],
    },
  );
  return { recurringChargeRules: rows.map(recurringChargeView), ...paging };
}

/** Returns a page of the charges that a recurring charge has posted. Throws 404 for an unknown recurring charge. */
export async function listRecurringChargeCharges(db: OrgDb, id: string, query: QueryOf<Operations["listRecurringChargeCharges"]>) {
  await getRecurringCharge(db, id);
  const { totals: _, ...charges } = await listCharges(db, { ...query, recurringChargeRuleId: id });
  return charges;
}

/** Part of the rent of a lease without a rent of its own, with the last day that it has from the lease. */
interface RentPart {
  leaseEnd: string | null;
}

/**
 * Creates a monthly charge on a lease or unit. Past periods are charged only with `postMissed`. Throws 409 `lease_not_active` for
 * an active charge on a lease that is neither active nor pending, nor terminated for today or a later day, with which the charge ends.
 */
export async function createRecurringCharge(
  db: OrgDb,
  clients: Clients,
  body: BodyOf<Operations["createRecurringCharge"]>,
  rentPart?: RentPart,
): Promise<{ recurringChargeRule: View }> {
  requireIncomeAccount(await getChart(db), body.categoryId, "categoryId");
  const { terminationDate, ...target } = await resolveTarget(db, clients, body);
  const { timezone } = await getLedgerSettings(db);
  const { amountCents, categoryId, dayOfMonth, startDate, endDate, kind, label, status, postMissed } = body;
  return transaction(db, async (tx) => {
    // A concurrent termination or renewal of the lease either ends this charge or is committed before the lease's status is read.
    if (target.leaseId) await lockLease(tx, target.leaseId);
    const lastDay = terminationDate !== undefined && terminationDate >= maxDate(startDate, today(timezone)) ? terminationDate : undefined;
    if (status === "active" && lastDay === undefined) await requireActiveOrPendingLease(tx, target);
    const leaseStart = target.leaseId ? (await findLease(tx, target.leaseId))?.startDate : undefined;
    // The tenant owes nothing for the days before the lease.
    const firstDay = maxDate(startDate, leaseStart ?? startDate);
    if (endDate && endDate < firstDay)
      throw invalid([{ path: "endDate", code: "before_start", message: `endDate cannot be before the start of the lease on ${firstDay}.` }]);
    const rule = tx.create(RecurringChargeRule, {
      id: newId(),
      ...target,
      agreedFrom: leaseStart !== undefined && startDate > leaseStart ? startDate : null,
      startDate: firstDay,
      amountCents,
      categoryId,
      dayOfMonth,
      endDate: lastDay === undefined ? endDate : minDate(endDate ?? lastDay, lastDay),
      kind,
      label,
      status,
      isLeaseRent: false,
      isRentPart: rentPart !== undefined,
      leaseEnd: rentPart?.leaseEnd ?? null,
      // Another system has charged the month in which a lease began before.
      proratesFirstMonth: rentPart !== undefined && firstDay >= today(timezone),
      postFrom: postMissed ? firstDay : today(timezone),
    });
    await tx.flush();
    await publish(tx, "recurring_charge.created", { entityId: rule.id, data: { leaseId: rule.leaseId ?? null, status } });
    return { recurringChargeRule: await getRecurringCharge(tx, rule.id) };
  });
}

/** Returns the lease, with its termination date, unit, property and tenant to charge, or throws a 400. A recurring charge on a unit has no lease or tenant of its own. */
async function resolveTarget(db: OrgDb, clients: Clients, { leaseId, unitId }: { leaseId?: string | undefined; unitId?: string | undefined }) {
  if (leaseId) {
    const lease = (await findProjectedLeases(db, clients.portfolio, [leaseId])).get(leaseId);
    if (!lease) throw unknownReference("leaseId", "lease");
    const [terminated] = lease.status === "terminated" ? await readLeases(db, clients.portfolio, [leaseId]) : [];
    return { leaseId, unitId: lease.unitId, propertyId: lease.propertyId, tenantId: lease.tenantId, terminationDate: terminated?.terminationDate };
  }
  const { units } = await clients.portfolio.getUnits(db, { ids: [unitId!] });
  if (!units[0] || units[0].isDeleted) throw unknownReference("unitId", "unit");
  return { leaseId: null, unitId: unitId!, propertyId: units[0].propertyId, tenantId: null };
}

export const findLease = (tx: OrgTx, leaseId: string): Promise<{ status: string; startDate: string } | undefined> =>
  tx.first(
    sql<{ status: string; startDate: string }>`select status, start_date from lease_copy where organization_id = ${tx.organizationId} and id = ${leaseId}`,
  );

/** Throws 409 `lease_not_active` for a rule of a lease that is neither active nor about to start. */
export async function requireActiveOrPendingLease(tx: OrgTx, { leaseId }: Pick<RecurringChargeRule, "leaseId">): Promise<void> {
  if (!leaseId) return;
  const lease = await findLease(tx, leaseId);
  if (!lease || lease.status === "active" || lease.status === "pending") return;
  const remedy = lease.status === "draft" ? "Activate the lease, which activates its recurring charges." : "Charge an active lease instead.";
  throw conflict(`The lease is ${lease.status}. ${remedy}`, "lease_not_active");
}

/** Locks the recurring charges that meet a condition and are not deleted, in the order of their ids, and returns their current state. */
export async function lockRecurringCharges(tx: OrgTx, condition: RawBuilder<unknown>): Promise<RecurringChargeRule[]> {
  const rows = await tx.all(
    sql<{
      id: string;
    }>`select id from recurring_charge_rule where organization_id = ${tx.organizationId} and deleted_at is null and ${condition} order by id for update`,
  );
  return tx.findAllForUpdate(
    RecurringChargeRule,
    rows.map(({ id }) => id),
  );
}

/** Changes the status of a locked recurring charge and publishes the update. Throws 409 when the transition is not allowed. */
export async function transitionRecurringCharge(tx: OrgTx, rule: RecurringChargeRule, to: View["status"], changes: { postFrom?: string } = {}): Promise<void> {
  tx.assign(rule, changes);
  await setRecurringChargeStatus(tx, rule, recurringChargeStateMachine.transition(rule.status, to));
}

/** Sets the status of a locked recurring charge that follows another one, whatever its own transitions, and publishes the update. */
export async function setRecurringChargeStatus(tx: OrgTx, rule: RecurringChargeRule, status: View["status"]): Promise<void> {
  tx.assign(rule, { status });
  await publish(tx, "recurring_charge.updated", { entityId: rule.id, data: { leaseId: rule.leaseId ?? null, status } });
}
