import type { PortalRole } from "@freehold/contract/roles";
import { randomUUID } from "node:crypto";
import type { BodyOf } from "@freehold/contract/operation";
import type { tenantInvites } from "@freehold/contract/people/tenant-invites";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { conflict, notFound } from "@freehold/kit/errors";
import { completeAfterCommit } from "@freehold/kit/db/idempotency";
import { normalizePhone } from "@freehold/domain/phone";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { publish } from "../../publish.ts";
import { Invite } from "./invite.entity.ts";
import { inviteExpiry } from "./invite.rules.ts";
import { deliverInvite, unsentInvite, type InviteDependencies, type SentInvite } from "./invites.ts";
import { addressTaken, isAddressTaken } from "./invite-address.ts";
import { withinInviteLimits } from "./invite-limits.ts";
import { findOrphanedAccount, removeOrphanedAccount, type OrphanedAccount } from "./acceptance/orphaned-accounts.ts";
import { findInviteRow } from "./invites.queries.ts";
import { lockSubject } from "./subjects.ts";

type Terms = BodyOf<(typeof tenantInvites)["operations"]["resendTenantInvite"]>;

/** Resends a pending or expired invite, or one whose acceptance has created no user, with a new link and expiry. The previous link becomes invalid. */
export async function resendInvite<K extends PortalRole>(
  db: OrgDb,
  dependencies: InviteDependencies,
  kind: K,
  id: string,
  input: Terms,
): Promise<SentInvite<K>> {
  const terms = { ...input, phone: normalizePhone("phone", input.phone) };
  const { name } = await dependencies.clients.identity.getOrganization(db, {});
  const row = await findInviteRow(db, id);
  const email = terms.channels.includes("email") ? row?.email : undefined;
  const isTaken = row !== undefined && (await isAddressTaken(db, dependencies.clients, row));
  const orphanedAccount = row && (await findOrphanedAccount(db, dependencies.clients, row.kind, row.subjectId));
  const committed = withinInviteLimits(db, dependencies.clients, { kind, email }, (requireAllowed) =>
    transaction(db, async (tx) => {
      requireAllowed();
      await renewInvite(tx, kind, id, orphanedAccount);
      if (isTaken) throw addressTaken(kind);
      return unsentInvite(kind, (await findInviteRow(tx, id))!);
    }),
  );
  return completeAfterCommit(committed, (response) => deliverInvite(db, dependencies, terms, name, response));
}

async function renewInvite(tx: OrgTx, kind: PortalRole, id: string, orphanedAccount: OrphanedAccount | undefined): Promise<void> {
  const currentRow = await findInviteRow(tx, id);
  if (currentRow?.kind !== kind || currentRow.isSubjectDeleted) throw notFound("Invite");
  const { subjectId } = currentRow;
  const subject = await lockSubject(tx, kind, subjectId);
  const invite = await tx.getForUpdate(Invite, id, "Invite");
  const { acceptedUserId } = invite;
  const isRemoved = await removeOrphanedAccount(tx, subject!, orphanedAccount);
  const isAbandonedAcceptance = isRemoved && orphanedAccount!.userNeverExisted && acceptedUserId === orphanedAccount!.userId;
  if (invite.status !== "pending" && !isAbandonedAcceptance)
    throw conflict(`The invite is ${invite.status}; only a pending or an expired one can be sent again. Create a new one instead.`, "invalid_transition");
  tx.assign(invite, { status: "pending", revokedAt: null, nonce: randomUUID(), expiresAt: inviteExpiry(now()), expiryAnnouncedAt: null });
  await scheduleNow(tx, "expireInvites");
  subject!.portalStatus = "invited";
  await publish(tx, "invite.resent", { entityId: id, data: { kind, subjectId } });
}
