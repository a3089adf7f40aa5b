/** What moves from one tenant to another, a statement for each kind of thing. */
import { now } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { publish } from "../../publish.ts";
import { Invite } from "../invites/invite.entity.ts";

const changed = sql.raw("updated_at = now(), version = version + 1");

/** The leases that are a tenant's or name it, those of some statuses or all of them. */
export async function findTenantLeaseIds(db: StatementRunner, tenantId: string, statuses?: readonly string[]): Promise<string[]> {
  const rows = await db.all(sql<{ id: string }>`select l.id from lease l where l.organization_id = ${db.organizationId}
    and l.id in (select id from lease where organization_id = ${db.organizationId} and tenant_id = ${tenantId}
      union all select lease_id from lease_occupant where organization_id = ${db.organizationId} and tenant_id = ${tenantId})
    and (${statuses === undefined} or l.status = any(${[...(statuses ?? [])]}::text[])) order by l.id`);
  return rows.map(({ id }) => id);
}

/** The leases that are not over and that both of two tenants are on. */
export const findSharedLeases = (tx: StatementRunner, one: string, other: string): Promise<{ id: string; status: string }[]> =>
  tx.all(sql<{ id: string; status: string }>`select l.id, l.status from lease_occupant c
      join lease_occupant o on o.organization_id = c.organization_id and o.lease_id = c.lease_id and o.tenant_id = ${other} and o.removed_at is null
      join lease l on l.organization_id = c.organization_id and l.id = c.lease_id
    where c.organization_id = ${tx.organizationId} and c.tenant_id = ${one} and c.removed_at is null
      and l.status in ('draft', 'pending', 'active') and l.deleted_at is null order by l.id`);

/** Puts one tenant in the other's place on its leases. On a lease that named both the primary occupant stays, or else the one who is left. */
export async function mergeOccupants(tx: StatementRunner, from: string, to: string): Promise<void> {
  await tx.all(sql`update lease_occupant c set removed_at = now(), ${changed} where c.organization_id = ${tx.organizationId}
    and c.tenant_id in (${from}, ${to}) and c.removed_at is null and exists (select 1 from lease_occupant o
      where o.organization_id = c.organization_id and o.lease_id = c.lease_id and o.tenant_id in (${from}, ${to}) and o.tenant_id <> c.tenant_id
        and o.removed_at is null and (o.is_primary, o.tenant_id = ${to}) > (c.is_primary, c.tenant_id = ${to}))`);
  await tx.all(sql`update lease_occupant set tenant_id = ${to}, ${changed} where organization_id = ${tx.organizationId} and tenant_id = ${from}`);
}

/** Gives one tenant the other's work orders, notes, documents, what happened to it, and those who were merged into it before. */
export async function reassignTenantRecords(tx: StatementRunner, from: string, to: string): Promise<void> {
  const ofTenant = sql`organization_id = ${tx.organizationId} and entity_type = 'tenant' and entity_id = ${from}`;
  await tx.all(sql`update work_order set tenant_id = ${to}, ${changed} where organization_id = ${tx.organizationId} and tenant_id = ${from}`);
  await tx.all(sql`update note set entity_id = ${to}, ${changed} where ${ofTenant}`);
  await tx.all(sql`update document set entity_id = ${to}, ${changed} where ${ofTenant}`);
  await tx.all(sql`update tenant set merged_into_id = ${to}, ${changed} where organization_id = ${tx.organizationId} and merged_into_id = ${from}`);
}

/**
 * Gives one tenant the other's invites and answers whether one of them is open then. Only one may be: whoever has an
 * account needs none, and the invite of the tenant who is left comes before the other's.
 */
export async function reassignInvites(tx: OrgTx, from: string, to: string, hasAccount: boolean): Promise<boolean> {
  const pending = await tx.find(Invite, { subjectId: { $in: [from, to] }, status: "pending" });
  const kept = hasAccount ? undefined : (pending.find(({ subjectId }) => subjectId === to) ?? pending[0]);
  for (const invite of pending) {
    if (invite === kept) continue;
    tx.assign(invite, { status: "revoked", revokedAt: now() });
    await publish(tx, "invite.revoked", { entityId: invite.id, data: { kind: "tenant", subjectId: to } });
  }
  await tx.all(sql`update invite set subject_id = ${to}, ${changed} where organization_id = ${tx.organizationId} and subject_id = ${from}`);
  return kept !== undefined;
}
