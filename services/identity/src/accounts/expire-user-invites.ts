/** Invites of users of the office that run out: whoever listens hears of it, once. */
import { now } from "@freehold/kit/clock";
import { transaction, type OrgDb } from "@freehold/kit/db";
import { announcer } from "@freehold/kit/outbox";
import type { Job } from "@freehold/kit/schedule";
import { sql } from "@freehold/kit/statement";
import { UserInvite } from "./user-invite.entity.ts";
import { User } from "./user.entity.ts";

export const EXPIRE_USER_INVITES = "expireUserInvites";

const announce = announcer("identity");
const AT_ONCE = 500;
const DAY_MS = 86_400_000;

interface RunningOut {
  id: string;
  userId: string;
  expiresAt: string;
}

/** Tells of the invites that ran out, and comes again when the next one does, within a day whatever there is. */
export const expireUserInvites: Job = async (db) => {
  for (let next = await runningOut(db); ; next = await runningOut(db)) {
    const due = next.filter(({ expiresAt }) => new Date(expiresAt) <= now());
    for (const invite of due) await expire(db, invite);
    if (due.length === AT_ONCE) continue;
    const first = next[due.length];
    const inADay = now().getTime() + DAY_MS;
    return new Date(first ? Math.min(new Date(first.expiresAt).getTime(), inADay) : inADay);
  }
};

const runningOut = (db: OrgDb): Promise<RunningOut[]> =>
  db.all(sql<RunningOut>`select id, user_id, expires_at from user_invite
    where organization_id = ${db.organizationId} and accepted_at is null and revoked_at is null and expiry_announced_at is null
    order by expires_at, id limit ${AT_ONCE}`);

/** The user before the invite, as whoever accepts it locks them; what they did meanwhile counts. Who chose a password by another way needs no invite. */
const expire = (db: OrgDb, { id, userId }: RunningOut): Promise<void> =>
  transaction(db, async (tx) => {
    const [user] = await tx.lockAll(User, [userId]);
    const [invite] = await tx.lockAll(UserInvite, [id]);
    if (!invite || invite.acceptedAt || invite.revokedAt || invite.expiryAnnouncedAt || invite.expiresAt > now()) return;
    tx.assign(invite, { expiryAnnouncedAt: now() });
    if (user?.passwordHash || user?.deletedAt) return;
    await announce(tx, "invite.expired", { entityId: id, data: { kind: "user", subjectId: null, userId } });
  });
