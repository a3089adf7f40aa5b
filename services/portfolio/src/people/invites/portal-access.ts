/**
 * End of portal access: revocation of invites, deletion of tenants, owners and vendors, and lost accounts, of which identity knows no user. An account
 * is lost when identity's part of an acceptance failed, or when the user was deleted and the event of the deletion has not arrived.
 */
import type { PortalRole } from "@freehold/contract/roles";
import { randomUUID } from "node:crypto";
import { now } from "@freehold/kit/time/clock";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { publish } from "../../publish.ts";
import type { Clients } from "../../clients.ts";
import { Invite } from "./invite.entity.ts";
import { inviteStateMachine, isAcceptanceUnderWay } from "./invite.rules.ts";
import type { Subject } from "./subjects.ts";

/** Revokes a pending invite. Requires that the transaction has locked its subject. */
export async function revoke(tx: OrgTx, invite: Invite): Promise<void> {
  inviteStateMachine.transition(invite.status, "revoked");
  tx.assign(invite, { status: "revoked", revokedAt: now() });
  await publish(tx, "invite.revoked", { entityId: invite.id, data: { kind: invite.kind, subjectId: invite.subjectId } });
}

/** Revokes the pending invites of a subject, including expired ones. Requires that the transaction has locked the subject. */
export async function revokePendingInvites(tx: OrgTx, subjectId: string): Promise<void> {
  for (const invite of await tx.find(Invite, { subjectId, status: "pending" })) await revoke(tx, invite);
}

/** Ends the portal access of a locked tenant, owner or vendor who is deleted. Identity deactivates the user when it receives the event of the deletion. */
export async function endPortalAccess(tx: OrgTx, subject: Subject): Promise<void> {
  await revokePendingInvites(tx, subject.id);
  subject.portalStatus = "none";
}

/** Account of a subject for which identity has no user. */
export interface LostAccount {
  userId: string;
  /** True if identity never had the user; the acceptance is undone. False for a deleted user. */
  isUnknown: boolean;
}

/** Returns the account of a tenant, owner or vendor if identity has no user for it. Calls identity, so it runs before the transaction. */
export async function findLostAccount(db: OrgDb, { identity }: Clients, kind: PortalRole, subjectId: string): Promise<LostAccount | undefined> {
  const account = await db.first(sql<{ userId: string; acceptedAt: string | null }>`select s.user_id, max(i.accepted_at) as accepted_at
    from ${sql.table(kind)} s left join invite i on i.organization_id = s.organization_id and i.subject_id = s.id and i.accepted_user_id = s.user_id
    where s.organization_id = ${db.organizationId} and s.id = ${subjectId} and s.user_id is not null group by s.user_id`);
  if (!account) return undefined;
  const { userId, acceptedAt } = account;
  const [user] = (await identity.getUsers(db, { ids: [userId] })).users;
  if (user) return user.isDeleted ? { userId, isUnknown: false } : undefined;
  return isAcceptanceUnderWay(acceptedAt, now()) ? undefined : { userId, isUnknown: true };
}

/**
 * Removes a lost account from its locked subject, and makes the links of the invite that was accepted for it invalid. Returns false, and changes
 * nothing, without such an account, also when its acceptance is under way again.
 */
export async function removeLostAccount(tx: OrgTx, subject: Subject, account: LostAccount | undefined): Promise<boolean> {
  if (!account || subject.userId !== account.userId) return false;
  const accepted = account.isUnknown ? await tx.find(Invite, { subjectId: subject.id, acceptedUserId: account.userId, status: "accepted" }) : [];
  // The acceptance may have been repeated since identity was asked.
  if (accepted.some(({ acceptedAt }) => isAcceptanceUnderWay(acceptedAt, now()))) return false;
  tx.assign(subject, { userId: null, portalStatus: "none" });
  for (const invite of accepted) tx.assign(invite, { status: "revoked", revokedAt: now(), acceptedAt: null, acceptedUserId: null, nonce: randomUUID() });
  return true;
}
