import type { Lease as LeaseView, leases } from "@freehold/contract/leases/leases";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { completeAfterCommit } from "@freehold/kit/db/idempotency";
import { onceOnExport } from "@freehold/kit/db/exports/once";
import type { Clients } from "../clients.ts";
import { findEntityNotes } from "../documents/notes/notes.ts";
import { joinBalances } from "../people/balances.queries.ts";
import { insertLeases } from "./insert-leases.ts";
import { emptyLeaseBalance, findLeaseBalances, findLeaseChargeRules, fetchLeaseBalances } from "./lease-billing.ts";
import { resolveOccupants } from "./lease.rules.ts";
import { leaseView } from "./lease.view.ts";
import { findTenantLeaseRows, getLeaseRow, listLeaseRows, type LeaseRow } from "./leases.queries.ts";
import { startBilling } from "./lifecycle/activate-lease.ts";
import { findParkingRights } from "./parking-rights/parking-rights.ts";

type Operations = (typeof leases)["operations"];

async function leaseViews(db: OrgDb, clients: Clients, rows: LeaseRow[]): Promise<LeaseView[]> {
  const balances = await findLeaseBalances(
    db,
    clients,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => leaseView(row, balances.get(row.id)));
}

/** Returns a page of leases. Balances are null while the ledger is unavailable; a filter by balance throws 503 then. */
export async function listLeases(db: OrgDb, clients: Clients, query: QueryOf<Operations["listLeases"]>): Promise<Output<Operations["listLeases"]>> {
  const balances =
    query.hasBalance === undefined ? undefined : await onceOnExport(db, "balances", async () => joinBalances(await clients.ledger.listLeaseBalances(db, {})));
  const { rows, paging } = await listLeaseRows(db, query, balances);
  return { leases: await leaseViews(db, clients, rows), ...paging };
}

/** Returns the leases with a tenant among their occupants, newest first, at most 100. */
export const findTenantLeases = async (db: OrgDb, clients: Clients, tenantId: string): Promise<LeaseView[]> =>
  leaseViews(db, clients, await findTenantLeaseRows(db, tenantId));

/** Returns a lease with its notes, recurring charge rules and parking rights. Balances are null, and the rules empty, while the ledger is unavailable. */
export async function getLease(db: OrgDb, clients: Clients, id: string): Promise<Output<Operations["getLease"]>> {
  const [row, notes, recurringChargeRules] = await Promise.all([
    getLeaseRow(db, id),
    findEntityNotes(db, clients, "lease", id),
    findLeaseChargeRules(db, clients, id),
  ]);
  const [[lease], parkingRights] = await Promise.all([leaseViews(db, clients, [row]), findParkingRights(db, id, recurringChargeRules)]);
  return { lease: lease!, notes, recurringChargeRules, parkingRights };
}

/** Creates a draft lease, or with `activate` an active or pending one. */
export async function createLease(db: OrgDb, clients: Clients, input: BodyOf<Operations["createLease"]>): Promise<Output<Operations["createLease"]>> {
  const { activate, prorateFirstMonth } = input;
  const occupants = resolveOccupants(input);
  // While the ledger, which bills the lease, is unavailable, this call throws 503 before anything is written.
  if (activate) await fetchLeaseBalances(db, clients, []);
  const committed = transaction(db, async (tx): Promise<Output<Operations["createLease"]>> => {
    const [id] = await insertLeases(tx, [{ input, occupants }]);
    return { lease: leaseView(await getLeaseRow(tx, id!), emptyLeaseBalance(id!)), notes: [], recurringChargeRules: [] };
  });
  if (!activate) return committed;
  return completeAfterCommit(committed, async (response) => {
    const { recurringChargeRules } = await startBilling(db, clients, response.lease, prorateFirstMonth);
    return { ...response, recurringChargeRules };
  });
}
