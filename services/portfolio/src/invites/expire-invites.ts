/** Invites that run out: whoever made them hears of it, and nobody is shown as invited any more. */
import { now } from "@freehold/kit/clock";
import { transaction, type OrgDb } from "@freehold/kit/db";
import type { Job } from "@freehold/kit/schedule";
import { sql } from "@freehold/kit/statement";
import { announce } from "../announce.ts";
import { Invite } from "./invite.entity.ts";
import { statusAt, type PortalKind } from "./invite.rules.ts";
import { lockSubject } from "./subjects.ts";

const AT_ONCE = 500;
const DAY_MS = 86_400_000;

interface RunningOut {
  id: string;
  kind: PortalKind;
  subjectId: string;
  expiresAt: string;
}

/** Tells of the invites that ran out, and comes again when the next one does, within a day whatever there is. */
export const expireInvites: Job = async (db) => {
  for (let next = await runningOut(db); ; next = await runningOut(db)) {
    const due = next.filter(({ expiresAt }) => new Date(expiresAt) <= now());
    for (const invite of due) await expire(db, invite);
    if (due.length === AT_ONCE) continue;
    const first = next.find((invite) => !due.includes(invite));
    const inADay = now().getTime() + DAY_MS;
    return new Date(first ? Math.min(new Date(first.expiresAt).getTime(), inADay) : inADay);
  }
};

const runningOut = (db: OrgDb): Promise<RunningOut[]> =>
  db.all(sql<RunningOut>`select id, kind, subject_id, expires_at from invite
    where organization_id = ${db.organizationId} and status = 'pending' and expiry_announced_at is null order by expires_at, id limit ${AT_ONCE}`);

/** The subject before the invite, as whoever accepts or revokes it locks them; what they did meanwhile counts. */
const expire = (db: OrgDb, { id, kind, subjectId }: RunningOut): Promise<void> =>
  transaction(db, async (tx) => {
    const subject = await lockSubject(tx, kind, subjectId);
    const [invite] = await tx.lockAll(Invite, [id]);
    if (!invite || invite.expiryAnnouncedAt || statusAt(invite, now()) !== "expired") return;
    tx.assign(invite, { expiryAnnouncedAt: now() });
    if (subject && !subject.userId) subject.portalStatus = "none";
    await announce(tx, "invite.expired", { entityId: id, data: { kind, subjectId: invite.subjectId } });
  });
