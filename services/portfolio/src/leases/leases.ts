import type { Lease as LeaseView, leases } from "@freehold/contract/leases";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import { batchTransaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { completeAfterCommit } from "@freehold/kit/db/idempotency";
import type { Clients } from "../clients.ts";
import { notesOf } from "../documents/notes/notes.ts";
import { parkingRightsOf } from "./parking-rights/parking-rights.ts";
import { startBilling } from "./lifecycle/activate-lease.ts";
import { askMoney, moneyOf, rulesOf } from "./billing/lease-billing.ts";
import { occupantsOf } from "./lease.rules.ts";
import { leaseView } from "./lease.view.ts";
import { findLease, findLeasesOfTenant, pageOfLeases, type LeaseRow } from "./leases.queries.ts";
import { writeLeases } from "./write-leases.ts";

type Operations = (typeof leases)["operations"];
type Terms = BodyOf<Operations["createLease"]>;

async function views(db: OrgDb, ask: Clients, rows: LeaseRow[]): Promise<LeaseView[]> {
  const money = await moneyOf(
    db,
    ask,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => leaseView(row, money.get(row.id)));
}

export async function listLeases(db: OrgDb, ask: Clients, query: QueryOf<Operations["listLeases"]>): Promise<Output<Operations["listLeases"]>> {
  const { leaseIds } = query.hasBalance === undefined ? { leaseIds: [] } : await ask.ledger.listLeasesWithBalance(db, {});
  const { rows, paging } = await pageOfLeases(db, query, leaseIds);
  return { leases: await views(db, ask, rows), ...paging };
}

/** The leases that name a tenant, newest first: at most a hundred. */
export const leasesOfTenant = async (db: OrgDb, ask: Clients, tenantId: string): Promise<LeaseView[]> => views(db, ask, await findLeasesOfTenant(db, tenantId));

export async function getLease(db: OrgDb, ask: Clients, id: string): Promise<Output<Operations["getLease"]>> {
  const [row, notes, recurringChargeRules] = await Promise.all([findLease(db, id), notesOf(db, ask, "lease", id), rulesOf(db, ask, id)]);
  const [[lease], parkingRights] = await Promise.all([views(db, ask, [row]), parkingRightsOf(db, id, recurringChargeRules)]);
  return { lease: lease!, notes, recurringChargeRules, parkingRights };
}

/** Writes a draft, or a lease that is in force at once. */
export async function createLease(db: OrgDb, ask: Clients, terms: Terms): Promise<Output<Operations["createLease"]>> {
  const { activate: andActivate, prorateFirstMonth } = terms;
  const occupants = occupantsOf(terms);
  if (andActivate) await askMoney(db, ask, []);
  const work = batchTransaction(db, writeLeases, { terms, occupants });
  if (!andActivate) return work;
  return completeAfterCommit(work, async (answer) => {
    const { recurringChargeRules } = await startBilling(db, ask, answer.lease, prorateFirstMonth);
    return { ...answer, recurringChargeRules };
  });
}
