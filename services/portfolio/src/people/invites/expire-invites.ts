/** Expiry of invites: publishes `invite.expired` and resets the portal status of the invited tenant, owner or vendor. */
import type { PortalRole } from "@freehold/contract/roles";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { expiryJob } from "@freehold/kit/jobs/expiry";
import { sql } from "@freehold/kit/db/statement";
import { publish } from "../../publish.ts";
import { Invite } from "./invite.entity.ts";
import { inviteStatusAt } from "./invite.rules.ts";
import { lockSubject } from "./subjects.ts";

interface PendingInvite {
  id: string;
  kind: PortalRole;
  subjectId: string;
  expiresAt: string;
}

const findNextToExpire = (db: OrgDb, limit: number): Promise<PendingInvite[]> =>
  db.all(sql<PendingInvite>`select id, kind, subject_id, expires_at from invite
    where organization_id = ${db.organizationId} and status = 'pending' and expiry_announced_at is null order by expires_at, id limit ${limit}`);

/** Expires one invite. Locks the subject before the invite, like acceptance and revocation, and skips an invite that is no longer pending or due. */
const expire = (db: OrgDb, { id, kind, subjectId }: PendingInvite): Promise<void> =>
  transaction(db, async (tx) => {
    const subject = await lockSubject(tx, kind, subjectId);
    const [invite] = await tx.findAllForUpdate(Invite, [id]);
    if (!invite || invite.expiryAnnouncedAt || inviteStatusAt(invite, now()) !== "expired") return;
    tx.assign(invite, { expiryAnnouncedAt: now() });
    if (subject && !subject.userId) subject.portalStatus = "none";
    await publish(tx, "invite.expired", { entityId: id, data: { kind, subjectId: invite.subjectId } });
  });

/** Job that expires pending invites at their `expiresAt`. */
export const expireInvites = expiryJob({ findNext: findNextToExpire, expire });
