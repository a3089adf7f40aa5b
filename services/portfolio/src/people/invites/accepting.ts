/** The invitee's side, as identity asks for it: what an invite says, and taking it for one user. */
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { newId } from "@freehold/kit/db/entity";
import { notFound } from "@freehold/kit/errors";
import type { Invite as InviteAnswer } from "@freehold/proto/portfolio/v1/portfolio";
import { publish } from "../../publish.ts";
import { parseInviteToken, type InviteTokens } from "./invite-token.rules.ts";
import { Invite } from "./invite.entity.ts";
import { inviteStateMachine, inviteStatusAt } from "./invite.rules.ts";
import { findInviteRow, type InviteRow } from "./invites.queries.ts";
import { lockSubject } from "./subjects.ts";

/** The invite a token opens: one of this organization that is pending or accepted, for somebody who was not deleted. Anything else looks as if it were not there. */
async function opened(db: OrgDb, tokens: InviteTokens, token: string): Promise<InviteRow> {
  const claimed = parseInviteToken(token);
  if (claimed?.organizationId !== db.organizationId) throw notFound("Invite");
  const row = await findInviteRow(db, claimed.inviteId);
  if (!row || !tokens.isOf(token, { ...claimed, kind: row.kind }, row.nonce) || row.isSubjectDeleted) throw notFound("Invite");
  const status = inviteStatusAt(row, now());
  if (status !== "pending" && status !== "accepted") throw notFound("Invite");
  return row;
}

const answer = ({ id, kind, subjectId, email, fullName, status, expiresAt, acceptedUserId }: InviteRow): InviteAnswer => ({
  id,
  kind,
  subjectId,
  email,
  fullName,
  status,
  expiresAt,
  ...(acceptedUserId !== null && { userId: acceptedUserId }),
});

/** What an invite says. */
export const findInvite = async (db: OrgDb, tokens: InviteTokens, token: string): Promise<InviteAnswer> => answer(await opened(db, tokens, token));

/** Takes an invite for a user whose id is given out once; asked again it answers the same id. */
export async function claimInvite(db: OrgDb, tokens: InviteTokens, token: string): Promise<InviteAnswer> {
  const { id, kind, subjectId } = await opened(db, tokens, token);
  return transaction(db, async (tx) => {
    const subject = await lockSubject(tx, kind, subjectId);
    const [invite] = await tx.findAllForUpdate(Invite, [id]);
    if (invite!.status !== "accepted") {
      if (!inviteStateMachine.allows(inviteStatusAt(invite!, now()), "accepted") || subject!.deletedAt) throw notFound("Invite");
      const userId = newId();
      tx.assign(invite!, { status: "accepted", acceptedAt: now(), acceptedUserId: userId });
      tx.assign(subject!, { userId, portalStatus: "active" });
      await publish(tx, `${kind}.updated`, { entityId: subjectId, data: {} });
    }
    return answer((await findInviteRow(tx, id))!);
  });
}
