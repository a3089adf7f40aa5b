/** Invites that run out: whoever made them hears of it, and nobody is shown as invited any more. */
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { expiryJob } from "@freehold/kit/jobs/expiry";
import { sql } from "@freehold/kit/db/statement";
import { publish } from "../../publish.ts";
import { Invite } from "./invite.entity.ts";
import { inviteStatusAt, type PortalKind } from "./invite.rules.ts";
import { lockSubject } from "./subjects.ts";

interface RunningOut {
  id: string;
  kind: PortalKind;
  subjectId: string;
  expiresAt: string;
}

const runningOut = (db: OrgDb, atMost: number): Promise<RunningOut[]> =>
  db.all(sql<RunningOut>`select id, kind, subject_id, expires_at from invite
    where organization_id = ${db.organizationId} and status = 'pending' and expiry_announced_at is null order by expires_at, id limit ${atMost}`);

/** The subject before the invite, as whoever accepts or revokes it locks them; what they did meanwhile counts. */
const expire = (db: OrgDb, { id, kind, subjectId }: RunningOut): Promise<void> =>
  transaction(db, async (tx) => {
    const subject = await lockSubject(tx, kind, subjectId);
    const [invite] = await tx.findAllForUpdate(Invite, [id]);
    if (!invite || invite.expiryAnnouncedAt || inviteStatusAt(invite, now()) !== "expired") return;
    tx.assign(invite, { expiryAnnouncedAt: now() });
    if (subject && !subject.userId) subject.portalStatus = "none";
    await publish(tx, "invite.expired", { entityId: id, data: { kind, subjectId: invite.subjectId } });
  });

/** Tells of the invites that ran out. */
export const expireInvites = expiryJob({ findNext: runningOut, expire });
