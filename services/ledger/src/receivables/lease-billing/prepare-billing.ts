/** Draft recurring charges of a renewal: its rent, and the fees of the lease that it renews. */
import { maxDate } from "@freehold/kit/time/plain-date";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { LeaseBilling } from "@freehold/proto/ledger/v1/ledger";
import type { Lease } from "@freehold/proto/portfolio/v1/portfolio";
import { getChart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { saveLeases } from "../../projections/projections.ts";
import { lockLeases } from "../../projections/lock-leases.ts";
import { RecurringChargeRule } from "../recurring-charges/recurring-charge.entity.ts";
import { createInitialRentRule, createLeaseRule, getLeaseBilling } from "./lease-billing.ts";
import { ownEndDateOf } from "./predecessor-rules.ts";
import { initialRentCents } from "./rent-schedule.rules.ts";

/** Creates the recurring charges of a renewal, unless it has some: its rent, and the fees of the previous lease that continue. */
export async function prepareLeaseBilling(db: OrgDb, clients: Clients, lease: Lease): Promise<LeaseBilling> {
  await saveLeases(db, clients.portfolio, [lease]);
  const chart = await getChart(db);
  await transaction(db, async (tx) => {
    // A concurrent change of a fee of the previous lease either commits before and is copied, or waits and changes the copy, too.
    await lockLeases(tx, [lease.id, ...(lease.renewedFromLeaseId ? [lease.renewedFromLeaseId] : [])]);
    if ((await tx.find(RecurringChargeRule, { leaseId: lease.id })).length > 0) return;
    const rent = await createInitialRentRule(tx, chart, lease, "draft");
    if (!lease.renewedFromLeaseId) return;
    if (rent) tx.assign(rent, await namingOfRent(tx, lease.renewedFromLeaseId));
    await takeOverFees(tx, lease, lease.renewedFromLeaseId);
  });
  return getLeaseBilling(db, lease.id, []);
}

/** Returns the label and the account of the latest rent of a lease; nothing for a lease without one. */
const namingOfRent = async (tx: OrgTx, leaseId: string): Promise<Partial<Pick<RecurringChargeRule, "label" | "categoryId">>> =>
  (await tx.first(sql<Pick<RecurringChargeRule, "label" | "categoryId">>`select label, category_id from recurring_charge_rule
    where organization_id = ${tx.organizationId} and lease_id = ${leaseId} and is_lease_rent order by start_date desc, id desc limit 1`)) ?? {};

/**
 * Creates the fees of the previous lease on its renewal, as drafts or paused. A fee that ends before the renewal starts is left out,
 * see `continueLeftOutFees`.
 */
async function takeOverFees(tx: OrgTx, lease: Lease, previousLeaseId: string): Promise<void> {
  const fees = await tx.find(RecurringChargeRule, { leaseId: previousLeaseId, isLeaseRent: false, status: { $in: ["active", "paused"] } });
  const hadOwnRent = (await tx.find(RecurringChargeRule, { leaseId: previousLeaseId, isLeaseRent: true })).length > 0;
  const isContinued = (fee: RecurringChargeRule) => chargesFrom(fee, lease.startDate) && !isReplacedRent(fee, lease, hadOwnRent);
  for (const fee of fees) if (isContinued(fee)) await continueFee(tx, lease, fee, fee.status === "paused" ? "paused" : "draft");
}

/**
 * Creates the fees that a renewal left out because they ended before its agreed start, and that do not end before its actual start. They
 * have the status that they had on the previous lease. `locked` contains the recurring charges of both leases.
 */
export async function continueLeftOutFees(tx: OrgTx, lease: Lease, locked: readonly RecurringChargeRule[]): Promise<void> {
  const fees = locked.filter((rule) => rule.leaseId === lease.renewedFromLeaseId && !rule.isLeaseRent && ["active", "paused"].includes(rule.status));
  const hadOwnRent = locked.some((rule) => rule.leaseId === lease.renewedFromLeaseId && rule.isLeaseRent);
  const isCandidate = (fee: RecurringChargeRule) => ownEndDateOf(fee) !== null && chargesFrom(fee, lease.startDate) && !isReplacedRent(fee, lease, hadOwnRent);
  const candidates = fees.filter(isCandidate);
  const leftOutIds = await findLeftOutFees(
    tx,
    lease.id,
    candidates.map(({ id }) => id),
  );
  for (const fee of candidates) if (leftOutIds.has(fee.id)) await continueFee(tx, lease, fee, fee.status);
}

/**
 * Returns those fees that are older than the renewal and not continued by it. A fee that was added or split later was not left out, and a
 * fee whose draft the office deleted counts as continued: it was refused.
 */
async function findLeftOutFees(tx: OrgTx, renewalId: string, feeIds: readonly string[]): Promise<Set<string>> {
  if (feeIds.length === 0) return new Set();
  const rows = await tx.all(sql<{ id: string }>`select fee.id from recurring_charge_rule fee
      join lease_copy renewal on renewal.organization_id = fee.organization_id and renewal.id = ${renewalId}
    where fee.organization_id = ${tx.organizationId} and fee.id = any(${[...feeIds]}::uuid[]) and fee.created_at < renewal.created_at
      and not exists (select from recurring_charge_rule own where own.organization_id = fee.organization_id and own.lease_id = renewal.id
        and own.continues_rule_id = fee.id)`);
  return new Set(rows.map(({ id }) => id));
}

/** Tells whether a recurring charge is a part of the rent of the previous lease, which a renewal with a rent of its own does not have besides. */
const isReplacedRent = (fee: RecurringChargeRule, lease: Lease, hadOwnRent: boolean): boolean =>
  lease.createRecurringRent && (fee.isRentPart || (fee.kind === "rent" && !hadOwnRent && initialRentCents(lease) > 0));

/** Returns true unless the fee ends, apart from its renewal, before a day. */
function chargesFrom(fee: RecurringChargeRule, day: string): boolean {
  const endDate = ownEndDateOf(fee);
  return endDate === null || endDate >= day;
}

/** Creates a fee of the previous lease on its renewal, with the end date that was agreed for it, if any. */
async function continueFee(tx: OrgTx, lease: Lease, fee: RecurringChargeRule, status: RecurringChargeRule["status"]): Promise<void> {
  const { id: continuesRuleId, amountCents, categoryId, dayOfMonth, kind, label, agreedFrom, isRentPart } = fee;
  const ownEnd = ownEndDateOf(fee);
  const leaseEnd = isRentPart && ownEnd === null ? (lease.billedUntil ?? null) : null;
  const term = { startDate: maxDate(fee.startDate, lease.startDate), agreedFrom, endDate: ownEnd ?? leaseEnd, isRentPart, leaseEnd };
  await createLeaseRule(tx, lease, {
    continuesRuleId,
    amountCents,
    categoryId,
    dayOfMonth,
    kind,
    label,
    ...term,
    status,
    isLeaseRent: false,
    proratesFirstMonth: isRentPart,
  });
}
