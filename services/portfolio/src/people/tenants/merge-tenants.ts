/** Merge of two tenant records of the same person. */
import type { Output } from "@freehold/contract/operation";
import type { tenants } from "@freehold/contract/people/tenants";
import { now } from "@freehold/kit/time/clock";
import { clampToSafeInteger } from "@freehold/domain/money";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { conflict, invalid, unknownReference } from "@freehold/kit/errors";
import { completeAfterCommit } from "@freehold/kit/db/idempotency";
import { publish } from "../../publish.ts";
import type { Clients } from "../../clients.ts";
import { tryReviseBilling } from "../../leases/lease-billing.ts";
import { publishLeaseUpdated } from "../../leases/lease-events.ts";
import { Lease } from "../../leases/lease.entity.ts";
import { renameOccupants } from "../../leases/occupants/occupants.queries.ts";
import { findSharedLeases, findTenantLeaseIds, mergeOccupants, reassignTenantRecords, reassignInvites } from "./merge.queries.ts";
import { fillMissingFields } from "./merge.rules.ts";
import { Tenant } from "./tenant.entity.ts";
import { tenantView } from "./tenant.view.ts";
import { findTenantBalances } from "./tenants.ts";
import { getTenantRow } from "./tenants.queries.ts";

type Result = Output<(typeof tenants)["operations"]["mergeTenants"]>;
const DUPLICATE_PATH = "duplicateTenantId";

/**
 * Reassigns all records of a duplicate to the tenant and soft-deletes the duplicate. Throws 409 when both have a portal
 * account, are on the same draft, pending or active lease, or live together. Of two opposite concurrent merges only the first succeeds.
 */
export async function mergeTenants(db: OrgDb, clients: Clients, id: string, duplicateId: string): Promise<Result> {
  const committed = transaction(db, async (tx) => {
    const { survivor, duplicate } = await lockBoth(tx, id, duplicateId);
    requireSingleAccount(survivor, duplicate);
    const leaseIds = await findTenantLeaseIds(tx, duplicateId);
    const leases = await tx.findAllForUpdate(Lease, leaseIds);
    await requireNoSharedLease(tx, id, duplicateId);
    await renameOccupants(tx, duplicate, survivor.fullName);
    await mergeOccupants(tx, duplicateId, id);
    for (const lease of leases) tx.assign(lease, { tenantId: lease.tenantId === duplicateId ? id : lease.tenantId, updatedAt: now() });
    await reassignTenantRecords(tx, duplicateId, id);
    const accountHolder = survivor.userId ? survivor : duplicate;
    const isInvited = await reassignInvites(tx, duplicateId, id, Boolean(accountHolder.userId));
    const portalStatus = accountHolder.userId ? accountHolder.portalStatus : isInvited ? "invited" : "none";
    tx.assign(survivor, { ...fillMissingFields(survivor, duplicate), userId: accountHolder.userId ?? null, portalStatus, updatedAt: now() });
    tx.assign(duplicate, { deletedAt: now(), mergedIntoId: id, userId: null, portalStatus: "none" });
    for (const lease of leases) if (!lease.deletedAt) await publishLeaseUpdated(tx, lease);
    await publish(tx, "tenant.merged", { entityId: duplicateId, data: { mergedIntoTenantId: id } });
    await publish(tx, "tenant.updated", { entityId: id, data: {}, audience: { tenantIds: [id] } });
    return { tenant: tenantView(await getTenantRow(tx, id), db.principal, null) };
  });
  return completeAfterCommit(committed, async ({ tenant }) => {
    await reviseBillingOfLeases(db, clients, id);
    // The ledger reassigns the duplicate's balance asynchronously.
    const balanceOf = await findTenantBalances(db, clients, [id, duplicateId]);
    const [ownCents, duplicateCents] = [balanceOf(id), balanceOf(duplicateId)];
    return {
      tenant: Object.assign(tenant, {
        balanceCents: ownCents === null || duplicateCents === null ? null : clampToSafeInteger(BigInt(ownCents) + BigInt(duplicateCents)),
      }),
    };
  });
}

/** Locks both tenants in the order of their ids. Throws 404 or 400 when either cannot be merged. */
async function lockBoth(tx: OrgTx, id: string, duplicateId: string): Promise<{ survivor: Tenant; duplicate: Tenant }> {
  const duplicate = (await tx.findAllForUpdate(Tenant, [id, duplicateId])).find((tenant) => tenant.id === duplicateId);
  await getTenantRow(tx, id);
  const survivor = await tx.getForUpdate(Tenant, id, "Tenant", { deletedAt: null });
  if (id === duplicateId)
    throw invalid([{ path: DUPLICATE_PATH, code: "not_allowed", message: `A tenant cannot be merged into itself. Send another tenant in ${DUPLICATE_PATH}.` }]);
  if (duplicate?.mergedIntoId)
    throw invalid([
      {
        path: DUPLICATE_PATH,
        code: "not_found",
        message: `This tenant was already merged into the tenant ${duplicate.mergedIntoId}. Check ${DUPLICATE_PATH}.`,
      },
    ]);
  if (!duplicate || duplicate.deletedAt) throw unknownReference(DUPLICATE_PATH, "tenant");
  return { survivor, duplicate };
}

/** Throws 409 when both tenants have a portal account; the caller decides which user to delete. */
function requireSingleAccount(survivor: Tenant, duplicate: Tenant): void {
  if (survivor.userId && duplicate.userId)
    throw conflict(
      `Both tenants have a portal account: the users ${survivor.userId} and ${duplicate.userId}. Delete the user that is not needed any more, then merge the tenants.`,
      "resource_in_use",
    );
}

/** Throws 409 when both tenants are on the same draft, pending or active lease or live in a unit under another one: they are probably two people of the same name. */
async function requireNoSharedLease(tx: OrgTx, id: string, duplicateId: string): Promise<void> {
  const [lease] = await findSharedLeases(tx, id, duplicateId);
  if (lease)
    throw conflict(
      `Both tenants are on the lease ${lease.id}, which is ${lease.status}. Take one of them off it first, if they are the same person.`,
      "resource_in_use",
    );
}

/** Revises the billing of pending and active leases synchronously. The ledger updates the other leases from events. */
async function reviseBillingOfLeases(db: OrgDb, clients: Clients, tenantId: string): Promise<void> {
  await Promise.all((await findTenantLeaseIds(db, tenantId, ["pending", "active"])).map((leaseId) => tryReviseBilling(db, clients, leaseId)));
}
