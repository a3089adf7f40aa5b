import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import type { tenants } from "@freehold/contract/people/tenants";
import type { Cents } from "@freehold/contract/values";
import { now } from "@freehold/kit/time/clock";
import { writeSequentially, type BatchWriter } from "@freehold/kit/db/batch-write";
import { transaction, batchTransaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { conflict } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { normalizePhone } from "@freehold/domain/phone";
import { publish } from "../../publish.ts";
import { orUndefinedIfUnavailable } from "../../rpc/lookups.ts";
import type { Clients } from "../../clients.ts";
import { needsBalances } from "../balances.queries.ts";
import { findTenantLeases } from "../../leases/leases.ts";
import { findEntityNotes } from "../../documents/notes/notes.ts";
import { Tenant } from "./tenant.entity.ts";
import { tenantView } from "./tenant.view.ts";
import { containsPossibleDuplicates, findPossibleDuplicates, getTenantRow, findTenantRows, isOnLease, listTenantRows } from "./tenants.queries.ts";

type Operations = (typeof tenants)["operations"];

/** What tenants owe, in one question; null for each while the ledger does not answer. */
export async function findTenantBalances(db: OrgDb, clients: Clients, ids: string[]): Promise<(id: string) => Cents | null> {
  if (ids.length === 0) return () => null;
  const answer = await orUndefinedIfUnavailable(clients.ledger.getTenantBalances(db, { tenantIds: ids }));
  const balances = new Map(answer?.tenants.map(({ tenantId, balanceCents }) => [tenantId, balanceCents as Cents]));
  return (id) => (answer ? (balances.get(id) ?? (0 as Cents)) : null);
}

export async function listTenants(db: OrgDb, clients: Clients, query: QueryOf<Operations["listTenants"]>): Promise<Output<Operations["listTenants"]>> {
  const all = needsBalances(query) ? await clients.ledger.listTenantBalances(db, {}) : undefined;
  const { rows, paging } = await listTenantRows(db, query, all);
  const balanceOf = await findTenantBalances(
    db,
    clients,
    rows.map(({ id }) => id),
  );
  return { tenants: rows.map((row) => tenantView(row, db.principal, balanceOf(row.id))), ...paging };
}

/** What was sent, with its phone numbers in E.164. */
const reachable = <T extends { phone?: string | null | undefined; alternatePhone?: string | null | undefined }>(sent: T) =>
  omitUndefined({ ...sent, phone: normalizePhone("phone", sent.phone), alternatePhone: normalizePhone("alternatePhone", sent.alternatePhone) });

type NewTenant = BodyOf<Operations["createTenant"]>;

/** Adds a tenant and says who it may be already; with `rejectDuplicates` such a tenant is refused. */
export const createTenant = async (db: OrgDb, sent: NewTenant): Promise<Output<Operations["createTenant"]>> =>
  batchTransaction(db, addTenants, reachable(sent));

/** Adds tenants; of those who may be the same person each is seen by the next one. */
const addTenants: BatchWriter<NewTenant, Output<Operations["createTenant"]>> = async (tx, asked) => {
  if (containsPossibleDuplicates(asked)) return writeSequentially(tx, asked, addTenants);
  const duplicates = await findPossibleDuplicates(tx, asked);
  for (const [place, { rejectDuplicates }] of asked.entries()) {
    const [same] = duplicates[place]!;
    if (rejectDuplicates && same) throw conflict(`There is already a tenant with this ${same.reason}: ${same.fullName}.`, "duplicate");
  }
  const added = asked.map(({ rejectDuplicates: _isRefused, ...terms }) =>
    tx.create(Tenant, { preferredLanguage: "en", ...omitUndefined(terms), portalStatus: "none" }),
  );
  await publish(tx, "tenant.created", ...added.map(({ id }) => ({ entityId: id, data: {} })));
  const rows = await findTenantRows(
    tx,
    added.map(({ id }) => id),
  );
  return added.map(({ id }, place) => ({ tenant: tenantView(rows.get(id)!, tx.principal, 0 as Cents), possibleDuplicates: duplicates[place]! }));
};

/** A tenant with the notes about it and its leases, newest first. */
export async function getTenant(db: OrgDb, clients: Clients, id: string): Promise<Output<Operations["getTenant"]>> {
  const [tenant, balanceOf, notes, leases] = await Promise.all([
    getTenantRow(db, id),
    findTenantBalances(db, clients, [id]),
    findEntityNotes(db, clients, "tenant", id),
    findTenantLeases(db, clients, id),
  ]);
  return { tenant: tenantView(tenant, db.principal, balanceOf(tenant.id)), notes, leases };
}

/** Changes what is sent. */
export async function updateTenant(
  db: OrgDb,
  clients: Clients,
  id: string,
  sent: BodyOf<Operations["updateTenant"]>,
): Promise<Output<Operations["updateTenant"]>> {
  const changes = reachable(sent);
  await transaction(db, async (tx) => {
    const tenant = await tx.getForUpdate(Tenant, id, "Tenant", { deletedAt: null });
    tx.assign(tenant, changes);
    await publish(tx, "tenant.updated", { entityId: id, data: {} });
  });
  return getTenant(db, clients, id);
}

/** Soft-deletes a tenant who is on no lease that is or may come into force, and with whom all is settled. */
export async function deleteTenant(db: OrgDb, clients: Clients, id: string): Promise<Output<Operations["deleteTenant"]>> {
  await getTenantRow(db, id);
  const { tenants: money } = await clients.ledger.getTenantBalances(db, { tenantIds: [id] });
  const balanceCents = (money.find(({ tenantId }) => tenantId === id)?.balanceCents ?? 0) as Cents;
  return transaction(db, async (tx) => {
    const tenant = await tx.getForUpdate(Tenant, id, "Tenant", { deletedAt: null });
    if (await isOnLease(tx, id))
      throw conflict("The tenant is on a lease that is active, pending or a draft. End it or take the tenant off it first.", "resource_in_use");
    if (balanceCents !== 0) throw conflict("Money is still open with the tenant. Collect, refund or void it first.", "resource_in_use");
    tx.assign(tenant, { deletedAt: now() });
    await publish(tx, "tenant.deleted", { entityId: id, data: {} });
    return { tenant: tenantView(await getTenantRow(tx, id, true), db.principal, balanceCents) };
  });
}
