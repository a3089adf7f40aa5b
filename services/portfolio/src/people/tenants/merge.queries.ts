/** Reassignment of records from one tenant to another. */
import { now, today } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { publish } from "../../publish.ts";
import { occupancyCondition } from "../../leases/residence.queries.ts";
import { Invite } from "../invites/invite.entity.ts";
import { inviteStatusAt } from "../invites/invite.rules.ts";

const touch = sql.raw("updated_at = now(), version = version + 1");

/** Returns the ids of the leases that a tenant is or was on, optionally only those with one of the statuses. */
export async function findTenantLeaseIds(db: StatementRunner, tenantId: string, statuses?: readonly string[]): Promise<string[]> {
  const rows = await db.all(sql<{ id: string }>`select l.id from lease l where l.organization_id = ${db.organizationId}
    and l.id in (select id from lease where organization_id = ${db.organizationId} and tenant_id = ${tenantId}
      union all select lease_id from lease_occupant where organization_id = ${db.organizationId} and tenant_id = ${tenantId})
    and (${statuses === undefined} or l.status = any(${[...(statuses ?? [])]}::text[])) order by l.id`);
  return rows.map(({ id }) => id);
}

/** Returns the draft, pending and active leases that both tenants are on, and the other leases under which both live in the unit. */
export const findSharedLeases = (tx: StatementRunner, tenantId: string, otherTenantId: string): Promise<{ id: string; status: string }[]> =>
  tx.all(sql<{
    id: string;
    status: string;
  }>`select l.id, l.status from lease_occupant c join lease l on l.organization_id = c.organization_id and l.id = c.lease_id
    where c.organization_id = ${tx.organizationId} and c.tenant_id = any(${[tenantId, otherTenantId]}::uuid[]) and c.removed_at is null and l.deleted_at is null
      and (l.status in ('draft', 'pending', 'active') or ${occupancyCondition(today(tx.principal.timezone))})
    group by l.id, l.status having count(distinct c.tenant_id) = 2 order by l.id`);

/** Replaces the duplicate by the survivor on all leases. Of two occupants on the same lease the primary one remains, otherwise that of the survivor. */
export async function mergeOccupants(tx: StatementRunner, duplicateId: string, survivorId: string): Promise<void> {
  await tx.all(sql`update lease_occupant c set removed_at = now(), ${touch} where c.organization_id = ${tx.organizationId}
    and c.tenant_id in (${duplicateId}, ${survivorId}) and c.removed_at is null and exists (select 1 from lease_occupant o
      where o.organization_id = c.organization_id and o.lease_id = c.lease_id and o.tenant_id in (${duplicateId}, ${survivorId}) and o.tenant_id <> c.tenant_id
        and o.removed_at is null and (o.is_primary, o.tenant_id = ${survivorId}) > (c.is_primary, c.tenant_id = ${survivorId}))`);
  await tx.all(sql`update lease_occupant set tenant_id = ${survivorId}, ${touch} where organization_id = ${tx.organizationId} and tenant_id = ${duplicateId}`);
}

/** Reassigns work orders, notes, documents and earlier merged duplicates. */
export async function reassignTenantRecords(tx: StatementRunner, duplicateId: string, survivorId: string): Promise<void> {
  const belongsToTenant = sql`organization_id = ${tx.organizationId} and entity_type = 'tenant' and entity_id = ${duplicateId}`;
  await tx.all(sql`update work_order set tenant_id = ${survivorId}, ${touch} where organization_id = ${tx.organizationId} and tenant_id = ${duplicateId}`);
  await tx.all(sql`update note set entity_id = ${survivorId}, ${touch} where ${belongsToTenant}`);
  await tx.all(sql`update document set entity_id = ${survivorId}, ${touch} where ${belongsToTenant}`);
  await tx.all(
    sql`update document set portal_uploader_id = ${survivorId}, ${touch} where organization_id = ${tx.organizationId} and portal_uploader_id = ${duplicateId}`,
  );
  await tx.all(
    sql`update document set participant_id = ${survivorId}, ${touch} where organization_id = ${tx.organizationId} and participant_id = ${duplicateId}`,
  );
  await tx.all(
    sql`update tenant set merged_into_id = ${survivorId}, ${touch} where organization_id = ${tx.organizationId} and merged_into_id = ${duplicateId}`,
  );
}

/**
 * Reassigns the invites to the survivor, and revokes the pending ones except one, or all of them if the tenant has an account. An
 * unexpired invite takes precedence, then an invite of the survivor. Returns true if an unexpired invite remains.
 */
export async function reassignInvites(tx: OrgTx, duplicateId: string, survivorId: string, hasAccount: boolean): Promise<boolean> {
  const pendingInvites = await tx.find(Invite, { subjectId: { $in: [duplicateId, survivorId] }, status: "pending" });
  const isLive = (invite: Invite) => inviteStatusAt(invite, now()) === "pending";
  const rank = (invite: Invite) => (isLive(invite) ? 0 : 2) + (invite.subjectId === survivorId ? 0 : 1);
  const remainingInvite = hasAccount ? undefined : pendingInvites.toSorted((one, other) => rank(one) - rank(other))[0];
  for (const invite of pendingInvites) {
    if (invite === remainingInvite) continue;
    tx.assign(invite, { status: "revoked", revokedAt: now() });
    await publish(tx, "invite.revoked", { entityId: invite.id, data: { kind: "tenant", subjectId: survivorId } });
  }
  await tx.all(sql`update invite set subject_id = ${survivorId}, ${touch} where organization_id = ${tx.organizationId} and subject_id = ${duplicateId}`);
  return remainingInvite !== undefined && isLive(remainingInvite);
}
