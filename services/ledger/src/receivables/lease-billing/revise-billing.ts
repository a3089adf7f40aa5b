/** What a change of a lease means for its rent. */
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { LeaseBilling } from "@freehold/proto/ledger/v1/ledger";
import type { Lease } from "@freehold/proto/portfolio/v1/portfolio";
import { rulesOf } from "../../settings/ledger-settings.ts";
import { chartOf, type Chart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { findLeases, keepLeases } from "../../projections/copies.ts";
import type { RecurringChargeRule } from "../recurring-charges/recurring-charge.entity.ts";
import { lockRules, move } from "../recurring-charges/recurring-charges.ts";
import { endRulesBefore } from "./followed-rules.ts";
import { followRents } from "./follow-rents.ts";
import { billedFrom, createRentRule, lockLease, readBilling } from "./lease-billing.ts";

/**
 * Has the rent of a lease follow the lease: its place, its amount and its first day until it has begun, its rent
 * changes, its day of the month and its end for as long as it runs. A lease that is over is left as it was settled.
 */
export async function reviseLeaseBilling(db: OrgDb, clients: Clients, lease: Lease): Promise<LeaseBilling> {
  await keepLeases(db, clients.portfolio, [lease]);
  if (!["draft", "pending", "active"].includes(lease.status)) return readBilling(db, lease.id, []);
  const [chart, rules, facts] = await Promise.all([chartOf(db), rulesOf(db), findLeases(db, clients.portfolio, [lease.id])]);
  await transaction(db, async (tx) => {
    await lockLease(tx, lease.id);
    if ((await isOutdated(tx, lease)) || (await isSettled(tx, lease.id))) return;
    if (lease.status === "pending" && lease.renewedFromLeaseId) await endRulesBefore(tx, lease.renewedFromLeaseId, lease);
    if (lease.status !== "active") await reviseBeforeStart(tx, chart, lease);
    await followRents(tx, { rules, chart, facts: facts.get(lease.id)! }, lease);
  });
  return readBilling(db, lease.id, []);
}

/** Whether a later state of the lease was heard of already: callers and events tell of it at once, and the slower must not undo the later. */
async function isOutdated(tx: OrgTx, { id, version }: Lease): Promise<boolean> {
  const heard = await tx.all(sql`update lease_copy set heard_version = ${version}
    where organization_id = ${tx.organizationId} and id = ${id} and coalesce(heard_version, 0) <= ${version} returning id`);
  return heard.length === 0;
}

/** Whether the end of the lease was settled: what is heard late must not undo it. */
async function isSettled(tx: OrgTx, leaseId: string): Promise<boolean> {
  const settled = await tx.first(
    sql`select 1 as one from lease_copy where organization_id = ${tx.organizationId} and id = ${leaseId} and billing_ended_at is not null`,
  );
  return settled !== undefined;
}

/** The rules of a lease that has not begun are about what the lease says; one without rent has no rule for it. */
async function reviseBeforeStart(tx: OrgTx, chart: Chart, lease: Lease): Promise<void> {
  const { propertyId, unitId, tenantId, startDate } = lease;
  const [rent] = await lockRules(tx, sql`lease_id = ${lease.id} and is_lease_rent and status <> 'ended'`);
  const isCharged = lease.createRecurringRent && lease.rentCents > 0;
  // No longer the lease's rent: should there be one again, that is another rule.
  if (rent && !isCharged) await move(tx, tx.assign(rent, { isLeaseRent: false }), "ended");
  for (const rule of await lockRules(tx, sql`lease_id = ${lease.id} and status <> 'ended'`)) tx.assign(rule, { propertyId, unitId, tenantId });
  if (!isCharged) return;
  const amountCents = lease.rentCents as RecurringChargeRule["amountCents"];
  if (rent) tx.assign(rent, { amountCents, startDate, postFrom: billedFrom(lease), proratesFirstMonth: lease.prorateFirstMonth });
  else if (lease.status === "pending") await createRentRule(tx, chart, lease, "active");
}
