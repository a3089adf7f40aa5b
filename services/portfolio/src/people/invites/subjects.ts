/** Subjects of invites: the tenant, owner or vendor row behind a portal user. */
import type { PortalRole } from "@freehold/contract/roles";
import { LockMode, type EntityClass } from "@mikro-orm/core";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { publish } from "../../publish.ts";
import { Owner } from "../owners/owner.entity.ts";
import { Tenant } from "../tenants/tenant.entity.ts";
import { Vendor } from "../vendors/vendor.entity.ts";

export type Subject = Tenant | Owner | Vendor;
const entities: Record<PortalRole, EntityClass<Subject>> = { tenant: Tenant, owner: Owner, vendor: Vendor };

/** Returns the row of a subject, locked until the commit. Every change of an invite locks the subject before the invite. */
export async function lockSubject(tx: OrgTx, kind: PortalRole, id: string): Promise<Subject | undefined> {
  const [subject] = await tx.findAllForUpdate(entities[kind], [id]);
  return subject;
}

/** Returns the e-mail address of a subject, if it has one. */
export async function findSubjectEmail(db: StatementRunner, kind: PortalRole, id: string): Promise<string | undefined> {
  const row = await db.first(sql<{ email: string | null }>`select email from ${sql.table(kind)} where organization_id = ${db.organizationId} and id = ${id}`);
  return row?.email ?? undefined;
}

/** Sets the portal status of the user's tenant, owner or vendor to `active` or `locked`. */
export async function setPortalStatus(tx: OrgTx, kind: PortalRole, { userId, isActive }: { userId: string; isActive: boolean }): Promise<void> {
  const portalStatus = isActive ? "active" : "locked";
  for (const subject of await tx.find(entities[kind], { userId, deletedAt: null }, { lockMode: LockMode.PESSIMISTIC_WRITE })) {
    if (subject.portalStatus === portalStatus) continue;
    tx.assign(subject, { portalStatus });
    await publish(tx, `${kind}.updated`, { entityId: subject.id, data: {} });
  }
}

/** Removes a deleted user from its tenant, owner or vendor, who can be invited again. */
export async function unlinkPortalUser(tx: OrgTx, kind: PortalRole, userId: string): Promise<void> {
  for (const subject of await tx.find(entities[kind], { userId }, { lockMode: LockMode.PESSIMISTIC_WRITE })) {
    tx.assign(subject, { userId: null, portalStatus: "none" });
    await publish(tx, `${kind}.updated`, { entityId: subject.id, data: {} });
  }
}
