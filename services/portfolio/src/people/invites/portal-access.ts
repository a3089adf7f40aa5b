/** End of portal access: revocation of invites, and deletion of tenants, owners and vendors. */
import { now } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { publish } from "../../publish.ts";
import { Invite } from "./invite.entity.ts";
import { inviteStateMachine } from "./invite.rules.ts";
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
