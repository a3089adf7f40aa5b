import type { accounts } from "@freehold/contract/identity/accounts";
import type { Output } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { conflict } from "@freehold/kit/errors";
import { completeAfterCommit } from "@freehold/kit/db/idempotency";
import type { Identity } from "../../context.ts";
import { sendEmail } from "../../send-email.ts";
import { getOrganizationRow } from "../organization/organization.queries.ts";
import { getUserView } from "../users/user-changes.ts";
import { countInviteMail, countInviteOrThrow } from "./invite-limits.ts";
import { addInvite, getInviteExpiry, revokeInvites } from "./user-invite.ts";
import { User } from "../users/user.entity.ts";

type Response = Output<typeof accounts.operations.resendUserInvite>;

/** Response as stored for replay with its Idempotency-Key: the invite's id instead of the link, so that no token is stored. */
type StoredResponse = Omit<Response, "inviteLink"> & { inviteId: string };

/** Revokes the user's pending invites and e-mails a new one. Throws 404 for an unknown or deleted user, 409 for one who has a password or is not active. */
export async function resendUserInvite(identity: Identity, db: OrgDb, id: string): Promise<Response> {
  const { name: organizationName } = await getOrganizationRow(db);
  const at = now();
  const recipient = await getUserView(db, id);
  const waitSeconds = await countInviteMail(identity, db, { kind: "user", email: recipient.email });
  const write = transaction(db, async (tx): Promise<StoredResponse> => {
    const user = await tx.getForUpdate(User, id, "User", { deletedAt: null });
    if (user.passwordHash) throw conflict("This user has already accepted the invite. They can sign in, or choose a new password.", "invalid_transition");
    if (!user.isActive) throw conflict("This user is not active. Activate the user first.", "invalid_transition");
    await countInviteOrThrow(identity, tx, waitSeconds);
    await revokeInvites(tx, id);
    const invite = await addInvite(tx, id, at);
    return { user: await getUserView(tx, id), inviteId: invite.id };
  });
  return completeAfterCommit(write, async ({ user, inviteId }) => {
    const inviteLink = identity.link(`/invites/${identity.inviteTokens.issue(db.organizationId, inviteId)}`);
    const expiresAt = (await getInviteExpiry(db, inviteId)).toISOString();
    const fields = { kind: "user", organizationName, fullName: user.fullName, link: inviteLink, expiresAt };
    // A replayed request sends the e-mail again with the same message id, which communications deduplicates.
    await sendEmail(identity.clients.communications, db, identity.log, { messageId: inviteId, to: user.email, template: "invite", fields });
    return { user, inviteLink };
  });
}
