/** Lookup and acceptance of invites by token, called by identity over gRPC. */
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { newId } from "@freehold/kit/db/entity";
import { notFound } from "@freehold/kit/errors";
import type { Invite as InviteMessage } from "@freehold/proto/portfolio/v1/portfolio";
import { publish } from "../../../publish.ts";
import { parseUnverifiedPortalInviteToken, type InviteTokens } from "../invite-token.rules.ts";
import { Invite } from "../invite.entity.ts";
import { canContinueAcceptance, inviteStateMachine, inviteStatusAt } from "../invite.rules.ts";
import { findInviteRow, type InviteRow } from "../invites.queries.ts";
import { lockSubject } from "../subjects.ts";

/** Returns the invite of a token. Throws 404 unless it is pending or accepted, of this organization, and its invitee was not deleted. */
async function getInviteByToken(db: OrgDb, tokens: InviteTokens, token: string): Promise<InviteRow> {
  const ids = parseUnverifiedPortalInviteToken(token);
  if (ids?.organizationId !== db.organizationId) throw notFound("Invite");
  const row = await findInviteRow(db, ids.inviteId);
  if (!row || !tokens.verify(token, { ...ids, kind: row.kind }, row.nonce) || row.isSubjectDeleted) throw notFound("Invite");
  const status = inviteStatusAt(row, now());
  if (status !== "pending" && status !== "accepted") throw notFound("Invite");
  return row;
}

const inviteResponse = ({ id, kind, subjectId, email, fullName, status, expiresAt, acceptedUserId }: InviteRow): InviteMessage => ({
  id,
  kind,
  subjectId,
  email,
  fullName,
  status,
  expiresAt,
  ...(acceptedUserId !== null && { userId: acceptedUserId }),
});

/** Returns the invite of a token. Throws 404 unless it is pending or accepted. */
export const findInvite = async (db: OrgDb, tokens: InviteTokens, token: string): Promise<InviteMessage> =>
  inviteResponse(await getInviteByToken(db, tokens, token));

/**
 * Accepts an invite and returns the id for the new user. Idempotent: a repeated call returns the same id until the invite expires. Throws 404
 * when the invite was sent again meanwhile, because that makes earlier links invalid.
 */
export async function claimInvite(db: OrgDb, tokens: InviteTokens, token: string): Promise<InviteMessage> {
  const { id, kind, subjectId, nonce } = await getInviteByToken(db, tokens, token);
  return transaction(db, async (tx) => {
    const subject = await lockSubject(tx, kind, subjectId);
    const [invite] = await tx.findAllForUpdate(Invite, [id]);
    if (invite!.nonce !== nonce) throw notFound("Invite");
    if (invite!.status === "accepted") {
      if (!canContinueAcceptance(invite!, now())) throw notFound("Invite");
      // Restarts the two minutes in which the account does not count as orphaned.
      tx.assign(invite!, { acceptedAt: now() });
    } else {
      if (!inviteStateMachine.allows(inviteStatusAt(invite!, now()), "accepted") || subject!.deletedAt) throw notFound("Invite");
      const userId = newId();
      tx.assign(invite!, { status: "accepted", acceptedAt: now(), acceptedUserId: userId });
      tx.assign(subject!, { userId, portalStatus: "active" });
      await publish(tx, `${kind}.updated`, { entityId: subjectId, data: {} });
    }
    return inviteResponse((await findInviteRow(tx, id))!);
  });
}
