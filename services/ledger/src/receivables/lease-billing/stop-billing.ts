/** What it means for the books that a lease has run out, or was given up before it began. */
import { minDate } from "@freehold/kit/time/plain-date";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { Lease } from "@freehold/proto/portfolio/v1/portfolio";
import { rulesOf } from "../../settings/ledger-settings.ts";
import { chartOf } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { findLeases, keepLeases } from "../../projections/copies.ts";
import { lockRules, move } from "../recurring-charges/recurring-charges.ts";
import { letRulesGoOn } from "./followed-rules.ts";
import { settleLastMonth } from "./last-month.ts";
import { lockLease } from "./lease-billing.ts";

/** Stops charging a lease that has run out: what fell due up to its last day is charged, and nothing after it. */
export async function stopLeaseBilling(db: OrgDb, clients: Clients, lease: Lease): Promise<void> {
  await keepLeases(db, clients.portfolio, [lease]);
  const lastDay = lease.billedUntil;
  if (lease.status !== "expired" || !lastDay) return;
  const [chart, rules, facts] = await Promise.all([chartOf(db), rulesOf(db), findLeases(db, clients.portfolio, [lease.id])]);
  await transaction(db, async (tx) => {
    await lockLease(tx, lease.id);
    const live = await lockRules(tx, sql`lease_id = ${lease.id} and status <> 'ended'`);
    for (const rule of live) tx.assign(rule, { endDate: rule.endDate ? minDate(rule.endDate, lastDay) : lastDay });
    await settleLastMonth(tx, rules, chart, facts.get(lease.id)!, live, "The lease ran out.");
    for (const rule of live) await move(tx, rule, "ended");
  });
}

/** Ends the rules of a lease that was cancelled or deleted, and lets those of the lease before it go on. A deleted one is forgotten. */
export async function cancelLeaseBilling(db: OrgDb, leaseId: string, isDeleted: boolean): Promise<void> {
  await transaction(db, async (tx) => {
    await lockLease(tx, leaseId);
    await letRulesGoOn(tx, leaseId);
    for (const rule of await lockRules(tx, sql`lease_id = ${leaseId} and status <> 'ended'`)) await move(tx, rule, "ended");
    if (isDeleted) await tx.all(sql`delete from lease_copy where organization_id = ${tx.organizationId} and id = ${leaseId}`);
  });
}
