/**
 * Orphaned accounts: portal users of tenants, owners and vendors that identity does not have, because its part of an acceptance failed or because
 * `user.deleted` has not arrived.
 */
import { randomUUID } from "node:crypto";
import type { PortalRole } from "@freehold/contract/roles";
import { now } from "@freehold/kit/time/clock";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { Clients } from "../../../clients.ts";
import { Invite } from "../invite.entity.ts";
import { isAcceptanceUnderWay } from "../invite.rules.ts";
import type { Subject } from "../subjects.ts";

/** Account of a tenant, owner or vendor for which identity has no user. */
export interface OrphanedAccount {
  userId: string;
  /** True if identity never had the user; the acceptance is undone. False for a deleted user. */
  userNeverExisted: boolean;
}

/** Returns the account of a tenant, owner or vendor if identity has no user for it. Calls identity, so it runs before the transaction. */
export async function findOrphanedAccount(db: OrgDb, { identity }: Clients, kind: PortalRole, subjectId: string): Promise<OrphanedAccount | undefined> {
  const account = await db.first(sql<{ userId: string; acceptedAt: string | null }>`select s.user_id, max(i.accepted_at) as accepted_at
    from ${sql.table(kind)} s left join invite i on i.organization_id = s.organization_id and i.subject_id = s.id and i.accepted_user_id = s.user_id
    where s.organization_id = ${db.organizationId} and s.id = ${subjectId} and s.user_id is not null group by s.user_id`);
  if (!account) return undefined;
  const { userId, acceptedAt } = account;
  const [user] = (await identity.getUsers(db, { ids: [userId] })).users;
  if (user) return user.isDeleted ? { userId, userNeverExisted: false } : undefined;
  return isAcceptanceUnderWay(acceptedAt, now()) ? undefined : { userId, userNeverExisted: true };
}

/**
 * Removes an orphaned account from its locked subject, and makes the links of the invite that was accepted for it invalid. Returns false, and changes
 * nothing, without such an account, also when its acceptance is under way again.
 */
export async function removeOrphanedAccount(tx: OrgTx, subject: Subject, account: OrphanedAccount | undefined): Promise<boolean> {
  if (!account || subject.userId !== account.userId) return false;
  const accepted = account.userNeverExisted ? await tx.find(Invite, { subjectId: subject.id, acceptedUserId: account.userId, status: "accepted" }) : [];
  // The acceptance may have been repeated since identity was asked.
  if (accepted.some(({ acceptedAt }) => isAcceptanceUnderWay(acceptedAt, now()))) return false;
  tx.assign(subject, { userId: null, portalStatus: "none" });
  for (const invite of accepted) tx.assign(invite, { status: "revoked", revokedAt: now(), acceptedAt: null, acceptedUserId: null, nonce: randomUUID() });
  return true;
}
