/** Turns what happened into notifications for those it concerns. */
import type { Envelope } from "@freehold/contract/events";
import { roles, type Role } from "@freehold/contract/roles";
import { now } from "@freehold/kit/clock";
import type { Once } from "@freehold/kit/consumer";
import type { OrgDb } from "@freehold/kit/db";
import { announcer } from "@freehold/kit/outbox";
import type { User, Users } from "@freehold/proto/identity/v1/identity";
import type { Clients } from "../clients.ts";
import { askedOnce } from "./asked-once.ts";
import type { Notice } from "./notice.rules.ts";
import { Notification, NotificationDelivery } from "./notification.entity.ts";

const announce = announcer("communications");
const ask = askedOnce<Users>();
const office = ["admin", "manager", "staff"];

export interface Concern {
  /** Tenants, owners or vendors whose users hear of it besides the office. */
  subjectIds?: string[];
  /** Who did it: they know already. The event's actor unless it says otherwise. */
  actorUserId?: string | null;
  notice: (recipient: Role) => Notice;
}

/** Tells everybody concerned but the actor, each once, and each of them alone. Who that is, is asked before anything is written. */
export async function notify(db: OrgDb, { identity }: Clients, event: Omit<Envelope, "data">, once: Once, concern: Concern): Promise<void> {
  const actorUserId = concern.actorUserId ?? event.actorUserId;
  const subjectIds = concern.subjectIds ?? [];
  const [concerned, known] = await Promise.all([
    ask(`${db.organizationId} ${subjectIds.join()}`, () => identity.listRecipients(db, { roles: office, subjectIds })),
    actorUserId === null ? { users: [] } : ask(`${db.organizationId} user ${actorUserId}`, () => identity.getUsers(db, { ids: [actorUserId] })),
  ]);
  const recipients = [...new Map(concerned.users.map((user) => [user.id, user])).values()].filter(({ id }) => id !== actorUserId);
  if (recipients.length === 0) return;
  const about = { type: event.type, entityType: event.entityType, entityId: event.entityId, actorUserId, actorName: known.users[0]?.fullName ?? null };
  await once(async (tx) => {
    const created = recipients.map(({ id, role }) =>
      tx.create(Notification, { ...about, ...concern.notice(asRole(role)), userId: id, channel: "in_app", readAt: null }),
    );
    await tx.flush();
    for (const { id } of created)
      tx.create(NotificationDelivery, { notificationId: id, channel: "in_app", deliveryMode: "immediate", sentAt: now(), deliveredAt: now() });
    for (const { id, type, userId } of created)
      await announce(tx, "notification.created", { entityId: id, data: { type }, audience: { roles: [], userIds: [userId] } });
  });
}

const asRole = (role: User["role"]): Role => roles.find((known) => known === role) ?? "staff";
